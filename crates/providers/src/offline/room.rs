//! Turns in a private room or a thread, on the question of a dispute.
//!
//! Only what the annotations relate to the dispute is said in a private room: its sides, the claims that state or rest on
//! them, the claims that carry replies to those, and the replies to them; then what would settle it, and what would change
//! the speaker's mind. In a panel, the same holds for each aspect. In a thread, the sides, the claims that state or rest on
//! them, and replies to what was said there.

use std::collections::BTreeSet;

use crate::offline::cast::{Cast, CastMember};
use crate::offline::composition::quoted;
use crate::offline::free_moves::{FreeReply, free_claims};
use crate::offline::talk::{Answer, Speaker};
use crate::offline::turn::Turn;
use faultline_core::events::channel::RoomStage;
use faultline_core::events::crux::RoomKind;
use faultline_core::events::receipt::Failure;
use faultline_core::events::turn::Move;
use faultline_core::kernel::task::RoomInput;
use faultline_core::positions::model::{AnnotatedClaim, AnnotatedDispute, ClaimRef, PassageQuote};

/// Number of steps of replies from a dispute within which a claim is about it.
pub const MAX_STEPS: usize = 2;

impl<'a> Speaker<'a> {
    /// Enters a room: the side on its question, and what the speaker rests it on and has not said yet.
    ///
    /// # Errors
    /// A [`Failure`] if a quotation is not in the corpus.
    pub fn enter(&self, room: &RoomInput) -> Answer {
        let turn;
        if let Some(own) = self.speaker.topic.dispute_asking(&room.question) {
            turn = self.side(own, Move::Claim)?;
        } else {
            let Some(made) = self.claim()? else { return Err(self.nothing_new()) };
            turn = made;
        }
        Ok(self.finish(turn))
    }

    /// Takes the side on a dispute, and says what it rests on, or else what would settle it or change it, if that was not said.
    fn side(&self, own: &'a AnnotatedDispute, made: Move) -> Result<Turn<'a>, Failure> {
        let mut turn = self.empty();
        turn.make(made, &own.words.quote);
        turn.text.quote(&own.words)?;
        let support = self.unsaid_support(own).or_else(|| self.unsaid_settling(own));
        turn.text.quotes(support.or_else(|| self.unsaid_falsifier_about(&own.question, &own.words.quote)))?;
        Ok(turn)
    }

    /// Takes a turn in a room.
    ///
    /// # Errors
    /// As [`Speaker::turn`].
    pub(super) fn room_turn(&self, room: &RoomInput) -> Result<Option<Turn<'a>>, Failure> {
        let Some(own) = self.speaker.topic.dispute_asking(&room.question) else { return self.without_side(room) };
        match (room.stage, &room.aspect) {
            (None | Some(RoomStage::Clash), _) => self.exchange(room, own),
            (Some(RoomStage::Closing), _) => self.side(own, Move::Clarify).map(Some),
            (Some(stage), None) => self.step(stage, own),
            (Some(stage), Some(aspect)) => {
                let aspect = self.speaker.topic.dispute_asking(aspect);
                aspect.map_or(Ok(None), |aspect| self.step_on_aspect(stage, aspect))
            }
        }
    }

    /// Takes a turn in a free exchange.
    fn exchange(&self, room: &RoomInput, own: &'a AnnotatedDispute) -> Result<Option<Turn<'a>>, Failure> {
        // In a thread, what was said elsewhere is not answered.
        let is_here = |free: &FreeReply| free.turn.input.room.as_ref() == Some(&room.alias);
        let (n_steps, is_thread) =
            (if room.kind == RoomKind::Thread { 0 } else { MAX_STEPS }, room.kind == RoomKind::Thread);
        let about = claims_about(self.cast, own, n_steps);
        let is_about = |free: &FreeReply| if is_thread { is_here(free) } else { about.contains(&free.reply.to) };
        if let Some(turn) = self.reply_among(is_about)? {
            return Ok(Some(turn));
        }
        if let Some(claim) = self.free_claim_among(&about) {
            return self.make(claim).map(Some);
        }
        if let Some(words) = self.unsaid_settling(own) {
            return self.clarify(words).map(Some);
        }
        if own.name == self.speaker.topic.crux.as_ref().map_or("", |crux| crux.dispute.as_str())
            && let Some(turn) = self.crux()?
        {
            return Ok(Some(turn));
        }
        let falsifier = self.unsaid_falsifier_about(&own.question, &own.words.quote);
        falsifier.map(|words| self.clarify(words)).transpose()
    }

    /// Takes a turn in a room on whose question the writings take no side. In a thread, only what was said there is answered.
    fn without_side(&self, room: &RoomInput) -> Result<Option<Turn<'a>>, Failure> {
        match room.kind {
            RoomKind::Private => self.free(),
            RoomKind::Thread => self.reply_among(|free| free.turn.input.room.as_ref() == Some(&room.alias)),
        }
    }

    /// Takes a step on an aspect of a panel: the side on it, or what is related to it and answers what was said.
    fn step_on_aspect(&self, stage: RoomStage, aspect: &'a AnnotatedDispute) -> Result<Option<Turn<'a>>, Failure> {
        if stage == RoomStage::Takes {
            return self.side(aspect, Move::Claim).map(Some);
        }
        let about = claims_about(self.cast, aspect, MAX_STEPS);
        if let Some(turn) = self.reply_among(|free| about.contains(&free.reply.to))? {
            return Ok(Some(turn));
        }
        if let Some(claim) = self.free_claim_among(&about) {
            return self.make(claim).map(Some);
        }
        self.unsaid_settling(aspect).map(|words| self.clarify(words)).transpose()
    }

    /// Returns the first of these claims that the speaker can still make.
    fn free_claim_among(&self, about: &BTreeSet<ClaimRef>) -> Option<&'a AnnotatedClaim> {
        let claims = free_claims(&self.spoken, self.speaker);
        claims.into_iter().find(|claim| about.contains(&reference(self.speaker, claim)))
    }

    /// Takes a step of a staged room, if the writings contain it. They do not state the positions of others.
    fn step(&self, stage: RoomStage, own: &'a AnnotatedDispute) -> Result<Option<Turn<'a>>, Failure> {
        let falsifier = || self.unsaid_falsifier_about(&own.question, &own.words.quote);
        let words = match stage {
            RoomStage::Falsifiers => falsifier().or_else(|| self.unsaid_settling(own)),
            RoomStage::Resolution => self.unsaid_settling(own),
            RoomStage::Diagnosis => {
                let crux = self.cast.crux_of(self.speaker).filter(|crux| crux.dispute == own.name);
                crux.map(|crux| &crux.words).filter(|words| self.is_unsaid(words)).or_else(|| self.unsaid_support(own))
            }
            _ => None,
        };
        words.map(|words| self.clarify(words)).transpose()
    }

    fn clarify(&self, words: &'a PassageQuote) -> Result<Turn<'a>, Failure> {
        let mut turn = self.empty();
        turn.make(Move::Clarify, &words.quote);
        turn.text.quote(words)?;
        Ok(turn)
    }

    /// Returns what would settle a dispute, if the speaker has not said it.
    fn unsaid_settling(&self, dispute: &'a AnnotatedDispute) -> Option<&'a PassageQuote> {
        dispute.settled_by.iter().find(|words| self.is_unsaid(words))
    }

    /// Returns a premise of a claim that states the side on a dispute, or of one that rests on it, if it was not said.
    fn unsaid_support(&self, dispute: &AnnotatedDispute) -> Option<&'a PassageQuote> {
        let claims = self.speaker.topic.claims.iter().filter(|claim| is_part(claim, &dispute.words.quote));
        let premises = claims.flat_map(|claim| claim.premises.iter().filter_map(quoted));
        premises.filter(|premise| premise.quote != dispute.words.quote).find(|premise| self.is_unsaid(premise))
    }
}

/// Returns true if words are a claim or one of its quoted premises.
pub fn is_part(claim: &AnnotatedClaim, words: &str) -> bool {
    claim.sentence.quote == words || claim.premises.iter().filter_map(quoted).any(|premise| premise.quote == words)
}

/// Names a claim of a member.
pub fn reference(member: &CastMember, claim: &AnnotatedClaim) -> ClaimRef {
    ClaimRef { persona: member.id.clone(), claim: claim.name.clone() }
}

/// Returns the claims that are about a dispute: those that state or rest on a side of it, and those that carry replies to
/// them, within this number of steps.
pub fn claims_about(cast: &Cast, dispute: &AnnotatedDispute, n_steps: usize) -> BTreeSet<ClaimRef> {
    let mut about: BTreeSet<ClaimRef> = BTreeSet::new();
    for member in &cast.members {
        let words = member.topic.dispute(&dispute.name).map(|own| own.words.quote.as_str());
        let own = member.topic.claims.iter().filter(|claim| words.is_some_and(|words| is_part(claim, words)));
        about.extend(own.map(|claim| reference(member, claim)));
    }
    for _ in 0..n_steps {
        let carried = cast.members.iter().flat_map(|member| {
            let replies = member.topic.replies.iter().filter(|reply| about.contains(&reply.to));
            let claims = replies.filter_map(|reply| member.topic.claim(reply.with.as_ref()?));
            claims.map(|claim| reference(member, claim)).collect::<Vec<_>>()
        });
        let carried: Vec<ClaimRef> = carried.collect();
        about.extend(carried);
    }
    about
}

//! Turns of a talk, as claims and replies of the annotations.
//!
//! A claim is made by its sentence; a sentence that stands as the premise of another claim in the same turn makes none. A
//! reply is made by all of its words, in a turn that answers its claim with the fitting move.

use crate::offline::cast::{Cast, CastMember};
use crate::offline::composition::quoted;
use faultline_core::events::dispute::Side;
use faultline_core::events::turn::Move;
use faultline_core::kernel::task::TurnInput;
use faultline_core::positions::model::{AnnotatedClaim, AnnotatedReply, ClaimRef, GivesWay, ReplyKind};

/// Turns of participants with positions.
pub struct Spoken<'a> {
    /// The turns, in order.
    pub turns: Vec<SpokenTurn<'a>>,
}

/// Turn of a participant.
pub struct SpokenTurn<'a> {
    /// The turn.
    pub input: &'a TurnInput,
    /// Its speaker.
    pub member: &'a CastMember,
    /// Claims that it makes.
    pub claims: Vec<&'a AnnotatedClaim>,
    /// Replies that it makes.
    pub replies: Vec<&'a AnnotatedReply>,
}

impl<'a> Spoken<'a> {
    /// Reads turns. Turns of others, such as a moderator, are skipped. Cost: turns times quotations of their speakers.
    pub fn of(cast: &'a Cast, turns: &'a [TurnInput]) -> Spoken<'a> {
        let mut spoken: Vec<SpokenTurn<'a>> = Vec::new();
        for input in turns {
            let Some(member) = input.speaker.as_ref().and_then(|id| cast.member(id)) else { continue };
            spoken.push(SpokenTurn { input, member, claims: claims_in(member, &input.text), replies: Vec::new() });
        }
        for at in 0..spoken.len() {
            let replies = &spoken[at].member.topic.replies;
            let made = replies.iter().filter(|reply| is_made(&spoken, &spoken[at], reply)).collect();
            spoken[at].replies = made;
        }
        Spoken { turns: spoken }
    }

    /// Returns the latest turn that makes a claim.
    pub fn turn_of(&self, claim: &ClaimRef) -> Option<&SpokenTurn<'a>> {
        self.turns.iter().rev().find(|turn| turn.makes(claim))
    }

    /// Returns the replies that a participant has made, in order.
    pub fn replies_of<'s>(
        &'s self,
        member: &'s CastMember,
    ) -> impl DoubleEndedIterator<Item = &'a AnnotatedReply> + 's {
        self.turns_of(member).flat_map(|turn| turn.replies.iter().copied())
    }

    /// Returns the turns of a participant, in order.
    pub fn turns_of<'s>(&'s self, member: &'s CastMember) -> impl DoubleEndedIterator<Item = &'s SpokenTurn<'a>> {
        self.turns.iter().filter(|turn| turn.member.id == member.id)
    }

    /// Returns true if a participant has said these words.
    pub fn has_said(&self, member: &CastMember, words: &str) -> bool {
        self.turns_of(member).any(|turn| turn.input.text.contains(words))
    }

    /// Returns true if a participant has given up, narrowed or conditioned a claim.
    pub fn has_given_way_on(&self, member: &CastMember, claim: &str) -> bool {
        let mut ways = self.replies_of(member).flat_map(|reply| &reply.gives_way);
        ways.any(|way| matches!(way, GivesWay::Claim { name, .. } if name == claim))
    }

    /// Returns the present side of a participant on the topic.
    pub fn side(&self, member: &CastMember) -> Side {
        let mut moved = self.replies_of(member).flat_map(|reply| &reply.gives_way).filter_map(|way| match way {
            GivesWay::Topic { side, .. } => Some(*side),
            GivesWay::Claim { .. } | GivesWay::Dispute { .. } => None,
        });
        moved.next_back().unwrap_or(member.topic.side)
    }

    /// Returns the present side of a participant on a dispute, by its short name; `None` without a side.
    pub fn side_on(&self, member: &CastMember, dispute: &str) -> Option<Side> {
        let before = member.topic.dispute(dispute)?.side;
        let mut moved = self.replies_of(member).flat_map(|reply| &reply.gives_way).filter_map(|way| match way {
            GivesWay::Dispute { name, side } if name == dispute => Some(*side),
            _ => None,
        });
        Some(moved.next_back().unwrap_or(before))
    }
}

impl SpokenTurn<'_> {
    /// Returns true if the turn makes a claim.
    pub fn makes(&self, claim: &ClaimRef) -> bool {
        self.member.id == claim.persona && self.claims.iter().any(|made| made.name == claim.claim)
    }

    /// Returns the reason for a reply that the turn makes: the annotated one if the turn says it, or else the words of
    /// the reply themselves.
    pub fn reason_of(&self, reply: &AnnotatedReply) -> String {
        match quoted(&reply.reason) {
            Some(reason) if self.input.text.contains(&reason.quote) => reason.quote.clone(),
            _ => reply.words.iter().map(|words| words.quote.as_str()).collect::<Vec<_>>().join(" "),
        }
    }
}

/// Returns the move that fits a kind of reply.
pub fn move_of(kind: ReplyKind) -> Move {
    match kind {
        ReplyKind::Rebut | ReplyKind::Undermine | ReplyKind::Undercut => Move::Challenge,
        ReplyKind::Grant | ReplyKind::Concede => Move::Concede,
        ReplyKind::Reframe => Move::Reframe,
        ReplyKind::Compatible => Move::Clarify,
    }
}

fn claims_in<'a>(member: &'a CastMember, text: &str) -> Vec<&'a AnnotatedClaim> {
    let said = |claim: &&AnnotatedClaim| text.contains(&claim.sentence.quote);
    let claims: Vec<&AnnotatedClaim> = member.topic.claims.iter().filter(said).collect();
    let premises: Vec<&str> = claims
        .iter()
        .flat_map(|claim| claim.premises.iter().filter_map(quoted))
        .map(|premise| premise.quote.as_str())
        .collect();
    claims.into_iter().filter(|claim| !premises.contains(&claim.sentence.quote.as_str())).collect()
}

fn is_made(turns: &[SpokenTurn], turn: &SpokenTurn, reply: &AnnotatedReply) -> bool {
    let Some(answered) = &turn.input.answers else { return false };
    let fits = turn.input.moves.contains(&move_of(reply.kind));
    let said = || reply.words.iter().all(|words| turn.input.text.contains(&words.quote));
    // The answered turn may be too old to be among those shown.
    let shown = turns.iter().find(|shown| shown.input.alias == *answered);
    fits && shown.is_none_or(|shown| shown.makes(&reply.to)) && said()
}

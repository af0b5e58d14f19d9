//! Speeches for and against a motion, from annotated moves.

use serde_json::json;

use crate::offline::phrases;
use crate::offline::spoken::move_of;
use crate::offline::talk::{Answer, FreeMove, Speaker};
use crate::offline::turn::Turn;
use faultline_core::events::checks::sides::MotionSide;
use faultline_core::events::dispute::Side;
use faultline_core::events::receipt::{Failure, FailureKind};
use faultline_core::events::turn::Move;
use faultline_core::positions::model::{AnnotatedClaim, AnnotatedReply, Basis, TopicPositions};

/// Number of moves of a speech at most.
const MAX_MOVES: usize = 3;

impl<'a> Speaker<'a> {
    /// Speaks for a side: answers what the other side said, and then makes claims, without words that were found false.
    /// Reflection and critique are what the answer is about, and its annotated reason; a speech that answers nothing has
    /// neither.
    ///
    /// # Errors
    /// [`FailureKind::Hopeless`] if the writings of the speaker do not take the side, [`FailureKind::Repeated`] if no move is
    /// free.
    pub fn argue(&self, side: MotionSide, refuted: &[String], most_words: usize) -> Answer {
        self.check_side(side)?;
        let is_refuted = |words: &str| refuted.iter().any(|told| words.contains(told.trim()) || told.contains(words));
        let fits = |turn: &Turn| !refuted.iter().any(|told| turn.text.text().contains(told.trim()));
        let (mut speech, mut answered) = (self.empty(), None);
        for (_, free) in self.moves() {
            let FreeMove::Reply(reply) = free else { continue };
            if !self.is_of_other_side(&reply.turn.member.topic) {
                continue;
            }
            let turn = self.answer(reply)?;
            if fits(&turn) {
                (speech, answered) = (turn, Some(reply.reply));
                break;
            }
        }
        for claim in self.claims() {
            if is_refuted(&claim.sentence.quote) || self.is_against_own_side(claim) {
                continue;
            }
            let mut longer = speech.clone();
            self.add_claim(&mut longer, claim, is_refuted)?;
            let is_short = longer.text.text().split_whitespace().count() <= most_words;
            if speech.n_moves() == 0 || (is_short && longer.n_moves() <= MAX_MOVES) {
                speech = longer;
            }
        }
        if speech.n_moves() == 0 {
            return Err(self.nothing_new());
        }
        let preparation = answered.map(|reply| self.preparation(reply));
        let (reflection, critique) = preparation.unzip();
        let (mut reply, grounds) = self.finish(speech);
        reply["reflection"] = json!(reflection);
        reply["critique"] = json!(critique);
        Ok((reply, grounds))
    }

    /// Returns reflection and critique before an answer: the claim that it answers, and the annotated reason for it.
    fn preparation(&self, reply: &AnnotatedReply) -> (String, String) {
        let claim = self.cast.member(&reply.to.persona).and_then(|member| member.topic.claim(&reply.to.claim));
        let said = claim.map_or("", |claim| claim.sentence.quote.as_str());
        let lead = match move_of(reply.kind) {
            Move::Challenge => phrases::AGAINST_IT,
            Move::Concede => phrases::FOR_IT,
            _ => phrases::BESIDE_IT,
        };
        let reason = match &reply.reason {
            Basis::Quoted(quote) => format!("{lead}: \"{}\"", quote.quote),
            Basis::Own(text) => format!("{lead}, {}: {text}", phrases::AS_ANNOTATED),
        };
        (format!("{}: \"{said}\"", phrases::TO_ANSWER), reason)
    }

    /// Returns true for the positions of somebody whose writings take the other side of the topic.
    fn is_of_other_side(&self, other: &TopicPositions) -> bool {
        matches!((self.speaker.topic.side, other.side), (Side::Yes, Side::No) | (Side::No, Side::Yes))
    }

    /// Returns true for a claim that is annotated as an attack on claims of participants of the speaker's own side only.
    fn is_against_own_side(&self, claim: &AnnotatedClaim) -> bool {
        let attacks = self.speaker.topic.replies.iter().filter(|reply| reply.kind.attack().is_some());
        let carried = attacks.filter(|reply| reply.with.as_ref() == Some(&claim.name));
        let mut attacked = carried.filter_map(|reply| self.cast.member(&reply.to.persona)).peekable();
        attacked.peek().is_some() && attacked.all(|member| !self.is_of_other_side(&member.topic))
    }

    /// Refuses a side that the writings do not take.
    fn check_side(&self, side: MotionSide) -> Result<(), Failure> {
        let taken = match self.speaker.topic.side {
            Side::Yes => Some(MotionSide::Pro),
            Side::No => Some(MotionSide::Con),
            Side::Nuanced | Side::Undecided => None,
        };
        if taken == Some(side) {
            return Ok(());
        }
        let (id, side) = (&self.speaker.id, side.in_words());
        let message = match taken {
            Some(taken) => format!(
                "{id} cannot speak {side} offline: the annotated writings are {}; change the options pro and con, or \
                 choose a provider with a model",
                taken.in_words()
            ),
            None => format!(
                "{id} cannot speak {side} offline: the annotated writings take no side of it; {}; choose among them, or \
                 choose a provider with a model",
                self.cast.side_takers.in_words()
            ),
        };
        Err(Failure::new(FailureKind::Hopeless, message))
    }

    /// Adds a claim with its premises, without those that were found false.
    fn add_claim(
        &self,
        turn: &mut Turn<'a>,
        claim: &'a AnnotatedClaim,
        is_refuted: impl Fn(&str) -> bool,
    ) -> Result<(), Failure> {
        turn.make(Move::Claim, &claim.sentence.quote);
        turn.text.bases(claim.premises.iter().filter(|premise| !is_refuted(premise.text())))?;
        turn.text.quote(&claim.sentence)
    }
}

//! Speeches for and against a motion, from annotated moves.

use serde_json::json;

use crate::offline::free_moves::FreeReply;
use crate::offline::phrases;
use crate::offline::spoken::move_of;
use crate::offline::talk::{Answer, FreeMove, Speaker};
use crate::offline::turn::Turn;
use faultline_core::events::checks::sides::MotionSide;
use faultline_core::events::dispute::Side;
use faultline_core::events::receipt::{Failure, FailureKind};
use faultline_core::events::turn::Move;
use faultline_core::positions::model::AnnotatedClaim;

/// Number of moves of a speech at most.
const MAX_MOVES: usize = 3;

impl<'a> Speaker<'a> {
    /// Speaks for a side: answers what was said, and then makes claims, without words that were found false. Reflection and
    /// critique are what the answer is about, and its annotated reason.
    ///
    /// # Errors
    /// [`FailureKind::Hopeless`] if the writings of the speaker take the other side, [`FailureKind::Repeated`] if no move is free.
    pub fn argue(&self, side: MotionSide, refuted: &[String], most_words: usize) -> Answer {
        self.check_side(side)?;
        let is_refuted = |words: &str| refuted.iter().any(|told| words.contains(told.trim()) || told.contains(words));
        let fits = |turn: &Turn| !refuted.iter().any(|told| turn.text.text().contains(told.trim()));
        let mut speech: Option<Turn> = None;
        let mut answered: Option<FreeReply> = None;
        for (_, free) in self.moves() {
            let made = match (&speech, free) {
                (None, FreeMove::Reply(reply)) => {
                    let turn = self.answer(reply)?;
                    answered = fits(&turn).then_some(reply).or(answered);
                    Some(turn).filter(fits)
                }
                (Some(_), FreeMove::Reply(_)) => None,
                (None, FreeMove::Claim(claim)) if !is_refuted(&claim.sentence.quote) => {
                    let mut turn = self.empty();
                    self.add_claim(&mut turn, claim, is_refuted)?;
                    Some(turn)
                }
                _ => None,
            };
            if made.is_some() {
                speech = made;
                break;
            }
        }
        let mut speech = speech.ok_or_else(|| self.nothing_new())?;
        for claim in self.claims().into_iter().filter(|claim| !is_refuted(&claim.sentence.quote)) {
            let mut longer = speech.clone();
            self.add_claim(&mut longer, claim, is_refuted)?;
            let is_short = longer.text.text().split_whitespace().count() <= most_words;
            if is_short && longer.n_moves() <= MAX_MOVES {
                speech = longer;
            }
        }
        let (reflection, critique) = match answered {
            Some(free) => {
                let claim = free.turn.member.topic.claim(&free.reply.to.claim);
                let said = claim.map_or("", |claim| claim.sentence.quote.as_str());
                let rests = format!("{} \"{said}\"", phrases::OTHER_SIDE);
                let reason = free.reply.reason.text();
                let verb = if move_of(free.reply.kind) == Move::Concede { phrases::GRANTED } else { phrases::WEAKNESS };
                (rests, format!("{verb} {reason}"))
            }
            None => (phrases::NOTHING_TO_ANSWER.to_owned(), phrases::NO_WEAKNESS.to_owned()),
        };
        let (mut reply, grounds) = self.finish(speech);
        reply["reflection"] = json!(reflection);
        reply["critique"] = json!(critique);
        Ok((reply, grounds))
    }

    /// Refuses a side that the writings do not take.
    fn check_side(&self, side: MotionSide) -> Result<(), Failure> {
        let taken = match self.speaker.topic.side {
            Side::Yes => MotionSide::Pro,
            Side::No => MotionSide::Con,
            Side::Nuanced | Side::Undecided => return Ok(()),
        };
        if taken == side {
            return Ok(());
        }
        let (id, side, taken) = (&self.speaker.id, side.in_words(), taken.in_words());
        let message = format!(
            "{id} cannot speak {side} offline: the annotated writings are {taken}; change the options pro and con, or choose a \
             provider with a model"
        );
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

//! Blackboard debates: questions of a topic, first stances, and intents.

use serde_json::{Value, json};

use crate::offline::cast::Cast;
use crate::offline::spoken::move_of;
use crate::offline::talk::{Answer, FreeMove, Speaker};
use faultline_core::events::dispute::Side;
use faultline_core::events::receipt::Failure;
use faultline_core::events::turn::Move;
use faultline_core::kernel::task::TurnInput;

/// Weight of a move that is as urgent as any.
const MOST_WEIGHT: f64 = 1.5;
/// Share of the urgency that follows from the move; the rest follows from waiting.
const URGENCY_OF_MOVE: f64 = 0.6;
/// Urgency that each turn adds since the speaker last spoke, up to a most.
const URGENCY_OF_WAITING: f64 = 0.1;
/// Maximum number of these turns.
const MOST_WAITING: usize = 4;

/// Decomposes the topic into annotated questions on which at least two of those present have a side: the ones with the largest
/// smaller side first.
pub fn decompose(cast: &Cast, most: usize) -> Value {
    let mut questions: Vec<(usize, usize, &str)> = Vec::new();
    for dispute in cast.members.iter().flat_map(|member| &member.topic.disputes) {
        let question = dispute.question.as_str();
        if questions.iter().any(|known| known.2 == question) {
            continue;
        }
        let sides = || cast.members.iter().filter_map(|member| Some(member.topic.dispute_asking(question)?.side));
        let on = |side: Side| sides().filter(|held| *held == side).count();
        if sides().count() >= 2 {
            questions.push((on(Side::Yes).min(on(Side::No)), sides().count(), question));
        }
    }
    // The sort is stable: of equal ones, the first in the files comes first.
    questions.sort_by_key(|(smaller, all, _)| std::cmp::Reverse((*smaller, *all)));
    let asked = questions.into_iter().take(most).map(|(_, _, question)| json!({ "question": question }));
    json!({ "questions": asked.collect::<Vec<_>>() })
}

impl Speaker<'_> {
    /// Takes first stances: on the topic, with the claim that answers it, and on each question of the board that the speaker's
    /// writings answer.
    ///
    /// # Errors
    /// A [`Failure`] if a quotation is not in the corpus.
    pub fn state_stances(&self) -> Answer {
        let mut turn = self.empty();
        let topic = &self.speaker.topic;
        turn.text.quote(&topic.statement)?;
        if let Some(thesis) = topic.claims.iter().find(|claim| claim.answers_topic) {
            turn.text.quote(&thesis.sentence)?;
        }
        for dispute in &self.talk.disputes {
            turn.text.quotes(topic.dispute_asking(&dispute.question).map(|own| &own.words))?;
        }
        self.state_sides(&mut turn);
        let reply = json!({ "text": turn.text.text(), "stances": turn.stances() });
        Ok(turn.text.finish(reply))
    }

    /// Says whether to speak next: to answer at once what was just said, to make a move that is free, or not at all.
    ///
    /// # Errors
    /// A [`Failure`] if a quotation is not in the corpus.
    pub fn intent(&self) -> Result<Value, Failure> {
        let Some((weight, free)) = self.best() else {
            let is_left = self.free()?.is_some();
            let (action, intent) = if is_left { ("speak", "name what it turns on") } else { ("listen", "") };
            return Ok(json!({ "action": action, "urgency": if is_left { 0.2 } else { 0.0 }, "intent": intent }));
        };
        let latest = self.talk.turns.iter().rev().find(|turn| turn.speaker.is_some()).map(|turn| &turn.alias);
        let (action, intent) = match free {
            FreeMove::Claim(_) => ("speak", "make a claim".to_owned()),
            FreeMove::Reply(free) => {
                let made = match move_of(free.reply.kind) {
                    Move::Concede => "concede something to",
                    Move::Challenge => "challenge",
                    _ => "answer",
                };
                let is_latest = Some(&free.turn.input.alias) == latest;
                (if is_latest { "interrupt" } else { "speak" }, format!("{made} {}", free.turn.input.alias))
            }
        };
        let of_move = weight.clamp(0.0, MOST_WEIGHT) / MOST_WEIGHT * URGENCY_OF_MOVE;
        let is_other = |turn: &&TurnInput| turn.speaker.as_ref() != Some(&self.speaker.id);
        let waited = self.talk.turns.iter().rev().filter(|turn| turn.speaker.is_some()).take_while(is_other).count();
        let urgency = of_move + URGENCY_OF_WAITING * waited.min(MOST_WAITING) as f64;
        let urgency = (urgency * 100.0).round() / 100.0;
        Ok(json!({ "action": action, "urgency": urgency, "intent": intent }))
    }
}

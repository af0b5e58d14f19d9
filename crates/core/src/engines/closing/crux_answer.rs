//! Answers of participants to the questions that several of them named as the crux.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use crate::engines::closing::context::ClosingContext;
use crate::engines::closing::last_words::{check_text, closing_turn, condition};
use crate::engines::shared::view_prompts;
use crate::engines::talk::copied_words::words_of_side;
use crate::engines::talk::replies::criteria::{StatedCriterion, criterion, settled_by_condition};
use crate::engines::talk::replies::decode::{MAX_REFUSED, StatedSide, stance};
use crate::engines::talk::replies::schema::StanceReply;
use crate::events::event::Event;
use crate::events::ids::DisputeId;
use crate::events::turn::Move;
use crate::kernel::reply::Unreadable;

/// Reply to `answer`.
#[derive(Deserialize, JsonSchema)]
pub struct CruxAnswerReply {
    /// The words said aloud, in the voice of the speaker.
    pub text: String,
    /// Stances of the speaker on the questions.
    #[serde(default)]
    pub stances: Vec<StanceReply>,
    /// The words of `text` that say what would change the speaker's mind, copied exactly: an entry for each question.
    #[serde(default, deserialize_with = "one_or_several")]
    pub would_change: Vec<String>,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// Reads a list of texts; a single text, or null, may stand for one.
fn one_or_several<'de, D: Deserializer<'de>>(reply: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Several(Vec<Option<String>>),
        One(Option<String>),
    }
    Ok(match Given::deserialize(reply)? {
        Given::Several(texts) => texts.into_iter().flatten().collect(),
        Given::One(text) => text.into_iter().collect(),
    })
}

/// Decodes an answer into its turn, the sides that it takes, the criteria that it names, and the condition for a change of
/// mind.
///
/// # Errors
/// [`Unreadable`] if the text is empty or too long, or repeats a turn of somebody else.
pub fn answered(at: &ClosingContext, reply: CruxAnswerReply) -> Result<Vec<Event>, Unreadable> {
    let text = check_text(at, &reply.text)?;
    let (mut facts, mut refused, mut seen) = (Vec::new(), Vec::new(), Vec::new());
    for told in &reply.stances {
        let dispute = told.dispute.trim().parse::<DisputeId>().ok().filter(|dispute| at.shared.contains(dispute));
        let dispute = match dispute {
            None => {
                let named = view_prompts::excerpt(&told.dispute);
                refused.push(format!("takes a side on {named}, which was not asked"));
                continue;
            }
            Some(dispute) if seen.contains(&dispute) => {
                refused.push(format!("takes two sides on {dispute}"));
                continue;
            }
            Some(dispute) => dispute,
        };
        seen.push(dispute);
        let side = told.side.into();
        match words_of_side((at.disputes, at.names), (at.speaker, text, &told.words), (dispute, side)) {
            Ok(words) => {
                let side = StatedSide { dispute, side, confidence: told.confidence, words };
                facts.extend(stance(at.disputes, at.speaker, at.turn, side));
            }
            Err(reason) => refused.push(reason),
        }
        let stated =
            StatedCriterion { dispute, speaker: at.speaker, turn: at.turn, text, copied: told.settled_by.as_deref() };
        facts.extend(criterion(at.disputes, at.names, stated).unwrap_or_else(|reason| {
            refused.push(reason);
            None
        }));
    }
    let only = match at.shared.as_slice() {
        [dispute] => Some(*dispute),
        _ => None,
    };
    let conditions: Vec<&String> = reply.would_change.iter().filter(|words| !words.trim().is_empty()).collect();
    let most = at.shared.len().max(1);
    if conditions.len() > most {
        refused.push(format!("{} conditions, of which the first {most} are considered", conditions.len()));
    }
    for words in conditions.into_iter().take(most) {
        let about = settled_by_condition(&reply.stances, words).filter(|dispute| seen.contains(dispute)).or(only);
        facts.extend(condition(at, text, Some(words), about, &mut refused));
    }
    refused.truncate(MAX_REFUSED);
    let turn = closing_turn(at, text, Move::Clarify, &reply.passages, refused);
    Ok(std::iter::once(turn).chain(facts).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engines::shared::view_prompts::DisplayNames;
    use crate::engines::talk::replies::decode::noted;
    use crate::engines::talk::sample::{persona, talk};
    use crate::events::dispute::DisputeRaised;
    use crate::events::ids::TurnId;
    use crate::events::summary::Summarize;

    /// Decodes a reply of ada to the question of d2, beside the topic d1 and another dispute d3.
    fn read(stances: serde_json::Value, would_change: Option<&str>) -> Vec<String> {
        let mut talk = talk(&["ada", "ben"], &["ada: a", "ben: b"]);
        for question in ["Should the ferry run at night?", "Can the crews refuse?", "Should proposal p1 stand?"] {
            let dispute = talk.disputes.next_dispute();
            talk.evolve(&noted(&Event::DisputeRaised(DisputeRaised::bare(dispute, question, dispute == DisputeId(1)))));
        }
        let (speaker, names) = (persona("ada"), DisplayNames::new(&talk.participants));
        let at = ClosingContext {
            transcript: &talk.transcript,
            heard: &talk.transcript,
            topic: (DisputeId(1), "Should the ferry run at night?"),
            disputes: &talk.disputes,
            shared: vec![DisputeId(2)],
            cruxes: &talk.cruxes,
            names: &names,
            turn: TurnId(3),
            speaker: &speaker,
            round: 1,
            grounds: &[],
        };
        let text = "They cannot refuse. I disagree with Ada. A year of rosters would settle it, and change my mind.";
        let reply = json!({ "text": text, "stances": stances, "would_change": would_change });
        let facts = answered(&at, serde_json::from_value(reply).expect("a reply")).expect("an answer");
        facts
            .iter()
            .map(|fact| match fact {
                Event::TurnTaken(turn) => turn.refused.join("; "),
                Event::StanceTaken(stance) => stance.summary(),
                Event::DisputeRevised(revised) => revised.criteria.join("; "),
                Event::FlipConditionStated(stated) => format!("{:?}: {}", stated.dispute, stated.quote),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn conditions_are_given_alone_or_in_a_list() {
        let read = |given: serde_json::Value| {
            let reply: CruxAnswerReply =
                serde_json::from_value(json!({ "text": "It is so.", "would_change": given })).expect("a reply");
            reply.would_change
        };
        assert_eq!(read(json!(null)), Vec::<String>::new());
        assert_eq!(read(json!("a year")), ["a year"]);
        assert_eq!(read(json!(["a year", null, "a month"])), ["a year", "a month"]);
    }

    #[test]
    fn an_answer_takes_sides_only_on_what_was_asked() {
        let side = |dispute: &str, words: &str| json!({ "dispute": dispute, "side": "no", "words": words });
        let condition = "A year of rosters would settle it, and change my mind";
        assert_eq!(
            read(json!([side("d2", "They cannot refuse"), side("d3", "They cannot refuse")]), Some(condition)),
            [
                "takes a side on \"d3\", which was not asked",
                "d2 ada no in t3",
                "Some(DisputeId(2)): A year of rosters would settle it, and change my mind",
            ]
        );
        assert_eq!(
            read(json!([side("d1", "They cannot refuse"), side("d2", "The tide")]), None),
            [
                "takes a side on \"d1\", which was not asked; states a side on d2 in \"The tide\", which the text does not \
                 contain"
            ]
        );
        assert_eq!(
            read(json!([side("d2", "I disagree with Ada.")]), None),
            ["states the side no on d2 in \"I disagree with Ada.\", which answers its own speaker"]
        );
        let settled = json!({ "dispute": "d2", "side": "no", "words": "They cannot refuse",
            "settled_by": "A year of rosters would settle it" });
        assert_eq!(
            read(json!([settled, side("d2", "They cannot refuse")]), None),
            ["takes two sides on d2", "d2 ada no in t3", "ada in t3: \"A year of rosters would settle it\""]
        );
    }
}

//! Last words: where a participant stands on the topic at the end, the crux, and what would change their mind.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::engines::closing::context::ClosingContext;
use crate::engines::shared::view_prompts;
use crate::engines::talk::crux_naming::{NamedCrux, NamingTurn, name_crux};
use crate::engines::talk::ground_given::check_address;
use crate::engines::talk::replies::echoes;
use crate::engines::talk::replies::schema::StanceReply;
use crate::events::dispute::{Side, StanceTaken};
use crate::events::event::Event;
use crate::events::ids::DisputeId;
use crate::events::turn::{FlipConditionStated, Move, TurnTaken};
use crate::kernel::quotations::turn_quotes;
use crate::kernel::reply::Unreadable;
use crate::questions::stated_answer::why_not;
use crate::questions::wording::asks_the_same;

/// Maximum length of last words, in bytes; longer ones make the reply unreadable.
const MAX_TEXT_BYTES: usize = 4_000;

/// Reply to `close`.
#[derive(Deserialize, JsonSchema)]
pub struct LastWordsReply {
    /// The words said aloud, in the voice of the speaker.
    pub text: String,
    /// Stance of the speaker on the topic at the end.
    #[serde(default)]
    pub stances: Vec<StanceReply>,
    /// The words of `text` that say what the disagreement comes down to, copied exactly.
    #[serde(default)]
    pub core_words: Option<String>,
    /// The question that it comes down to, in one sentence.
    #[serde(default)]
    pub core_question: Option<String>,
    /// The words of `text` that say what would change the speaker's mind, copied exactly.
    #[serde(default)]
    pub would_change: Option<String>,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// Decodes last words into their turn, the stance on the topic, the crux, and the condition for a change of mind, if they
/// state them.
///
/// # Errors
/// [`Unreadable`] if the text is empty or too long, or repeats a turn of somebody else. Last words may say again what
/// their speaker said.
pub fn closed(at: &ClosingContext, reply: LastWordsReply) -> Result<Vec<Event>, Unreadable> {
    let text = check_text(at, &reply.text)?;
    let mut refused = Vec::new();
    let is_topic =
        |told: &StanceReply| told.dispute.trim().parse::<DisputeId>().is_ok_and(|dispute| dispute == at.topic.0);
    let told = reply.stances.iter().find(|told| is_topic(told));
    let taken = told.and_then(|told| stance(at, text, told.side.into(), &told.words, &mut refused));
    let crux = crux(at, text, &reply, &mut refused);
    let condition = condition(at, text, reply.would_change.as_deref(), None, &mut refused);
    let made = if matches!(crux, Some(Event::CruxProposed(_))) { Move::ProposeCrux } else { Move::Clarify };
    let turn = closing_turn(at, text, made, &reply.passages, refused);
    Ok(std::iter::once(turn).chain(taken).chain(crux).chain(condition).collect())
}

/// Trims the text of a reply and checks it.
///
/// # Errors
/// [`Unreadable`] if it is empty or too long, or repeats a turn of somebody else. Last words may say again what their
/// speaker said.
pub fn check_text<'a>(at: &ClosingContext, text: &'a str) -> Result<&'a str, Unreadable> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Unreadable::because("the text is empty").advise("write your last words"));
    }
    if text.len() > MAX_TEXT_BYTES {
        let n = text.len();
        return Err(Unreadable::because(format!("the text has {n} bytes; at most {MAX_TEXT_BYTES} are allowed")));
    }
    echoes::refuse_others(text, at.transcript, at.speaker)?;
    Ok(text)
}

/// Returns the turn that a reply becomes, with the reasons for which parts of it were refused.
pub fn closing_turn(
    at: &ClosingContext,
    text: &str,
    made: Move,
    passages: &[String],
    mut refused: Vec<String>,
) -> Event {
    let citations = view_prompts::citations(passages, at.grounds, &mut refused);
    Event::TurnTaken(TurnTaken {
        preparation: None,
        turn: at.turn,
        speaker: at.speaker.clone(),
        round: Some(at.round),
        room: None,
        moves: vec![made],
        move_quotes: Vec::new(),
        answers: None,
        text: text.to_owned(),
        citations,
        dangling: view_prompts::dangling(&refused),
        refused,
    })
}

/// Returns the stance on the topic, in words of the text; none if the text does not contain them, or if they cannot state it.
fn stance(at: &ClosingContext, text: &str, side: Side, copied: &str, refused: &mut Vec<String>) -> Option<Event> {
    let quote = turn_quotes::words(text, copied);
    if quote.is_none() {
        // Nobody needs words to be undecided.
        let reason = || "takes a side on the topic without words of the text".to_owned();
        refused.extend((side != Side::Undecided).then(reason));
        return None;
    }
    // Words that refer to a view count for the one that their speaker stated before, if there is any.
    let can_state = |words: &str| {
        why_not(words, at.topic.1, side.answer(), true).map_or(Ok(()), Err)?;
        check_address(at.names, at.speaker, words)
    };
    if let Some((words, why)) = quote.as_deref().and_then(|it| Some((it, can_state(it).err()?))) {
        let words = view_prompts::excerpt(words);
        refused.push(format!("takes the side {} on the topic in {words}, {why}", side.name()));
        return None;
    }
    let (dispute, speaker, turn) = (at.topic.0, at.speaker.clone(), at.turn);
    Some(Event::StanceTaken(StanceTaken { dispute, speaker, side, turn, statement: None, confidence: None, quote }))
}

/// Returns the crux that the last words name, or the agreement with another participant's. Nobody agrees with what they have
/// not heard: who names the same crux in last words of the same moment proposes it, too.
fn crux(at: &ClosingContext, text: &str, reply: &LastWordsReply, refused: &mut Vec<String>) -> Option<Event> {
    let ClosingContext { speaker, turn, .. } = *at;
    let next = at.cruxes.next_crux();
    let mut heard = at.cruxes.clone();
    heard.cruxes.retain(|_, crux| at.heard.get(crux.proposed.turn).is_some());
    let cruxes = &heard;
    let given = NamedCrux { statement: reply.core_question.as_deref(), words: reply.core_words.as_deref() };
    let asks_topic = |statement: &str| asks_the_same(statement, at.topic.1);
    name_crux(&NamingTurn { cruxes, next, speaker, turn, text }, given, asks_topic).unwrap_or_else(|reason| {
        refused.push(reason);
        None
    })
}

/// Returns the condition for a change of mind on a dispute, or on anything, in words of the text; none if the text does not
/// contain them.
pub fn condition(
    at: &ClosingContext,
    text: &str,
    copied: Option<&str>,
    dispute: Option<DisputeId>,
    refused: &mut Vec<String>,
) -> Option<Event> {
    let copied = copied.filter(|words| !words.trim().is_empty())?;
    let quote = turn_quotes::words(text, copied);
    if quote.is_none() {
        refused.push("states a flip condition without words of the text".into());
    }
    let (speaker, turn) = (at.speaker.clone(), at.turn);
    Some(Event::FlipConditionStated(FlipConditionStated { speaker, turn, quote: quote?, dispute, crux: None }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engines::shared::view_prompts::DisplayNames;
    use crate::engines::talk::sample::{persona, talk};
    use crate::events::ids::TurnId;

    #[test]
    fn a_side_is_taken_in_words_that_can_state_it() {
        let talk = talk(&["ada", "ben"], &["ada: a", "ben: b"]);
        let (speaker, names) = (persona("ada"), DisplayNames::new(&talk.participants));
        let at = ClosingContext {
            transcript: &talk.transcript,
            heard: &talk.transcript,
            topic: (DisputeId(1), "Should the ferry run at night?"),
            disputes: &talk.disputes,
            shared: Vec::new(),
            cruxes: &talk.cruxes,
            names: &names,
            turn: TurnId(3),
            speaker: &speaker,
            round: 1,
            grounds: &[],
        };
        let text = "Thank you, Ben. There is no need to run the ferry at night. I disagree with Ada. Only worse air would \
                    change my mind.";
        let taken = |side: &str, words: &str| {
            let reply = json!({ "text": text, "stances": [{ "dispute": "d1", "side": side, "words": words }] });
            let facts = closed(&at, serde_json::from_value(reply).expect("a reply")).expect("last words");
            match facts.as_slice() {
                [Event::TurnTaken(turn)] => turn.refused.join("; "),
                [Event::TurnTaken(_), Event::StanceTaken(stance)] => stance.quote.clone().unwrap_or_default(),
                other => panic!("{other:?}"),
            }
        };
        let no_need = "There is no need to run the ferry at night.";
        assert_eq!(taken("no", no_need), no_need);
        assert_eq!(
            taken("yes", no_need),
            format!("takes the side yes on the topic in \"{no_need}\", which says the opposite")
        );
        assert_eq!(
            taken("no", "Thank you, Ben."),
            "takes the side no on the topic in \"Thank you, Ben.\", which only thanks"
        );
        assert_eq!(taken("no", "The tide"), "takes a side on the topic without words of the text");
        assert_eq!(
            taken("no", "I disagree with Ada."),
            "takes the side no on the topic in \"I disagree with Ada.\", which answers its own speaker"
        );
        let condition = "Only worse air would change my mind.";
        assert_eq!(
            taken("no", condition),
            format!("takes the side no on the topic in \"{condition}\", which only says what would change a mind")
        );
    }
}

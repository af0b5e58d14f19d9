//! Cruxes that participants name, in words of their own turn.

use crate::engines::talk::copied_words::{named, own_words};
use crate::engines::talk::wording as words;
use crate::events::crux::{CruxAcknowledged, CruxProposed};
use crate::events::event::Event;
use crate::events::ids::{CruxId, PersonaId, TurnId};
use crate::kernel::degenerate::is_crux_of_instructions;
use crate::projections::crux_proposals::{CruxProposals, ProposedCrux};

/// Share of common content words from which two cruxes count as the same.
const SAME_CRUX: f64 = 0.8;
/// Maximum length of a crux, in bytes; a longer one is rejected.
const MAX_CRUX_BYTES: usize = 1_000;

/// Instructions whose words are no crux, hints included.
const INSTRUCTIONS: [&str; 2] = [include_str!("talk.md"), include_str!("../closing/closing.md")];

/// Turn that may name a crux.
pub struct NamingTurn<'a> {
    /// Cruxes proposed so far.
    pub cruxes: &'a CruxProposals,
    /// Id of a new one.
    pub next: CruxId,
    /// Author of the turn.
    pub speaker: &'a PersonaId,
    /// The turn.
    pub turn: TurnId,
    /// Text of the turn.
    pub text: &'a str,
}

/// Crux that a reply names.
#[derive(Clone, Copy)]
pub struct NamedCrux<'a> {
    /// The crux in one sentence.
    pub statement: Option<&'a str>,
    /// Words of the text that name it.
    pub words: Option<&'a str>,
}

/// Decodes a crux that a turn names: a proposal, or, if another participant proposed it before in similar words, the
/// agreement with that proposal. `None` if the reply names none, or the speaker agreed before. `asks_topic` is true for a
/// statement that asks the topic.
///
/// # Errors
/// The reason why the crux is rejected: it is empty or too long, repeats the instructions, asks the topic or
/// somebody, repeats the speaker's own, or the text does not contain its words.
pub fn name_crux(
    at: &NamingTurn,
    given: NamedCrux,
    asks_topic: impl FnOnce(&str) -> bool,
) -> Result<Option<Event>, String> {
    let Some(statement) = named(given.statement) else { return Ok(None) };
    if statement.len() > MAX_CRUX_BYTES {
        return Err(format!("a crux has {} bytes; at most {MAX_CRUX_BYTES} are allowed", statement.len()));
    }
    if INSTRUCTIONS.iter().any(|instructions| is_crux_of_instructions(statement, instructions)) {
        return Err("proposes words of the instructions as the crux".to_owned());
    }
    if asks_topic(statement) {
        return Err("proposes the topic as the crux; a crux decides the topic, and is another question".to_owned());
    }
    if asks_somebody(statement) {
        return Err("proposes a question to somebody as the crux".to_owned());
    }
    let said = words::content_words(statement);
    let is_same =
        |crux: &ProposedCrux| words::jaccard(&said, &words::content_words(&crux.proposed.statement)) >= SAME_CRUX;
    let (speaker, turn) = (at.speaker.clone(), at.turn);
    let own = || own_words(at.text, given.words.unwrap_or_default(), "names a crux").map(Some);
    match at.cruxes.cruxes.iter().find(|(_, crux)| is_same(crux)) {
        Some((crux, it)) if it.proposed.speaker == speaker => Err(format!("proposes {crux} again")),
        Some((_, it)) if it.acknowledged.iter().any(|by| by.speaker == speaker) => Ok(None),
        Some((crux, it)) => {
            let (crux, cites, quote) = (*crux, it.proposed.turn, own()?);
            Ok(Some(Event::CruxAcknowledged(CruxAcknowledged { crux, speaker, turn, cites, quote })))
        }
        None => {
            let (crux, statement, quote) = (at.next, statement.to_owned(), own()?);
            Ok(Some(Event::CruxProposed(CruxProposed { crux, speaker, turn, statement, quote })))
        }
    }
}

/// Returns true for a question that asks what somebody thinks or does: "What do you think about it?" divides nobody.
fn asks_somebody(statement: &str) -> bool {
    let mut asked = statement.split(|letter: char| !letter.is_alphabetic());
    statement.ends_with('?') && asked.any(|word| ["you", "your"].contains(&word.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::sample::{persona, talk};
    use crate::engines::talk::state::Talk;

    const TEXT: &str = "It comes down to one thing. Can the crews refuse? I doubt it.";

    fn named_by(speaker: &str, talk: &Talk, statement: &str, words: &str) -> String {
        let speaker = persona(speaker);
        let next = talk.cruxes.next_crux();
        let at = NamingTurn { cruxes: &talk.cruxes, next, speaker: &speaker, turn: TurnId(9), text: TEXT };
        let given = NamedCrux { statement: Some(statement), words: Some(words) };
        match name_crux(&at, given, |statement| statement == "Should it run?") {
            Ok(None) => "nothing".to_owned(),
            Ok(Some(Event::CruxProposed(it))) => format!("{}: {:?}", it.crux, it.quote.unwrap_or_default()),
            Ok(Some(Event::CruxAcknowledged(it))) => {
                format!("agrees with {} of {}: {:?}", it.crux, it.cites, it.quote.unwrap_or_default())
            }
            Ok(Some(other)) => panic!("{other:?}"),
            Err(reason) => reason,
        }
    }

    #[test]
    fn a_crux_is_named_in_words_of_the_turn() {
        let fresh = talk(&["ada", "ben"], &["ada: a"]);
        let mut proposed = talk(&["ada", "ben"], &["ada: a", "? ada 1: it"]);
        for crux in proposed.cruxes.cruxes.values_mut() {
            crux.proposed.statement = "Can the crews refuse?".to_owned();
        }
        let (question, words) = ("Can the crews refuse?", "can the crews refuse");
        let long = "x".repeat(MAX_CRUX_BYTES + 1);
        for (speaker, talk, statement, words, expected) in [
            ("ada", &fresh, question, "Can the crews refuse?", "c1: \"Can the crews refuse?\""),
            ("ada", &fresh, question, "", "names a crux without the words of the text that say so"),
            ("ada", &fresh, question, "The tide", "names a crux in \"The tide\", which the text does not contain"),
            ("ada", &fresh, " null ", "It comes down", "nothing"),
            ("ada", &proposed, question, "Can the crews refuse?", "proposes c1 again"),
            ("ben", &proposed, question, "Can the crews refuse?", "agrees with c1 of t1: \"Can the crews refuse?\""),
            ("ben", &proposed, question, "", "names a crux without the words of the text that say so"),
            (
                "ben",
                &fresh,
                "Should it run?",
                words,
                "proposes the topic as the crux; a crux decides the topic, and is another question",
            ),
            (
                "ada",
                &fresh,
                "What do you and they really disagree about?",
                words,
                "proposes words of the instructions as the crux",
            ),
            (
                "ada",
                &fresh,
                "What would change my mind, if anything would?",
                words,
                "proposes words of the instructions as the crux",
            ),
            ("ben", &fresh, "What do you think about the crews?", words, "proposes a question to somebody as the crux"),
            ("ben", &fresh, &long, words, "a crux has 1001 bytes; at most 1000 are allowed"),
        ] {
            assert_eq!(named_by(speaker, talk, statement, words), expected, "{speaker}: {statement} in {words:?}");
        }
    }
}

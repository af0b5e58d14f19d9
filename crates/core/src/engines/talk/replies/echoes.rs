//! Detection of echoes: replies that only say again what a turn has said.
//!
//! Weak models copy a turn out of their prompt. Such a reply is no turn: it is requested again with the reason, and after
//! the last attempt its speaker is passed over.

use std::collections::HashMap;

use crate::events::ids::{PersonaId, TurnId};
use crate::kernel::quotations::turn_quotes;
use crate::kernel::reply::Unreadable;
use crate::projections::transcript::{Transcript, Turn};
use crate::questions::common_words::{common_words, common_words_in_order};

/// Share of a reply's words that makes it an echo, if one earlier turn has them in the same order.
const ECHO_SHARE: f64 = 0.8;
/// Minimum number of words of an echo. Short answers such as "No, and I said why" may well come twice.
const MIN_WORDS: usize = 8;

/// Returns the first of the turns that a text repeats. Upper and lower case and punctuation are ignored. Cost: linear in
/// the turns, and for each turn that shares enough words, words of the reply times words of the turn.
fn repeated_turn<'a>(text: &str, said: impl IntoIterator<Item = &'a Turn>) -> Option<&'a Turn> {
    let reply = words(text);
    if reply.len() < MIN_WORDS {
        return None;
    }
    let needed = (reply.len() as f64 * ECHO_SHARE).ceil() as usize;
    said.into_iter().find(|turn| {
        let turn = words(&turn.text);
        common_words(&reply, &turn) >= needed && common_words_in_order(&reply, &turn) >= needed
    })
}

/// Returns the turns whose sentences make up a text, in the order of the text, each once; none if the text has other
/// sentences of its own, beyond a share that an echo may have. Cost: linear in the words of the turns.
fn repeated_sentences<'a>(text: &str, said: impl IntoIterator<Item = &'a Turn>) -> Vec<&'a Turn> {
    let sentences: Vec<Vec<String>> = sentences(text).collect();
    let n_words: usize = sentences.iter().map(Vec::len).sum();
    let mut author: HashMap<Vec<String>, &Turn> = HashMap::new();
    for turn in said {
        for sentence in self::sentences(&turn.text) {
            author.entry(sentence).or_insert(turn);
        }
    }
    let copied = sentences.iter().filter_map(|sentence| Some((sentence.len(), *author.get(sentence)?)));
    let copied: Vec<(usize, &Turn)> = copied.collect();
    let n_copied: usize = copied.iter().map(|(n_words, _)| n_words).sum();
    if n_copied < MIN_WORDS || (n_copied as f64) < n_words as f64 * ECHO_SHARE {
        return Vec::new();
    }
    let mut turns: Vec<&Turn> = Vec::new();
    for (_, turn) in copied {
        if !turns.iter().any(|known| known.turn == turn.turn) {
            turns.push(turn);
        }
    }
    turns
}

/// Refuses a text that repeats an earlier turn of a participant, or consists of sentences of several.
///
/// # Errors
/// [`Unreadable`] of the kind `repeated`, with a reason that is addressed to the model.
pub fn refuse(text: &str, transcript: &Transcript, speaker: &PersonaId) -> Result<(), Unreadable> {
    refuse_among(text, participant_turns(transcript), speaker)
}

/// Refuses a text that repeats an earlier turn of another participant.
///
/// # Errors
/// As [`refuse`].
pub fn refuse_others(text: &str, transcript: &Transcript, speaker: &PersonaId) -> Result<(), Unreadable> {
    let others = participant_turns(transcript).filter(|turn| turn.speaker.as_ref() != Some(speaker));
    refuse_among(text, others, speaker)
}

fn participant_turns(transcript: &Transcript) -> impl Iterator<Item = &Turn> + Clone {
    transcript.turns.iter().filter(|turn| !turn.moves.is_empty())
}

fn refuse_among<'a>(
    text: &str,
    said: impl Iterator<Item = &'a Turn> + Clone,
    speaker: &PersonaId,
) -> Result<(), Unreadable> {
    let reason = match repeated_turn(text, said.clone()) {
        Some(turn) => reason(turn.turn, turn.speaker.as_ref(), speaker),
        None => match repeated_sentences(text, said).as_slice() {
            [] => return Ok(()),
            turns => {
                let turns: Vec<String> = turns.iter().map(|turn| turn.turn.to_string()).collect();
                format!("the text consists of sentences of {}", turns.join(", "))
            }
        },
    };
    Err(Unreadable::repeated(reason).advise("say something that nobody has said yet"))
}

/// Returns the reason for refusing an echo.
fn reason(turn: TurnId, author: Option<&PersonaId>, speaker: &PersonaId) -> String {
    let whose = if author == Some(speaker) { "the speaker's own turn" } else { "the turn" };
    format!("the text repeats {whose} {turn}")
}

/// Returns the words of each sentence of a text.
fn sentences(text: &str) -> impl Iterator<Item = Vec<String>> {
    turn_quotes::sentences(text).into_iter().filter_map(|range| text.get(range)).map(words)
}

fn words(text: &str) -> Vec<String> {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::sample::talk;

    const SAID: &str = "ada: The night boat needs a crew of nine, and the harbour pays for six of them.";

    #[test]
    fn a_reply_with_the_words_of_a_turn_in_their_order_is_an_echo() {
        let earlier = talk(&["ada", "ben"], &["ben: The winter was mild.", SAID]);
        let check = |text: &str, expected: Option<u32>| {
            let found = repeated_turn(text, &earlier.transcript.turns).map(|turn| turn.turn);
            assert_eq!(found, expected.map(TurnId), "{text}");
        };
        check("The night boat needs a crew of nine, and the harbour pays for six of them.", Some(2));
        check("the NIGHT boat needs a crew of nine and the harbour pays for six", Some(2));
        check("Well, the night boat needs a crew of nine and the harbour pays only for six of them.", Some(2));
        check("You say that the harbour pays for six of nine; who paid the other three before the fire?", None);
        check("Of six for pays the harbour and nine of crew a needs boat night the.", None);
        check("The winter was mild.", None);
        check("", None);
    }

    #[test]
    fn a_reply_of_sentences_of_several_turns_is_an_echo() {
        let earlier = talk(&["ada", "ben"], &["ben: The winter was mild. Nobody sailed at night.", SAID]);
        let check = |text: &str, expected: &[u32]| {
            let found = repeated_sentences(text, &earlier.transcript.turns);
            let found: Vec<u32> = found.iter().map(|turn| turn.turn.0).collect();
            assert_eq!(found, expected, "{text}");
        };
        let said = "The night boat needs a crew of nine, and the harbour pays for six of them.";
        check(&format!("{said} The winter was mild."), &[2, 1]);
        check(&format!("The WINTER was mild! Nobody sailed at night. {said}"), &[1, 2]);
        check(&format!("{said} So who paid the other three before the fire in March?"), &[]);
        check("The winter was mild.", &[]);
        check("", &[]);
    }
}

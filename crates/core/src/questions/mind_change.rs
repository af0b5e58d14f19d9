//! Sentences that only say what would change the mind of their speaker. They take no side.

use crate::questions::polarity::DENIALS;
use crate::questions::wording::sentences;

/// Words for a change of mind, in lower case.
const CHANGES: [&str; 3] = ["change my mind", "change my view", "change my position"];
/// Words of which a condition has at least one.
const CONDITIONAL: &[&str] =
    &["if", "unless", "when", "once", "until", "would", "could", "might", "show", "provided", "suppose"];
/// Words behind which a denied change of mind is a condition: "I would not change my mind unless the air got worse."
const EXCEPTING: &[&str] = &["unless", "until"];

/// Returns true if each sentence of the words says what would change the mind of its speaker: "A count of the crew could change
/// my mind." Words that begin with yes or no, or exclude a change ("Nothing would change my mind"), say more. Linear in the words.
pub fn only_states_flip_condition(words: &str) -> bool {
    let mut said = sentences(words).peekable();
    said.peek().is_some() && said.all(states_flip_condition)
}

fn states_flip_condition(sentence: &str) -> bool {
    let sentence = sentence.to_lowercase().replace('\u{2019}', "'");
    let Some(change) = CHANGES.iter().find_map(|change| sentence.find(change)) else { return false };
    let before = sentence.split_at(change).0;
    let clause = before.rsplit_once(',').map_or(before, |(_, clause)| clause);
    let is_denied = has(clause, DENIALS) && !has(&sentence, EXCEPTING);
    is_conditional(&sentence) && !is_denied && !answers(&sentence)
}

/// Returns true if words state a condition, or leave something open.
pub fn is_conditional(words: &str) -> bool {
    has(&words.to_lowercase(), CONDITIONAL)
}

/// Returns true if words begin with yes or no.
pub fn answers(words: &str) -> bool {
    spoken(&words.to_lowercase()).next().is_some_and(|first| ["yes", "no"].contains(&first))
}

fn has(lower: &str, wanted: &[&str]) -> bool {
    spoken(lower).any(|word| wanted.contains(&word))
}

fn spoken(words: &str) -> impl Iterator<Item = &str> {
    let words = words.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    words.map(|word| word.trim_matches('\'')).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_for_a_change_of_mind_takes_no_side() {
        for (words, expected) in [
            ("I would change my mind if the air got worse.", true),
            ("If the air does not get better, I would change my mind.", true),
            ("Only a count of the crew could change my mind.", true),
            ("'If' is a small word, and yet a count would change my mind.", true),
            ("I would not change my mind unless the air got worse.", true),
            ("A count could change my view. A year of rosters might change my position, too.", true),
            ("I have changed my mind.", false),
            ("I change my mind: it should run.", false),
            ("If the air gets worse, close it.", false),
            ("Nothing would change my mind.", false),
            ("I wouldn\u{2019}t change my mind even if the air got worse.", false),
            ("No, only worse air would change my mind.", false),
            ("It should run. Only worse air would change my mind.", false),
            ("", false),
        ] {
            assert_eq!(only_states_flip_condition(words), expected, "{words}");
        }
    }
}

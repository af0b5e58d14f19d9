//! Names of the sentences of turns and issues, such as `t3.2` and `i1.2`.

use faultline_core::kernel::quotations::turn_quotes;
use faultline_core::kernel::task::TurnInput;

/// Returns the names of the sentences in which some words stand, in order; empty if the turn does not contain them.
pub fn names_of(turn: &TurnInput, words: &str) -> Vec<String> {
    sentences_with(&turn.alias, &turn.text, words)
}

/// Returns the name of the first sentence in which some words stand.
pub fn name_of(turn: &TurnInput, words: &str) -> Option<String> {
    names_of(turn, words).into_iter().next()
}

/// Returns the name of the first sentence of a text in which some words stand.
pub fn sentence_with(alias: &str, text: &str, words: &str) -> Option<String> {
    sentences_with(alias, text, words).into_iter().next()
}

fn sentences_with(alias: &str, text: &str, words: &str) -> Vec<String> {
    let Some(from) = text.find(words) else { return Vec::new() };
    let to = from + words.len();
    let sentences = turn_quotes::sentences(text).into_iter().enumerate();
    let within = sentences.filter(|(_, sentence)| sentence.start < to && from < sentence.end);
    within.map(|(at, _)| format!("{alias}.{}", at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_named_by_their_sentences() {
        let text = "It rains. It has rained since noon. The quay is wet.".to_owned();
        let turn = TurnInput {
            alias: "t3".to_owned(),
            speaker: None,
            moves: Vec::new(),
            answers: None,
            text,
            room: None,
            fresh: true,
        };
        assert_eq!(names_of(&turn, "It rains."), ["t3.1"]);
        assert_eq!(names_of(&turn, "It has rained since noon. The quay is wet."), ["t3.2", "t3.3"]);
        assert_eq!(names_of(&turn, "rained since"), ["t3.2"]);
        assert_eq!(name_of(&turn, "It snows."), None);
    }
}

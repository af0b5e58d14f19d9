//! Answers that words give by an attitude to what a question proposes.
//!
//! "There is no need to build a barrier" and "I am against building a barrier" say no to "Should the town build a tidal
//! barrier?". Only words that add nothing to those of the question tell: there may be no need to build a barrier of steel.

use crate::questions::polarity::DENIALS;
use crate::questions::wording::TextFeatures;

/// First words of questions that propose something.
const PROPOSING: &[&str] = &["should", "must", "ought", "shall"];
/// Words of an attitude that wants what is proposed.
const WANTING: &[&str] = &["need", "needs", "needed", "necessary", "required", "support", "favour", "favor", "endorse"];
/// Words of an attitude that does not.
const UNWANTING: &[&str] = &["against", "oppose", "opposed", "reject", "unnecessary", "needless"];
/// Attitudes to the deed behind them: "I disagree with closing the centre". Alone they may answer somebody else: "I disagree, the
/// city should close it."
const AGREEING: &[(&str, bool)] = &[("agree", true), ("disagree", false)];
/// Words that only stress a statement.
const STRESSING: &[&str] = &[
    "absolutely",
    "also",
    "certainly",
    "clearly",
    "definitely",
    "firmly",
    "just",
    "really",
    "simply",
    "still",
    "strongly",
    "therefore",
];
/// Number of content words of the question that the words repeat at least: what is done, and to what.
const FEWEST_REPEATED: usize = 2;

/// Returns the answer that a statement gives by its attitude to what the question proposes: true for yes, false for no. `None`
/// if it has none, or says anything else. Linear in the statement, times the question.
pub fn answer_by_attitude(question: &TextFeatures, statement: &TextFeatures) -> Option<bool> {
    let is_proposal = question.words.first().is_some_and(|word| PROPOSING.contains(&word.as_str()));
    let has_choice = question.words.iter().any(|word| word == "or" || is_denial(word));
    // A word of the question is no attitude to it: "Should the town build a wall against the sea?"
    let is_own = |ix: &usize| !question.words.contains(&statement.words[*ix]);
    let attitude = |ix: usize| attitude(&statement.words[ix..]);
    let attitudes: Vec<bool> = (0..statement.words.len()).filter(is_own).filter_map(attitude).collect();
    let ([wants], true, false) = (attitudes.as_slice(), is_proposal, has_choice) else { return None };
    let mut repeated = Vec::new();
    let others = (0..statement.words.len()).filter(|ix| attitude(*ix).is_none());
    for word in others.map(|ix| without_ending(&statement.words[ix])).filter(|word| says_something(word)) {
        let of_question = question.words.iter().find(|asked| TextFeatures::is_full(asked) && is_form(asked, word))?;
        if !repeated.contains(&of_question) {
            repeated.push(of_question);
        }
    }
    let n_denials = statement.words.iter().filter(|word| is_denial(word)).count();
    match (wants, n_denials) {
        _ if repeated.len() < FEWEST_REPEATED => None,
        (wants, 0) => Some(*wants),
        (true, 1) => Some(false),
        // Who is not against something need not be for it.
        _ => None,
    }
}

/// Returns the attitude of the first of these words.
fn attitude(words: &[String]) -> Option<bool> {
    let word = words.first()?.as_str();
    let is_with_deed = matches!(words, [_, with, deed, ..] if with == "with" && deed.ends_with("ing"));
    let agrees = AGREEING.iter().find(|(known, _)| is_with_deed && *known == word).map(|(_, wants)| *wants);
    agrees.or(WANTING.contains(&word).then_some(true)).or(UNWANTING.contains(&word).then_some(false))
}

fn is_denial(word: &str) -> bool {
    DENIALS.contains(&word)
}

fn says_something(word: &str) -> bool {
    TextFeatures::is_full(word) && !is_denial(word) && !STRESSING.contains(&word)
}

/// Returns a word without a verb that is contracted with it: "there" of "there's".
fn without_ending(word: &str) -> &str {
    if is_denial(word) { word } else { word.split_once('\'').map_or(word, |(word, _)| word) }
}

/// Returns true if a word is that of the question or its form in "ing": "building" of "build", "closing" of "close".
fn is_form(asked: &str, word: &str) -> bool {
    let is_stem = |stem: &str| {
        asked == stem
            || asked.strip_suffix('e') == Some(stem)
            || stem.strip_suffix(|last| asked.ends_with(last)) == Some(asked)
    };
    asked == word || word.strip_suffix("ing").is_some_and(is_stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attitude_to_what_a_question_proposes_answers_it() {
        const BUILD: &str = "Should the town build a tidal barrier?";
        for (question, words, expected) in [
            (BUILD, "There is no need to build a tidal barrier.", Some(false)),
            (BUILD, "There's no need to build a barrier", Some(false)),
            (BUILD, "Building a tidal barrier is not necessary.", Some(false)),
            (BUILD, "Building a barrier is simply unnecessary.", Some(false)),
            (BUILD, "I am against building a tidal barrier.", Some(false)),
            (BUILD, "I oppose building the barrier.", Some(false)),
            (BUILD, "I don't support building the barrier.", Some(false)),
            (BUILD, "We need to build the tidal barrier.", Some(true)),
            (BUILD, "The town needs to build a barrier.", Some(true)),
            (BUILD, "I am strongly in favour of building a barrier.", Some(true)),
            ("Should the city close its centre to cars?", "I support closing the centre.", Some(true)),
            ("Should the city close its centre to cars?", "There is no need to close the centre.", Some(false)),
            ("Should the city close its centre to cars?", "I am against closing it to cars.", Some(false)),
            ("Should the port stop trawling?", "There is no need to stop trawling.", Some(false)),
            ("Should the town plan a barrier?", "I oppose planning a barrier.", Some(false)),
            ("Should the town build a wall against the sea?", "I oppose building a wall against the sea.", Some(false)),
            ("Should the town build a wall against the sea?", "Building a wall against the sea.", None),
            (BUILD, "I am not against building a barrier.", None),
            (BUILD, "There is no need to build a barrier of steel.", None),
            (BUILD, "There is no need to build a barrier yet.", None),
            (BUILD, "There is no need to raise the walls.", None),
            (BUILD, "We need a barrier.", None),
            (BUILD, "I support Otto in building a barrier.", None),
            (BUILD, "Nobody needs to say no to building a barrier.", None),
            (BUILD, "The town should build a barrier.", None),
            ("Does the town need a tidal barrier?", "There is no need for a tidal barrier.", None),
            ("Should the town not build a barrier?", "There is no need to build a barrier.", None),
            ("Should the town build a barrier or a wall?", "I am against building a wall.", None),
        ] {
            let [asked, said] = [question, words].map(TextFeatures::of);
            assert_eq!(answer_by_attitude(&asked, &said), expected, "{question} {words}");
        }
    }
}

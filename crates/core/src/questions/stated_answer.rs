//! Answers that words give to a question by repeating it as a statement, which may be denied ("I disagree that …"), or by an
//! attitude to what it proposes.
//!
//! "The city should keep its centre open to private cars" says no to "Should the city close its centre to private cars?",
//! whatever a model says about the speaker's side. Only words that add nothing to those of the question tell: with any other
//! content word, the statement may be about something else.

use crate::questions::attitude::answer_by_attitude;
use crate::questions::mind_change::only_states_flip_condition;
use crate::questions::polarity::{DENIALS, turns};
use crate::questions::wording::{TextFeatures, only_asks, sentences};

/// Words with which speakers introduce what they state: "I still believe that …".
const AFFIRMING: &str = "i we i'm i'd am do still also firmly strongly therefore so would must say believe think hold maintain \
                         insist argue agree sure certain convinced repeat my view is with you your the claim idea notion";
/// Words of these whose negation denies what follows: "I do not think that …". To be not sure, or not to insist, denies nothing.
const DENIABLE: &str = "i we do still also therefore so believe think agree with you your the claim idea notion";
/// Verbs of opinion behind which "that" is often left out: "I think the city should …".
const OPINION: [&str; 2] = [" think ", " believe "];
/// Words that make a statement depend on something, or report it.
const HEDGES: &[&str] =
    &["if", "unless", "whether", "until", "when", "where", "while", "or", "could", "might", "may", "would"];
/// Words that refer to what a speaker said or thought before: "I keep my view, with that exception."
const REFERRING: &str = "view views position stance opinion mind answer same before earlier unchanged";
/// Content words that say nothing more beside one of these.
const ACCOMPANYING: &str = "my keep keeps kept hold holds maintain stick still already said exception firm not change changed nothing \
                            more add here";
/// Number of words after "thank" from which a sentence says more than that.
const MOST_IN_THANKS: usize = 6;
/// Words with which a sentence may begin that answer somebody else.
const INTERJECTIONS: [&str; 4] = ["yes", "no", "i agree", "i disagree"];
/// Words with which a sentence that begins with thanks says more than that: "Thanks, but no."
const BESIDE_THANKS: &[&str] = &["but", "i", "it", "no", "we", "yes"];
/// Number of content words below which a question is too short to be recognized.
const FEWEST_WORDS: usize = 2;

/// Returns the answer that words give to a question by repeating it as a statement, or by an attitude to what it proposes:
/// true for yes, false for no. `None` if no sentence does, or if two of them differ. Linear in the words, times those of the
/// question.
pub fn stated_answer(question: &str, words: &str) -> Option<bool> {
    let question = TextFeatures::of(question);
    let mut answers = sentences(words).filter_map(|sentence| answer(&question, sentence));
    let first = answers.next()?;
    answers.all(|other| other == first).then_some(first)
}

fn answer(question: &TextFeatures, sentence: &str) -> Option<bool> {
    if sentence.ends_with('?') {
        return None;
    }
    let (stated, reason) = sentence.split_once(" because ").unwrap_or((sentence, ""));
    let Introduced { stated, is_denied } = Introduced::of(without_interjection(stated));
    let statement = TextFeatures::of(stated);
    // "I don't think so because cars are loud but because they are many" denies the reason.
    let denies_reason = is_denied && reason.contains("but because");
    if denies_reason || HEDGES.iter().any(|hedge| has(&statement, hedge) && !has(question, hedge)) {
        return None;
    }
    let repeated = repeated_answer(question, &statement, reason);
    let answer = repeated.or_else(|| answer_by_attitude(question, &statement)).map(|answer| answer != is_denied);
    answer.or_else(|| answer_by_attitude(question, &TextFeatures::of(stated.rsplit_once(", so ")?.1)))
}

/// Returns the answer of a statement that repeats a question, given the reason behind it, which may be empty.
fn repeated_answer(question: &TextFeatures, statement: &TextFeatures, reason: &str) -> Option<bool> {
    // "…, not because cars are loud" denies the reason.
    let denies_reason =
        !reason.is_empty() && statement.words.last().is_some_and(|word| DENIALS.contains(&word.as_str()));
    let compares = has(statement, "than") && !has(question, "than");
    let is_short = question.words.iter().filter(|word| TextFeatures::is_full(word)).count() < FEWEST_WORDS;
    // "The church is older than the bridge" does not repeat "Is the bridge older than the church?".
    if is_short || compares || denies_reason || shared(question, statement) != shared(statement, question) {
        return None;
    }
    let turned = turns(question, statement);
    (turned.left == 0).then(|| !turned.is_odd())
}

/// Returns a sentence without the "yes", "no" or "I disagree" before it, which may answer somebody else: "No, it should not."
fn without_interjection(sentence: &str) -> &str {
    let answers = |first: &str| INTERJECTIONS.iter().any(|it| first.eq_ignore_ascii_case(it));
    match sentence.split_once([',', ':']) {
        Some((first, rest)) if answers(first) => rest.trim_start(),
        _ => sentence,
    }
}

/// Returns the content words that another text has, too, in order.
fn shared<'a>(text: &'a TextFeatures, other: &TextFeatures) -> Vec<&'a str> {
    let words = text.words.iter().map(String::as_str);
    words.filter(|word| TextFeatures::is_full(word) && !DENIALS.contains(word) && has(other, word)).collect()
}

fn has(text: &TextFeatures, word: &str) -> bool {
    text.words.iter().any(|other| other == word)
}

/// Returns true if words repeat a question as a statement of the other answer: "The city should keep its centre open" is no
/// yes to "Should the city close its centre?", whoever takes it for one. `given` is the answer for which they are taken, if
/// it is yes or no.
pub fn says_otherwise(words: &str, question: &str, given: Option<bool>) -> bool {
    given.is_some_and(|given| stated_answer(question, words) == Some(!given))
}

/// Returns the reason why words that do more than ask a question cannot state an answer to it, as a clause: they say
/// otherwise, only thank, only say what would change the mind of their speaker, or only refer to a view of which nothing is
/// recorded. `is_held` is true if the speaker gave the same answer before. `None` if they can.
pub fn why_not(words: &str, question: &str, given: Option<bool>, is_held: bool) -> Option<&'static str> {
    if says_otherwise(words, question, given) {
        Some("which says the opposite")
    } else if only_thanks(words) {
        Some("which only thanks")
    } else if only_states_flip_condition(words) {
        Some("which only says what would change a mind")
    } else if !is_held && only_refers_back(words, question) {
        Some("which refers to a view that was not stated")
    } else {
        None
    }
}

/// Returns true if words can state an answer to a question: they do more than ask it, and nothing of [`why_not`] holds.
pub fn can_state(words: &str, question: &str, given: Option<bool>, is_held: bool) -> bool {
    !only_asks(words, question) && why_not(words, question, given, is_held).is_none()
}

/// Returns true if words do nothing but thank, in each sentence: "Thank you for sharing." They grant nothing, and take no
/// side.
pub fn only_thanks(words: &str) -> bool {
    let spoken = |sentence: &str| {
        let words = sentence.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<Vec<String>>()
    };
    let thanks = |spoken: Vec<String>| {
        let has = |words: &[String], wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
        let (first, rest) = spoken.split_at(1);
        has(first, &["thank", "thanks"]) && rest.len() < MOST_IN_THANKS && !has(rest, BESIDE_THANKS)
    };
    let mut said = sentences(words).map(spoken).filter(|words| !words.is_empty()).peekable();
    said.peek().is_some() && said.all(thanks)
}

/// Returns true if words only refer to what their speaker said before, so that by themselves they answer nothing. Words of
/// the question do not: "We should keep the position" answers "Should we keep the position?".
pub fn only_refers_back(words: &str, question: &str) -> bool {
    let (features, question) = (TextFeatures::of(words), TextFeatures::of(question));
    let content = || features.words.iter().filter(|word| TextFeatures::is_full(word));
    let is_in = |list: &str, word: &str| list.split_whitespace().any(|known| known == word);
    content().any(|word| is_in(REFERRING, word))
        && content().all(|word| is_in(REFERRING, word) || is_in(ACCOMPANYING, word))
        && !content().any(|word| has(&question, word) && !DENIALS.contains(&word.as_str()))
}

/// Statement of a speaker behind "I believe that" and the like; the whole sentence if it does not begin so.
struct Introduced<'a> {
    stated: &'a str,
    /// True if the introduction denies what follows: "I disagree that …".
    is_denied: bool,
}

impl Introduced<'_> {
    fn of(sentence: &str) -> Introduced<'_> {
        let by_opinion = || OPINION.iter().find_map(|verb| Some(sentence.split_at(sentence.find(verb)? + verb.len())));
        let read =
            |(introduction, stated): (&str, _)| denies(introduction).map(|is_denied| Introduced { stated, is_denied });
        let introduced = sentence.split_once(" that ").and_then(read).or_else(|| by_opinion().and_then(read));
        introduced.unwrap_or(Introduced { stated: sentence, is_denied: false })
    }
}

/// Returns true if an introduction denies what follows it, false if it affirms it; `None` if it does neither.
fn denies(introduction: &str) -> Option<bool> {
    let is_in = |list: &str, word: &str| list.split_whitespace().any(|known| known == word);
    let (mut n_disagreements, mut n_negations, mut is_deniable) = (0, 0, true);
    for (ix, word) in introduction.split_whitespace().enumerate() {
        let lower = word.trim_matches(',').to_lowercase().replace('’', "'");
        let is_own = ["i", "we", "i'm", "i'd", "my"].contains(&lower.as_str());
        if ix == 0 && !is_own {
            return None;
        }
        // Names are those of others who are agreed with, or not.
        let is_name = word.starts_with(char::is_uppercase) && !is_own;
        if lower == "disagree" {
            n_disagreements += 1;
        } else if DENIALS.contains(&lower.as_str()) {
            n_negations += 1;
        } else if !is_name && !is_in(AFFIRMING, &lower) {
            return None;
        } else {
            is_deniable &= is_name || is_in(DENIABLE, &lower);
        }
    }
    match (n_disagreements, n_negations) {
        (0, 0) => Some(false),
        (1, 0) => Some(true),
        (0, 1) if is_deniable => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_question_answers_it() {
        const CLOSE: &str = "Should the city close its centre to private cars?";
        let check = |question: &str, words: &str, expected: Option<bool>| {
            assert_eq!(stated_answer(question, words), expected, "{question} {words}");
        };
        for (words, expected) in [
            ("The city should close its centre to private cars.", Some(true)),
            ("The city should not close its centre to private cars.", Some(false)),
            ("The city should keep its centre open to private cars", Some(false)),
            ("I agree with Ines Halloran that the city should keep its centre open to private cars.", Some(false)),
            (
                "I firmly believe that the city should close its centre to private cars because buses are slow.",
                Some(true),
            ),
            ("No, the city should close its centre to private cars.", Some(true)),
            ("No, the city should not close its centre to private cars.", Some(false)),
            ("Yes, the city should close its centre to private cars.", Some(true)),
            (
                "The city should close its centre to private cars, not because they are loud but because they are many.",
                None,
            ),
            ("I doubt that the city should close its centre to private cars.", None),
            ("I no longer believe that the city should close its centre to private cars.", None),
            ("If the city should close its centre to private cars, shops will suffer.", None),
            ("Should the city close its centre to private cars?", None),
            (
                "Should the city close its centre to private cars? The city should not close its centre to private cars.",
                Some(false),
            ),
            (
                "The city should close its centre to private cars. The city should not close its centre to private cars.",
                None,
            ),
            ("Some say that the city should close its centre to private cars.", None),
            ("I disagree that the city should close its centre to private cars.", Some(false)),
            ("I strongly disagree that the city should close its centre to private cars.", Some(false)),
            ("I disagree with Otto Brask that the city should close its centre to private cars.", Some(false)),
            ("I disagree with the idea that the city should close its centre to private cars.", Some(false)),
            ("I do not disagree that the city should close its centre to private cars.", None),
            ("I disagree, the city should close its centre to private cars.", Some(true)),
            ("I disagree: the city should close its centre to private cars.", Some(true)),
            ("I disagree with Otto: the city should close its centre to private cars.", None),
            ("I agree, the city should not close its centre to private cars.", Some(false)),
            ("I do not think that the city should close its centre to private cars.", Some(false)),
            ("I don't believe the city should close its centre to private cars.", Some(false)),
            ("I don’t think the city should keep its centre open to private cars.", Some(true)),
            ("We think the city should close its centre to private cars.", Some(true)),
            ("I am not sure that the city should close its centre to private cars.", None),
            ("I do not insist that the city should close its centre to private cars.", None),
            ("I never said that the city should close its centre to private cars.", None),
            ("I don't think the city should close its centre to private cars because trade would suffer.", Some(false)),
            (
                "I don't think the city should close its centre to private cars because they are loud but because they are many.",
                None,
            ),
            ("I disagree with closing the centre to private cars.", Some(false)),
            ("I agree with closing the centre to private cars.", Some(true)),
            ("I don't agree with closing the centre to private cars.", Some(false)),
            ("I disagree with this: the city should close its centre to private cars.", None),
            ("The city should close its centre to private cars on Sundays.", None),
            ("Customers with heavy purchases stay away.", None),
            ("The city should keep its shops.", None),
            ("", None),
        ] {
            check(CLOSE, words, expected);
        }
        const BUILD: &str = "Should the town build a tidal barrier?";
        for (words, expected) in [
            (
                "You're right. The marsh has held the flood for longer than any wall, so there's no need to build a barrier.",
                Some(false),
            ),
            ("I agree with Otto Brask that building a tidal barrier is not necessary.", Some(false)),
            ("If the marsh holds, there is no need to build a barrier.", None),
            ("If the marsh holds, it is enough, so there is no need to build a barrier.", None),
            ("We need to build a barrier. I am against building a barrier.", None),
            ("I disagree that the marsh holds, so we need to build a barrier.", Some(true)),
            ("I don't think there is a need to build a barrier.", Some(false)),
        ] {
            check(BUILD, words, expected);
        }
        check("Should we build wind instead of coal?", "We should build coal instead of wind.", None);
        check("Is the bridge older than the church?", "The church is older than the bridge.", None);
        check("Is the plant safe?", "The plant is unsafe.", Some(false));
        check("Should the ferry not run at night?", "The ferry should run at night.", Some(false));
    }

    #[test]
    fn thanks_answer_nothing() {
        let check = |words: &str| why_not(words, "Should the port close?", Some(true), true);
        for words in ["Thank you for your insights, Ines.", "Thanks!", "Thank you, Ines. Thanks for sharing."] {
            assert_eq!(check(words), Some("which only thanks"), "{words}");
        }
        for words in [
            "Thank you for asking: yes, it should close.",
            "Thank you. It should close.",
            "Thanks, but yes.",
            "Thank you, I agree.",
            "",
        ] {
            assert_eq!(check(words), None, "{words}");
        }
    }

    #[test]
    fn what_would_change_a_mind_answers_nothing() {
        let check = |words: &str| why_not(words, "Should the port close?", Some(true), true);
        assert_eq!(
            check("I would change my mind if trade suffered."),
            Some("which only says what would change a mind")
        );
        assert_eq!(check("It should close. I would change my mind if trade suffered."), None);
    }

    #[test]
    fn words_that_only_refer_to_a_view_answer_nothing() {
        for (words, expected) in [
            ("I keep my view, with that exception.", true),
            ("I have not changed my mind.", true),
            ("I stand where I stood.", false),
            ("I keep the centre open.", false),
            ("No.", false),
            ("It should not.", false),
            ("I have nothing to add.", false),
            ("This should stand.", false),
            ("My answer is the same.", true),
            ("Yes, the same as before.", false),
            ("", false),
        ] {
            assert_eq!(only_refers_back(words, "Should the port close?"), expected, "{words}");
        }
        assert!(!only_refers_back("We should keep the position.", "Should we keep the position?"));
    }
}

//! Cues: the kind of a sentence, inferred by rules over English surface words.
//!
//! The rules see openers ("Admittedly", "I grant that"), modal verbs, connectives and numbers, and nothing else. They
//! never decide what a sentence means, only how it may be used: a concession is not a claim, a flip condition is not a
//! premise, and a sentence that opens with "She" depends on its context. Cost: a few dozen searches per sentence, once.

use crate::offline::text::words::{contains_any_phrase, contains_phrase, plain, words};

/// Surface cues of a sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cues {
    /// Concedes a point to the other side.
    pub concedes: bool,
    /// Names a condition that would change the writer's mind.
    pub flips: bool,
    /// States a norm or a priority.
    pub values: bool,
    /// Gives a reason or draws a consequence.
    pub reasons: bool,
    /// Contains a number.
    pub counts: bool,
    /// Compares or corrects: "more than", "rather than", "is not".
    pub contrasts: bool,
    /// Mentions causes, comparisons or inferences.
    pub corrects: bool,
    /// Contrasts with the preceding text: "but", "even so".
    pub turns: bool,
    /// Asks a question.
    pub asks: bool,
    /// Reports what somebody else says.
    pub reports: bool,
    /// Depends on the sentence before it.
    pub leans: bool,
    /// Refers to the writer.
    pub personal: bool,
    /// Addresses the reader or the occasion, or is too short to state anything.
    pub aside: bool,
}

impl Cues {
    /// Returns true if the sentence may serve as a claim or a ground: it is not a concession, a flip condition, a
    /// question, a report of others or an aside.
    pub fn asserts(&self) -> bool {
        !(self.concedes || self.flips || self.asks || self.reports || self.aside)
    }

    /// Returns true if the sentence concludes something beyond a bare fact.
    pub fn concludes(&self) -> bool {
        self.weight() >= 0.7
    }

    /// Suitability as a claim, from 0 to 1: values score above reasons, reasons and contrasts above bare facts.
    pub fn weight(&self) -> f64 {
        if !self.asserts() {
            return 0.0;
        }
        let kind = if self.values && self.reasons {
            1.0
        } else if self.values {
            0.9
        } else if self.reasons || self.contrasts {
            0.75
        } else {
            0.5
        };
        let lean = if self.leans { 0.5 } else { 0.0 };
        let tale = if self.personal && !self.values { 0.2 } else { 0.0 };
        f64::max(kind - lean - tale, 0.0)
    }
}

#[rustfmt::skip]
const CONCEDES: &[&str] = &[
    "i grant", "granted that", "i concede", "i admit", "i accept that", "i must admit", "are right about",
    "is right about", "you're right", "take my hat off", "no quarrel with", "not argue with", "on our side who",
    "i'd not mock", "i'd not sneer", "i would not sneer", "is no comfort", "are no comfort", "nothing to boast of",
    "i'll not hide", "i could not fault",
];
#[rustfmt::skip]
const CONCEDES_FIRST: &[&str] = &[
    "admittedly", "granted", "to be fair", "it is true", "it's true", "true,", "in fairness", "no doubt",
];
#[rustfmt::skip]
const FLIPS: &[&str] = &[
    "change my mind", "i would be wrong", "i'd be wrong", "think again", "would change my view", "i would give up",
];
#[rustfmt::skip]
const VALUES: &[&str] = &[
    "should", "shouldn't", "must", "mustn't", "ought", "owes", "owe", "matters more", "matter more", "counts more",
    "deserves", "deserve", "never be", "needs to", "need to", "has to", "have to", "is worth", "better to",
];
const REASONS: &[&str] = &["because", "so that", "therefore", "which is why", "hence", "depends on", "means that"];
#[rustfmt::skip]
const CONTRASTS: &[&str] = &[
    "rather than", "instead of", "better than", "worse than", "is not", "isn't", "are not", "aren't", "not the same",
    "does not", "doesn't", "did not", "didn't", "cannot", "can't", "no", "nobody", "nothing", "never", "but",
    "though", "whatever", "neither", "proves", "explains", "cause", "blame", "blamed",
];
#[rustfmt::skip]
const CORRECTS: &[&str] = &[
    "cause", "causes", "caused", "culprit", "blame", "blamed", "explains", "explain", "proves", "prove", "comparing",
    "compare", "comparison", "count", "counting", "measure", "measuring", "measured", "average", "averages", "median",
    "sample", "survey", "evidence", "because", "instead", "rather than", "not the same", "error", "belong", "judged",
    "means", "tells us", "record", "nothing to do",
];
#[rustfmt::skip]
const TURNS: &[&str] = &[
    "but", "still", "even so", "however", "though", "nevertheless", "all the same", "yet", "my reply", "my answer",
    "on the other hand", "trouble is", "instead", "whereas",
];
#[rustfmt::skip]
const REPORTS: &[&str] = &[
    "you'll be told", "you will be told", "i'll be told", "i will be told", "i am told", "people tell me",
    "people say", "they say", "opponents say", "supporters say", "critics say", "it is said", "i hear you say",
    "our friends", "much has been made", "has been held up", "is held up", "the council says", "everybody quotes",
    "everyone quotes", "has heard the", "has heard that", "was said", "they'll tell you", "opponents quote",
];
#[rustfmt::skip]
const LEANS_FIRST: &[&str] = &[
    "he", "she", "it", "they", "his", "her", "their", "its", "this", "that", "these", "those", "such", "both",
    "neither", "but", "and", "so", "then", "even so", "the other", "the others", "the same", "the rest",
    "one of them", "until then", "meanwhile", "failing that", "still", "however", "nevertheless", "either",
    "there we", "once", "by that", "the latter", "the former", "another", "everything else", "anything else", "yes",
    "no,", "i would,", "i would not,", "i wouldn't,", "up", "down", "add it up", "multiply", "not one", "by this",
    "the first", "the two",
];
#[rustfmt::skip]
const LEANS: &[&str] = &[
    "nevertheless", "however", "says so", "say so", "such a", "such an", "as much", "than either", "than both",
];
const LEANS_WITHIN: &[&str] = &["he", "she", "him", "her", "his", "them", "they", "it"];
#[rustfmt::skip]
const ASIDES: &[&str] = &[
    "thanks for", "thank you", "good evening", "dear", "i write", "i remain", "i ask that", "i'll take questions",
    "the editor", "people ask", "sit down", "you ask", "let us", "i've been asked", "i have been asked",
    "if you want to know", "i appear", "ask me", "mind the", "come in", "please", "i mean that", "this letter",
];
#[rustfmt::skip]
const NUMBERS: &[&str] = &[
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty", "sixty",
    "seventy", "eighty", "ninety",
];

/// Detects the cues of a sentence.
pub fn read(sentence: &str) -> Cues {
    let text = plain(sentence);
    let text = text.trim();
    let first = |openers: &[&str]| openers.iter().any(|opener| opens(text, opener));
    let counts = text.contains(|letter: char| letter.is_ascii_digit())
        || contains_phrase(text, "percent")
        || words(text).next().is_some_and(|word| NUMBERS.contains(&word));
    Cues {
        concedes: contains_any_phrase(text, CONCEDES) || first(CONCEDES_FIRST),
        flips: contains_any_phrase(text, FLIPS),
        values: contains_any_phrase(text, VALUES),
        reasons: contains_any_phrase(text, REASONS) || text.contains(", so ") || since(text),
        counts,
        contrasts: contains_any_phrase(text, CONTRASTS),
        corrects: contains_any_phrase(text, CORRECTS),
        turns: contains_any_phrase(text, TURNS) || first(&["nobody", "none", "not one"]),
        asks: text.ends_with('?'),
        reports: contains_any_phrase(text, REPORTS) || reports_of_some(text),
        leans: first(LEANS_FIRST) || leans_within(text) || points_back(text) || contains_any_phrase(text, LEANS),
        personal: contains_any_phrase(text, &["i", "my", "me", "i'm", "i've", "i'd", "i'll", "we", "our", "us"]),
        aside: words(text).count() < 6 || first(ASIDES),
    }
}

/// Returns true if the sentence reports what unnamed people say: "The dispatchers say", "Engineers ask me whether".
fn reports_of_some(text: &str) -> bool {
    let mut words = words(text);
    let first = words.next().unwrap_or_default();
    let some =
        matches!(first, "the" | "our" | "some" | "many" | "people" | "supporters" | "opponents" | "critics" | "much");
    let said = words.take(5).any(|word| matches!(word, "say" | "claim" | "argue" | "insist" | "promise"));
    some && said
        || contains_any_phrase(
            text,
            &["ask me whether", "asks me whether", "asked me whether", "ask whether", "asks whether", "told me that"],
        )
}

/// Returns true if the sentence reports what a named person says: the name, then a verb of saying.
pub fn reports_of(sentence: &str, name: &str) -> bool {
    #[rustfmt::skip]
    const SAYS: &[&str] = &[
        "says", "said", "say", "tells", "tell", "told", "calls", "reads", "asks", "asked", "wants", "thinks",
        "claims", "argues", "quotes", "proposes", "reports", "puts", "put", "will say", "multiplies",
        "has multiplied", "fears", "talk", "talks", "means", "remedy", "observes", "calls that", "proposal",
    ];
    let text = plain(sentence);
    text.match_indices(name).any(|(at, found)| {
        let after = &text[at + found.len()..];
        let near = after.char_indices().nth(32).map_or(after, |(end, _)| &after[..end]);
        contains_any_phrase(near, SAYS)
    })
}

/// Returns true if the sentence, which names somebody, agrees with them.
pub fn agrees(sentence: &str) -> bool {
    #[rustfmt::skip]
    const AGREES: &[&str] = &[
        "is right", "are right", "'s right", "'re right", "was right", "were right", "may be right",
    ];
    let text = plain(sentence);
    AGREES.iter().any(|phrase| text.contains(phrase))
}

fn opens(text: &str, opener: &str) -> bool {
    text.strip_prefix(opener).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Returns true if a pronoun occurs among the first words, before any noun that it could refer to.
fn leans_within(text: &str) -> bool {
    words(text).take(4).any(|word| LEANS_WITHIN.contains(&word)) && !contains_phrase(text, "it is true")
}

/// Returns true if "since" gives a reason, not a date.
fn since(text: &str) -> bool {
    #[rustfmt::skip]
    const DATES: &[&str] = &[
        "then", "before", "last", "january", "february", "march", "april", "may", "june", "july", "august",
    ];
    let words: Vec<&str> = words(text).collect();
    let dated = |word: &str| word.starts_with(|letter: char| letter.is_ascii_digit()) || DATES.contains(&word);
    words.windows(2).any(|pair| pair[0] == "since" && !dated(pair[1]))
}

/// Returns true for a reference to something named before: "with that crank", "one of them", or "for it" near the
/// beginning.
fn points_back(text: &str) -> bool {
    const TO: &[&str] = &["with", "of", "by", "in", "on", "for", "from", "like", "to"];
    let words: Vec<&str> = words(text).collect();
    words.windows(2).enumerate().any(|(at, pair)| {
        TO.contains(&pair[0]) && (matches!(pair[1], "that" | "those" | "them") || pair[1] == "it" && at < 6)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sentence: &str, wanted: &str) {
        let cues = read(sentence);
        let mut found = Vec::new();
        for (name, is) in [
            ("concedes", cues.concedes),
            ("flips", cues.flips),
            ("values", cues.values),
            ("reasons", cues.reasons),
            ("counts", cues.counts),
            ("asks", cues.asks),
            ("reports", cues.reports),
            ("leans", cues.leans),
            ("aside", cues.aside),
        ] {
            if is {
                found.push(name);
            }
        }
        assert_eq!(found.join(" "), wanted, "{sentence:?}");
    }

    #[test]
    fn cues_classify_sentences() {
        check("I grant that the air is sweeter on the quay.", "concedes");
        check("Admittedly, the last bus leaves at nine.", "concedes");
        check("I would change my mind if 300 drivers came back.", "flips counts");
        check("A city should buy buses, because a bus carries seventy.", "values reasons");
        check("She told the committee about the harbour wall.", "leans");
        check("What is a private car to a man with a door to hang?", "asks");
        check("Ask me after a winter.", "aside");
        check("You'll be told that the harbour wall did it.", "reports");
        check("Trucks shake the harbour wall on every market day.", "");
    }

    #[test]
    fn reports_and_agreement_are_found_by_name() {
        assert!(reports_of("Edda says the bread was fine.", "edda"));
        assert!(!reports_of("I lent Edda a stool for the day.", "edda"));
        assert!(agrees("Gus is right that Saltpans got the dirt."));
    }
}

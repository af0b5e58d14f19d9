//! Detection of a corpus's side of the topic.
//!
//! No model reads the corpus; the side is inferred from four kinds of sentence that reveal it by their wording:
//!
//! | sentence | evidence | weight |
//! |----------|----------|--------|
//! | declaration: "I write in support of", "I'm against", "vote no" | states the side | 4 |
//! | answer: the topic's own verb after a modal | "should": yes; "should not": no; "may, where": between | 3 |
//! | flip: "I would change my mind if the shops fell" | a bad outcome: yes; a good outcome: no | 1 |
//! | weighing: "both sides", "neither party", two people reported side by side | between | 1 |
//!
//! The weights are added up. A lead of less than a third means between the sides; a very small sum means undecided. The
//! result is inferred from wording and can be wrong; every debate records the stance together with the claim that is
//! quoted for it. Cost: one pass over the speaker's lines.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde::Serialize;

use crate::offline::corpus::corpus_index::CorpusIndex;
use crate::offline::text::words::{contains_any_phrase, contains_phrase, plain, terms, words};

/// Side of the topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CorpusSide {
    /// For the proposal of the topic.
    Yes,
    /// Against the proposal.
    No,
    /// Between the sides: for a part, or under conditions.
    Nuanced,
    /// Undecided: the corpus does not show a side.
    Undecided,
}

impl CorpusSide {
    /// Returns true if speakers of these sides may attack each other: false if both are for the proposal or both
    /// against it.
    pub fn opposes(self, other: CorpusSide) -> bool {
        !matches!((self, other), (CorpusSide::Yes, CorpusSide::Yes) | (CorpusSide::No, CorpusSide::No))
    }
}

/// Evidence for each side, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Signs {
    /// Evidence for the proposal.
    pub yes: f64,
    /// Evidence against the proposal.
    pub no: f64,
    /// Evidence for a position between the sides.
    pub between: f64,
}

impl Signs {
    /// Returns the side that the evidence supports.
    pub fn side(&self) -> CorpusSide {
        let lead = self.yes - self.no;
        if self.yes + self.no + self.between < LEAST {
            CorpusSide::Undecided
        } else if self.between >= f64::max(self.yes, self.no) || lead.abs() * 3.0 < self.yes + self.no {
            CorpusSide::Nuanced
        } else if lead > 0.0 {
            CorpusSide::Yes
        } else {
            CorpusSide::No
        }
    }

    fn add(&mut self, side: CorpusSide, weight: f64) {
        match side {
            CorpusSide::Yes => self.yes += weight,
            CorpusSide::No => self.no += weight,
            CorpusSide::Nuanced | CorpusSide::Undecided => self.between += weight,
        }
    }
}

const DECLARED: f64 = 4.0;
const ANSWERED: f64 = 3.0;
const FLIPPED: f64 = 1.0;
const WEIGHED: f64 = 1.0;
/// Minimum sum of evidence; below it, the side is undecided.
const LEAST: f64 = 2.0;

/// Adds up the evidence in a speaker's passages.
pub fn signs(papers: &CorpusIndex, speaker: usize, topic: &str) -> Signs {
    let topic = Topic::read(topic);
    let mut signs = Signs::default();
    for (place, _) in papers.passages.iter().enumerate().filter(|(_, passage)| passage.speaker == speaker) {
        let mut told = BTreeSet::new();
        for line in papers.of(place) {
            let text = plain(&line.text);
            told.extend(told_of(&line.text));
            if line.cues.flips {
                match outcome(&text) * topic.facing(about(&text)) {
                    -1 => signs.add(CorpusSide::Yes, FLIPPED),
                    1 => signs.add(CorpusSide::No, FLIPPED),
                    _ => {}
                }
            } else if let Some(side) = declared(&text, &topic) {
                signs.add(side, DECLARED);
            } else if let Some(side) = answered(&text, &topic).filter(|_| line.cues.asserts()) {
                signs.add(side, ANSWERED);
            } else if weighs(&text) {
                signs.add(CorpusSide::Nuanced, WEIGHED);
            }
        }
        if told.len() > 1 {
            signs.add(CorpusSide::Nuanced, WEIGHED);
        }
    }
    signs
}

/// Returns the side that a line shows by itself, if it declares one or answers the topic's own question.
pub fn told_by(line: &str, topic: &str) -> Option<CorpusSide> {
    let (text, topic) = (plain(line), Topic::read(topic));
    declared(&text, &topic).or_else(|| answered(&text, &topic))
}

/// Terms of a topic, split into the proposal and what would be given up for it.
struct Topic {
    proposed: Vec<String>,
    given_up: Vec<String>,
}

impl Topic {
    /// Parses a topic. "Should we build a bridge instead of a ferry?" proposes a bridge and gives up a ferry.
    fn read(topic: &str) -> Self {
        let topic = plain(topic);
        let turn = ["instead of", "rather than", "without"].into_iter().find_map(|word| topic.split_once(word));
        let (proposed, rest) = turn.unwrap_or((&topic, ""));
        let given_up = [" when ", " if ", " where ", " unless "]
            .iter()
            .fold(rest, |kept, word| kept.split(word).next().unwrap_or(kept));
        let mut proposed = terms(proposed);
        proposed.extend(terms(&rest[given_up.len()..]));
        Topic { proposed, given_up: terms(given_up) }
    }

    /// Returns 1 if a text is about the proposal or about neither; −1 if it is about what would be given up.
    fn facing(&self, text: &str) -> i32 {
        let found = terms(text);
        let count = |words: &[String]| words.iter().filter(|word| found.contains(word)).count();
        if count(&self.given_up) > count(&self.proposed) { -1 } else { 1 }
    }

    fn touches(&self, text: &str) -> bool {
        let found = terms(text);
        self.proposed.iter().chain(&self.given_up).any(|word| found.contains(word))
    }

    fn turned(&self, side: CorpusSide, text: &str) -> CorpusSide {
        match (side, self.facing(text)) {
            (CorpusSide::Yes, -1) => CorpusSide::No,
            (CorpusSide::No, -1) => CorpusSide::Yes,
            _ => side,
        }
    }
}

/// Returns the side that a line declares outright. The object after "for" or "against" must belong to the topic; "the
/// thing I support" and "vote no" need no object.
fn declared(text: &str, topic: &Topic) -> Option<CorpusSide> {
    #[rustfmt::skip]
    const FOR: &[&str] = &[
        "in support of", "i support", "i'm for", "i am for", "in favour of", "in favor of", "i would vote for",
    ];
    const AGAINST: &[&str] = &["i'm against", "i am against", "i oppose", "i would vote against"];
    const FOR_IT: &[&str] = &["vote yes", "the thing i support", "supporters, me included"];
    const AGAINST_IT: &[&str] = &["vote no", "the thing i oppose", "opponents, me included"];
    let first =
        |cues: &[&str]| cues.iter().filter(|cue| contains_phrase(text, cue)).filter_map(|cue| text.find(cue)).min();
    match (first(FOR_IT), first(AGAINST_IT)) {
        // Example: "Vote no now, and vote yes next year" declares the first.
        (Some(yes), Some(no)) => return Some(if no < yes { CorpusSide::No } else { CorpusSide::Yes }),
        (Some(_), None) => return Some(CorpusSide::Yes),
        (None, Some(_)) => return Some(CorpusSide::No),
        (None, None) => {}
    }
    match (first(FOR), first(AGAINST)) {
        (Some(_), Some(_)) => Some(CorpusSide::Nuanced),
        (Some(at), None) if topic.touches(&text[at..]) => Some(topic.turned(CorpusSide::Yes, &text[at..])),
        (None, Some(at)) if topic.touches(&text[at..]) => Some(topic.turned(CorpusSide::No, &text[at..])),
        _ => None,
    }
}

/// Returns the side from which a line answers the topic's question: a modal verb before a verb of the topic.
fn answered(text: &str, topic: &Topic) -> Option<CorpusSide> {
    #[rustfmt::skip]
    const BETWEEN: &[&str] = &[
        "be", "still", "also", "always", "now", "only", "have", "been", "simply", "not", "never",
    ];
    let words: Vec<&str> = words(text).collect();
    words.iter().enumerate().find_map(|(at, modal)| {
        let refuses_by_itself = matches!(*modal, "shouldn" | "mustn");
        let may = *modal == "may";
        if !(may || refuses_by_itself || matches!(*modal, "should" | "must" | "ought")) {
            return None;
        }
        let after = &words[at + 1..];
        let skipped = after.iter().take_while(|word| BETWEEN.contains(word)).count();
        let verb = terms(after.get(skipped)?);
        if !verb.iter().any(|term| topic.proposed.contains(term)) {
            return None;
        }
        let refuses = refuses_by_itself || after[..skipped].iter().any(|word| matches!(*word, "not" | "never"));
        let bound = contains_any_phrase(text, &["where", "provided", "only if", "unless", "as long as"]);
        Some(match (refuses, may && bound) {
            (true, _) => CorpusSide::No,
            (false, true) => CorpusSide::Nuanced,
            (false, false) => CorpusSide::Yes,
        })
    })
}

/// Returns the subject of a flip condition: the words after "about", up to the condition.
fn about(text: &str) -> &str {
    let from = text.find("about ").map_or(text.len(), |at| at + "about ".len());
    let rest = &text[from..];
    rest.find(" if ").map_or(rest, |end| &rest[..end])
}

/// Cue words of a good outcome, of a bad outcome, of a decrease, and of harms, whose decrease is good.
#[rustfmt::skip]
const WELL: &[&str] = &[
    "stayed", "within", "carried", "carry", "on time", "came through", "better", "could", "nothing", "dropped",
    "came down", "came back", "still had", "signed", "held", "finished", "came true", "dry", "renewed", "publish",
    "published", "elected", "cheap", "beat", "returns to", "sharper", "works", "worked", "improved", "safe", "safer",
    "succeeded", "rose", "recovered", "showed",
];
#[rustfmt::skip]
const BADLY: &[&str] = &[
    "worse", "worsened", "refused", "hid", "hidden", "fault", "faults", "failed", "lost", "lose", "outnumbered",
    "passed", "above", "missed", "drift", "climbed", "no better", "skimming", "wither", "more than", "hurt", "poorer",
    "went back", "died", "broke", "late", "delayed", "closed", "harmed",
];
const FALLS: &[&str] = &["fell", "fewer than", "less than"];
#[rustfmt::skip]
const HARMS: &[&str] = &[
    "harm", "defects", "deaths", "injuries", "refusals", "overruns", "losses", "fines", "corrections", "accidents",
];

/// Returns 1 if a good outcome would change the writer's mind, −1 if a bad one would, and 0 for neither. For a harm, a
/// decrease is good.
fn outcome(text: &str) -> i32 {
    let Some(condition) = condition(text) else { return 0 };
    let count = |cues: &[&str]| cues.iter().filter(|cue| contains_phrase(condition, cue)).count();
    let fall = count(FALLS);
    let (good, bad) = if contains_any_phrase(condition, HARMS) { (fall, 0) } else { (0, fall) };
    match (count(WELL) + good).cmp(&(count(BADLY) + bad)) {
        Ordering::Greater => 1,
        Ordering::Less => -1,
        Ordering::Equal => 0,
    }
}

/// Returns the condition of a flip sentence: the text after "if", up to the consequence.
fn condition(text: &str) -> Option<&str> {
    let rest = match text.strip_prefix("if ") {
        Some(rest) => rest,
        None => text.split_once(" if ")?.1,
    };
    let ends = [", i'd", ", i would", ", because", ", and i", " i'd be wrong", " i would be wrong"];
    Some(ends.iter().fold(rest, |kept, end| kept.split(end).next().unwrap_or(kept)))
}

/// Returns true if a line mentions the sides from the perspective of somebody who takes neither.
fn weighs(text: &str) -> bool {
    #[rustfmt::skip]
    const PARTIES: &[&str] = &[
        "both sides", "both parties", "both camps", "each side", "neither side", "neither party", "either side",
        "either party", "both of you", "each of my friends", "both my friends", "the pair of you", "both sums",
        "where do i agree",
    ];
    contains_any_phrase(text, PARTIES)
}

/// Returns the people whom a sentence reports on: capitalized words before a verb of saying, or said to be right.
fn told_of(written: &str) -> Vec<String> {
    const SAYS: &[&str] = &["says", "thinks", "reads", "calls", "fears", "wants"];
    let words: Vec<&str> = words(written).collect();
    let told = |at: usize| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        let then = words.get(at + 2).copied().unwrap_or_default();
        SAYS.contains(&next) || (next == "is" && then == "right") || (next == "will" && then == "tell")
    };
    let named = |word: &str| word.len() > 2 && word.starts_with(char::is_uppercase);
    (0..words.len()).filter(|at| named(words[*at]) && told(*at)).map(|at| words[at].to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MERGE: &str = "Should software be merged without human review when a machine wrote it?";

    #[test]
    fn sides_are_found_in_single_lines() {
        let check =
            |line: &str, topic: &str, wanted: Option<CorpusSide>| assert_eq!(told_by(line, topic), wanted, "{line:?}");
        check(
            "Machine-written changes should still merge without a human in front of them.",
            MERGE,
            Some(CorpusSide::Yes),
        );
        check("Such work should not be merged until some person has read it.", MERGE, Some(CorpusSide::No));
        check("A change may merge unread where the firm can undo it.", MERGE, Some(CorpusSide::Nuanced));
        check("A team should ask who wrote it.", MERGE, None);
        let close = "Should the city close its centre to private cars?";
        check("I write in support of the closure of the old town to private cars.", close, Some(CorpusSide::Yes));
        check("I'm against the gates and I'm for what they were meant to do.", close, Some(CorpusSide::Nuanced));
        check("Vote no now, read the paper, and vote yes next year if it is good.", close, Some(CorpusSide::No));
        check("I'm for the brass band.", close, None);
    }

    #[test]
    fn flip_conditions_yield_good_or_bad_outcomes() {
        let check = |line: &str, wanted: i32| assert_eq!(outcome(&plain(line)), wanted, "{line:?}");
        check("I would change my mind about the gates if takings fell by a tenth.", -1);
        check("If my till came through within 5 percent, I'd be wrong.", 1);
        check("I would change my mind if harm per payment fell by half.", 1);
        check("I would be wrong about winter.", 0);
        assert_eq!(about("i would be wrong about the plant if it ran"), "the plant");
    }

    #[test]
    fn a_text_about_the_alternative_reverses_the_sign() {
        let topic = Topic::read(MERGE);
        assert_eq!(topic.facing("human review"), -1);
        assert_eq!(topic.facing("merging at night"), 1);
        assert!(CorpusSide::Yes.opposes(CorpusSide::Nuanced) && !CorpusSide::No.opposes(CorpusSide::No));
    }

    #[test]
    fn a_small_lead_is_nuanced_and_little_evidence_is_undecided() {
        let side = |yes, no, between| Signs { yes, no, between }.side();
        assert_eq!(side(4.0, 1.0, 0.0), CorpusSide::Yes);
        assert_eq!(side(4.0, 3.0, 0.0), CorpusSide::Nuanced);
        assert_eq!(side(1.0, 5.0, 6.0), CorpusSide::Nuanced);
        assert_eq!(side(0.0, 1.0, 0.0), CorpusSide::Undecided);
    }
}

//! Which side of the topic a corpus is on.
//!
//! No model reads the corpus, so the side is told by four kinds of sentence that give it away on their surface:
//!
//! | sentence | what it tells |
//! |----------|---------------|
//! | declares: "I write in support of", "I'm against", "vote no" | the side itself |
//! | answers: near the topic, shares its words, holds a modal verb | "should" agrees with the question, "should not" does not, "may where" and "only if" stand between |
//! | flips: "I would change my mind if the shops fell" | turned around: whom a bad outcome would move is for it, whom a good one would move is against it |
//! | weighs: "both sides", "neither party", two people told of in one sentence | stands between |
//!
//! The kinds are added up with weights; a lead of less than a third stands between, next to nothing is undecided. It is a
//! reading of surfaces and can be wrong; every debate records the stance together with the claim that is quoted for it.
//! Cost: one pass over the speaker's lines.

use serde::Serialize;

use crate::providers::offline::papers::{Line, Papers};
use crate::providers::offline::words::{holds, holds_any, plain, terms, words};

/// Which side a corpus is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// For what the topic asks.
    Yes,
    /// Against it.
    No,
    /// Between: for a part, or under conditions.
    Nuanced,
    /// The corpus does not say.
    Undecided,
}

impl Side {
    /// Whether two speakers may tell against each other: not where both are for it, or both against it.
    pub fn opposes(self, other: Side) -> bool {
        !matches!((self, other), (Side::Yes, Side::Yes) | (Side::No, Side::No))
    }
}

/// What speaks for each side, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Signs {
    /// For.
    pub yes: f64,
    /// Against.
    pub no: f64,
    /// Between.
    pub between: f64,
}

impl Signs {
    /// The side on which the signs come out.
    pub fn side(&self) -> Side {
        let lead = self.yes - self.no;
        if self.yes + self.no + self.between < LEAST {
            Side::Undecided
        } else if self.between >= f64::max(self.yes, self.no) || lead.abs() < (self.yes + self.no) / 3.0 {
            Side::Nuanced
        } else if lead > 0.0 {
            Side::Yes
        } else {
            Side::No
        }
    }
}

/// What a declaration or an answer weighs; a flip condition or a weighing sentence weighs less.
const DECLARED: f64 = 4.0;
const ANSWERED: f64 = 3.0;
const FLIPPED: f64 = 1.0;
const WEIGHED: f64 = 0.5;
/// With less than this a corpus does not say.
const LEAST: f64 = 1.5;
/// A line this much about the topic, or sharing two of its words, may answer it.
const NEAR: f64 = 0.3;

/// Adds up what a speaker's lines tell of the side.
pub fn signs(papers: &Papers, speaker: usize, topic: &str) -> Signs {
    let topic = Topic::read(topic);
    let mut signs = Signs::default();
    for line in papers.lines.iter().filter(|it| it.speaker == speaker) {
        let text = plain(&line.text);
        if line.cues.flips {
            match outcome(&text) * topic.facing(about(&text)) {
                -1 => signs.yes += FLIPPED,
                1 => signs.no += FLIPPED,
                _ => {}
            }
            if std::env::var("DBG").is_ok() { println!("   F {} {} [{}] {}", outcome(&text), topic.facing(about(&text)), about(&text), line.text); }
        } else if let Some(side) = declared(&text, &topic).or_else(|| answered(line, &text, &topic)) {
            let weight = if declared(&text, &topic).is_some() { DECLARED } else { ANSWERED };
            if std::env::var("DBG").is_ok() { println!("   {side:?} {weight} {:.2} {}", line.topical, line.text); }
            match side {
                Side::Yes => signs.yes += weight,
                Side::No => signs.no += weight,
                Side::Nuanced | Side::Undecided => signs.between += weight,
            }
        } else if weighs(&line.text, &text) {
            signs.between += WEIGHED;
            if std::env::var("DBG").is_ok() { println!("   W {}", line.text); }
        }
    }
    signs
}

/// A topic cut into what is proposed and what would be given up for it.
struct Topic {
    proposed: Vec<String>,
    given_up: Vec<String>,
}

impl Topic {
    /// "Should we build a bridge instead of a ferry?" proposes a bridge and gives up a ferry.
    fn read(topic: &str) -> Self {
        let topic = plain(topic);
        let turn = ["instead of", "rather than", "without"].into_iter().find_map(|word| topic.split_once(word));
        let (proposed, rest) = turn.unwrap_or((&topic, ""));
        let given_up = [" when ", " if ", " where ", " unless "].iter().fold(rest, |kept, word| kept.split(word).next().unwrap_or(kept));
        let condition = &rest[given_up.len()..];
        let mut proposed = terms(proposed);
        proposed.extend(terms(condition));
        Topic { proposed, given_up: terms(given_up) }
    }

    /// 1 where a text is about what is proposed, or about neither; −1 where it is about what would be given up.
    fn facing(&self, text: &str) -> i32 {
        let found = terms(text);
        let count = |words: &[String]| words.iter().filter(|it| found.contains(it)).count();
        if count(&self.given_up) > count(&self.proposed) { -1 } else { 1 }
    }

    fn shares(&self, text: &str) -> usize {
        let found = terms(text);
        self.proposed.iter().filter(|it| found.contains(it)).count()
    }
}

/// The side that a line declares outright.
fn declared(text: &str, topic: &Topic) -> Option<Side> {
    const FOR: &[&str] = &[
        "in support of", "i support", "i'm for", "i am for", "in favour of", "in favor of", "i support", "vote yes",
        "the thing i support", "supporters, me included", "i'd vote for", "i would vote for",
    ];
    const AGAINST: &[&str] =
        &["i'm against", "i am against", "i oppose", "vote no", "the thing i oppose", "opponents, me included"];
    let first = |cues: &[&str]| cues.iter().filter(|it| holds(text, it)).filter_map(|it| text.find(it)).min();
    let facing = |side: Side, at: usize| match (side, topic.facing(&text[at..])) {
        (Side::Yes, 1) | (Side::No, -1) => Side::Yes,
        _ => Side::No,
    };
    match (first(FOR), first(AGAINST)) {
        (Some(at), None) => Some(facing(Side::Yes, at)),
        (None, Some(at)) => Some(facing(Side::No, at)),
        // "Vote no now, and vote yes next year" declares the first; "I'm against this and for that" stands between.
        (Some(yes), Some(no)) if holds(text, "vote no") => Some(if no < yes { Side::No } else { Side::Yes }),
        (Some(_), Some(_)) => Some(Side::Nuanced),
        (None, None) => None,
    }
}

/// The side from which a line answers the topic's own question.
fn answered(line: &Line, text: &str, topic: &Topic) -> Option<Side> {
    let near = line.topical >= NEAR && topic.shares(text) >= 2;
    if !near || !line.cues.asserts() {
        return None;
    }
    let refuses = ["should not", "shouldn't", "must not", "mustn't", "should never", "must never", "cannot be", "ought not"];
    let facing = topic.facing(text);
    if holds_any(text, &refuses) {
        Some(if facing > 0 { Side::No } else { Side::Yes })
    } else if holds(text, "may") && holds_any(text, &["where", "provided", "only if", "unless", "as long as"]) {
        Some(Side::Nuanced)
    } else if holds_any(text, &["should", "must", "ought to"]) {
        Some(if facing > 0 { Side::Yes } else { Side::No })
    } else {
        None
    }
}

/// What a flip condition is about: the words after "about", up to the condition.
fn about(text: &str) -> &str {
    let from = text.find("about ").map_or(text.len(), |at| at + "about ".len());
    let rest = &text[from..];
    rest.find(" if ").map_or(rest, |end| &rest[..end])
}

/// Whether what would move the writer is a good outcome (1), a bad one (−1) or neither (0).
fn outcome(text: &str) -> i32 {
    const WELL: &[&str] = &[
        "stayed", "within", "carried", "carry", "on time", "came through", "better", "could", "nothing", "dropped",
        "came down", "came back", "still had", "signed", "held", "finished", "came true", "dry", "renewed", "publish",
        "published", "elected", "cheap", "beat", "returns to", "sharper", "works", "worked", "improved", "safe", "safer",
        "succeeded", "rose", "recovered", "showed",
    ];
    const BADLY: &[&str] = &[
        "worse", "worsened", "fell", "refused", "hid", "hidden", "fault", "faults", "failed", "lost", "lose", "outnumbered",
        "passed", "above", "missed", "drift", "climbed", "no better", "skimming", "wither", "more than", "fewer than",
        "less than", "hurt", "poorer", "went back", "died", "broke", "late", "delayed", "closed", "harmed",
    ];
    let Some(condition) = condition(text) else { return 0 };
    let count = |cues: &[&str]| cues.iter().filter(|it| holds(condition, it)).count();
    match count(WELL).cmp(&count(BADLY)) {
        std::cmp::Ordering::Greater => 1,
        std::cmp::Ordering::Less => -1,
        std::cmp::Ordering::Equal => 0,
    }
}

/// The condition of a flip sentence: after "if", up to what would follow from it.
fn condition(text: &str) -> Option<&str> {
    let rest = match text.strip_prefix("if ") {
        Some(rest) => rest,
        None => text.split_once(" if ")?.1,
    };
    let ends = [", i'd", ", i would", ", because", ", and i", " i'd be wrong", " i would be wrong"];
    Some(ends.iter().fold(rest, |kept, end| kept.split(end).next().unwrap_or(kept)))
}

/// Whether a line stands between two sides: says "both" of parties, or tells of two people.
fn weighs(written: &str, text: &str) -> bool {
    const PARTIES: &[&str] = &[
        "both sides", "both parties", "both camps", "each side", "neither side", "neither party", "either side",
        "either party", "both of you", "each of my friends", "both my friends", "the pair of you", "both sums", "my side",
        "where do i agree",
    ];
    holds_any(text, PARTIES) || told_of(written) > 1
}

/// How many people a sentence tells of: capitalized words that are followed by a verb of saying.
fn told_of(written: &str) -> usize {
    const SAYS: &[&str] = &["says", "thinks", "reads", "calls", "is", "fears", "talks"];
    let words: Vec<&str> = words(written).collect();
    let mut told: Vec<&str> = words
        .windows(2)
        .filter(|pair| pair[0].len() > 2 && pair[0].starts_with(char::is_uppercase) && SAYS.contains(&pair[1]))
        .map(|pair| pair[0])
        .collect();
    told.sort_unstable();
    told.dedup();
    told.len()
}

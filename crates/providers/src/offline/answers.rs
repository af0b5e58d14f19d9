//! Answers: how well a passage answers another participant's text, and which of its lines is the claim of the answer.
//!
//! `measure = (passage to passage + best line of the passage to the part) / 2 + names`: two passages on one matter, one
//! of which contains a line close to the very part. In a passage that answers, the line that concludes is the claim and
//! the others are its grounds, so the relatedness of a line itself counts less than its weight as a claim.
//!
//! The measure was chosen on 101 pairs from the shipped corpora, judged by hand (apt 39, loose 34, beside the point
//! 28): correlation 0.52, compared with 0.39 for the relatedness of the line alone. With the thresholds of [`Thresholds`]
//! the attacks of 27 debates were judged again: of 73 different ones 59 were apt, 13 loose and 1 beside the point; of
//! the 55 among them that the judge called valid 52 were apt. Cost: one comparison per line of the passage.
//!
//! [`Thresholds`]: crate::offline::debate::debate::Thresholds

use crate::offline::corpus::corpus_index::IndexedSentence;
use crate::offline::debate::debate::DerivedDebate;
use crate::offline::text::relatedness::{ComparableText, overlap, rounded};

/// Bonus of an answer whose passage names its addressee; penalty if it names only others.
const NAMED: f64 = 0.06;
const MISNAMED: f64 = -0.03;
/// Weights of a claim's strength beyond a bare fact, and of its own relatedness.
const CLAIM: f64 = 0.16;
const NEAR: f64 = 0.2;
/// Weight of a line's favour: the bonus for concessions by others, the penalty for concessions by the writer.
pub const OWN: f64 = 0.3;
/// Reduction of the echo threshold for bare facts.
const BARE: f64 = 0.14;
/// Word overlap from which two lines say the same.
const ECHO: f64 = 0.5;

/// Scores how well a passage answers a part: `aside` is its relatedness to the passage of the part, `reach` that of its
/// closest line to the part, `other` the speaker of the part.
pub fn measure(debate: &DerivedDebate, passage: usize, other: Option<usize>, reach: f64, aside: f64) -> f64 {
    rounded(0.5 * aside + 0.5 * reach + names(debate, passage, other))
}

/// Score of a line as the claim of an answer, in addition to the measure of its passage; `near` is its relatedness to
/// the part.
pub fn claim(debate: &DerivedDebate, line: usize, near: f64) -> f64 {
    let weight = debate.papers.lines[line].cues.weight();
    rounded(CLAIM * (weight - 0.5) + NEAR * near + OWN * debate.favour[line])
}

/// Bonus or penalty for the names in an answer's passage. There is no bonus if the passage concedes a point to the
/// named person.
fn names(debate: &DerivedDebate, passage: usize, other: Option<usize>) -> f64 {
    let named = &debate.papers.passages[passage].names;
    let Some(other) = other.filter(|other| named.contains(other)) else {
        return if named.is_empty() { 0.0 } else { MISNAMED };
    };
    let grants = |sentence: &IndexedSentence| sentence.cues.concedes && sentence.names.contains(&other);
    if debate.papers.of(passage).iter().any(grants) { 0.0 } else { NAMED }
}

/// Returns true if a line repeats a text rather than answering it: almost equal, most words shared, or two shared
/// numbers. The threshold is lower for bare facts than for conclusions.
pub fn echoes(debate: &DerivedDebate, line: usize, text: &ComparableText) -> bool {
    let gauge = &debate.papers.gauge;
    let line = &debate.papers.lines[line];
    let near = gauge.relate(&line.probe, text);
    let limit = debate.floor.echo - if line.cues.concludes() { 0.0 } else { BARE };
    near >= limit || overlap(&line.probe, text) >= ECHO || gauge.numbers(&line.probe, text) > 1
}

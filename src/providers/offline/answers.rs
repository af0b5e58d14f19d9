//! Answers: how well a passage answers something that somebody else said, and which of its lines says so best.
//!
//! `measure = (passage to passage + best line of the passage to the part) / 2 + names`: two passages on one matter, in which
//! something speaks to the very part. Of a passage that answers, the line that concludes is the claim and the others are
//! its grounds, so a line's own nearness counts less than its weight as a claim.
//!
//! The measure was chosen against 101 pairs from the shipped corpora, judged by hand (apt 39, loose 34, beside the point
//! 28): correlation 0.52, where the line's own nearness has 0.39. With the floors of [`Floor`] the attacks of 27 debates
//! were read again: of 73 different ones 59 were apt, 13 loose and 1 beside the point; of the 55 among them that the judge
//! took for valid 52 were apt. Cost: as many comparisons as the passage has lines.
//!
//! [`Floor`]: crate::providers::offline::debate::Floor

use crate::providers::offline::debate::Debate;
use crate::providers::offline::papers::Line;
use crate::providers::offline::relate::{Probe, overlap, rounded};

/// What an answer gains by naming, somewhere in its passage, whom it answers; what it loses by naming only others.
const NAMED: f64 = 0.06;
const MISNAMED: f64 = -0.03;
/// What a claim gains over a bare fact, at the most; and by its own nearness.
const CLAIM: f64 = 0.16;
const NEAR: f64 = 0.2;
/// What an answer gains by being about what others grant its writer, and loses by being about what the writer grants.
pub const OWN: f64 = 0.3;
/// How much sooner a bare fact is the same again.
const BARE: f64 = 0.14;
/// Lines that share this much of their words say the same.
const ECHO: f64 = 0.5;

/// How well a passage answers a part: `aside` is its relatedness to the passage of the part, `reach` that of its nearest
/// line to the part, `other` the speaker of the part.
pub fn measure(debate: &Debate, passage: usize, other: Option<usize>, reach: f64, aside: f64) -> f64 {
    rounded(0.5 * aside + 0.5 * reach + names(debate, passage, other))
}

/// What a line adds as the claim of an answer, beside the measure of its passage; `near` is its relatedness to the part.
pub fn claim(debate: &Debate, line: usize, near: f64) -> f64 {
    let weight = debate.papers.lines[line].cues.weight();
    rounded(CLAIM * (weight - 0.5) + NEAR * near + OWN * debate.favour[line])
}

/// What an answer gains or loses by the names in its passage. Who is granted a point by name is not attacked by name.
fn names(debate: &Debate, passage: usize, other: Option<usize>) -> f64 {
    let named = &debate.papers.passages[passage].names;
    let Some(other) = other.filter(|it| named.contains(it)) else {
        return if named.is_empty() { 0.0 } else { MISNAMED };
    };
    let grants = |it: &Line| it.cues.concedes && it.names.contains(&other);
    if debate.papers.of(passage).iter().any(grants) { 0.0 } else { NAMED }
}

/// Whether a line says the same as a text rather than answers it: almost equal, most words shared, or two numbers. A
/// bare fact need not be as near as a conclusion to be the same fact again.
pub fn echoes(debate: &Debate, line: usize, text: &Probe) -> bool {
    let gauge = &debate.papers.gauge;
    let line = &debate.papers.lines[line];
    let near = gauge.relate(&line.probe, text);
    let limit = debate.floor.echo - if line.cues.concludes() { 0.0 } else { BARE };
    near >= limit || overlap(&line.probe, text) >= ECHO || gauge.numbers(&line.probe, text) > 1
}

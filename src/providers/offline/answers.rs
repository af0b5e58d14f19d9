//! Answers: how well a line answers something that somebody else said.
//!
//! `fit = (passage to passage + line to part) / 2 + names + weight`: two passages on one matter, in them two lines on one
//! matter, favoured where the answer names whom it answers and where it is a claim rather than a bare fact. The shares
//! were set against 101 pairs from the shipped corpora that were judged by hand (apt 39, loose 34, beside the point 28):
//! of the third with the best fit 62 in a hundred were apt and none beside the point, of the worst third 9 were apt.
//! Cost: two comparisons.

use crate::providers::offline::debate::Debate;
use crate::providers::offline::papers::Line;
use crate::providers::offline::relate::{Probe, overlap, rounded};

/// What an answer gains by naming, somewhere in its passage, whom it answers; what it loses by naming only others.
const NAMED: f64 = 0.06;
const MISNAMED: f64 = -0.03;
/// What a claim gains over a bare fact, at the most.
const CLAIM: f64 = 0.16;
/// Above this, two lines are not more on one matter but more the same.
const ENOUGH: f64 = 0.5;
/// Lines that share this much of their words say the same.
const ECHO: f64 = 0.5;

/// How well a line answers: `near` is its relatedness to the part, `aside` that of its passage to the passage of the part,
/// `other` the speaker of the part.
pub fn fit(debate: &Debate, line: usize, other: Option<usize>, near: f64, aside: f64) -> f64 {
    let line = &debate.papers.lines[line];
    let claim = CLAIM * (line.cues.weight() - 0.5);
    rounded(measure(near, aside) + names(debate, line, other) + claim)
}

/// The bare measure of an answer: how much both lines and both passages are on one matter.
pub fn measure(near: f64, aside: f64) -> f64 {
    0.5 * aside + 0.5 * near.min(ENOUGH)
}

/// What an answer gains or loses by the names in its passage. Who is granted a point by name is not attacked by name.
pub fn names(debate: &Debate, line: &Line, other: Option<usize>) -> f64 {
    let passage = &debate.papers.passages[line.passage];
    let Some(other) = other.filter(|it| passage.names.contains(it)) else {
        return if passage.names.is_empty() { 0.0 } else { MISNAMED };
    };
    let grants = debate.papers.of(line.passage).iter().any(|it| it.cues.concedes && it.names.contains(&other));
    if grants { 0.0 } else { NAMED }
}

/// Whether two texts say the same rather than answer each other: almost equal, most words shared, or two numbers.
pub fn echoes(debate: &Debate, one: &Probe, other: &Probe) -> bool {
    let gauge = &debate.papers.gauge;
    gauge.relate(one, other) >= debate.floor.echo || overlap(one, other) >= ECHO || gauge.numbers(one, other) > 1
}

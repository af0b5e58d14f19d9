//! Proposals: splitting a text of quotations into its sentences, and finding objections to them.

use crate::offline::answers;
use crate::offline::debate::debate::DerivedDebate;
use crate::offline::debate::reading::ResolvedTask;
use crate::offline::text::relatedness::{ComparableText, rounded};
use faultline_core::kernel::task::ProposalInput;

/// Sentence of a proposal.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Line in the corpora; `None` for a proposal that is not a quotation.
    pub line: Option<usize>,
    /// Text of the sentence, word for word.
    pub text: String,
    /// Text of the sentence, made comparable.
    pub probe: ComparableText,
}

/// Objection of a speaker to a sentence of a proposal.
#[derive(Clone, Copy, Debug)]
pub struct Objection {
    /// Index of the sentence in the proposal.
    pub unit: usize,
    /// Line of the objection.
    pub line: usize,
    /// Measure of the answer (answers.rs), less the threshold.
    pub above: f64,
    /// Score by which the objection is chosen.
    pub score: f64,
}

impl Unit {
    /// Returns the sentences of a proposal in order: the corpus lines that occur in it, or the whole text if none does.
    pub fn of(debate: &DerivedDebate, reading: &ResolvedTask, proposal: &ProposalInput) -> Vec<Unit> {
        let lines = debate.papers.lines.iter().enumerate();
        let mut found: Vec<(usize, usize)> =
            lines.filter_map(|(at, line)| proposal.text.find(&line.text).map(|place| (place, at))).collect();
        // On several lines at one position the longest is meant; a line inside another one is part of it.
        let length = |at: usize| debate.papers.lines[at].text.len();
        found.sort_by_key(|(place, at)| (*place, usize::MAX - length(*at), *at));
        let mut end = 0;
        found.retain(|(place, at)| {
            let new = *place >= end;
            end = if new { place + length(*at) } else { end };
            new
        });
        if found.is_empty() {
            let (line, probe) = reading.probe(debate, debate.papers.speaker(&proposal.speaker), &proposal.text);
            return vec![Unit { line, text: proposal.text.clone(), probe }];
        }
        let unit = |(_, at): (usize, usize)| {
            let line = &debate.papers.lines[at];
            Unit { line: Some(at), text: line.text.clone(), probe: line.probe.clone() }
        };
        found.into_iter().map(unit).collect()
    }

    /// Returns the author of the sentence.
    pub fn speaker(&self, debate: &DerivedDebate) -> Option<usize> {
        self.line.map(|line| debate.papers.lines[line].speaker)
    }
}

/// Returns the best objection of a speaker to each sentence, strongest first, at most one per passage. Skips sentences
/// that concede something, that are the speaker's own, or that one of the speaker's sentences already qualifies.
pub fn objections(debate: &DerivedDebate, units: &[Unit], speaker: usize) -> Vec<Objection> {
    let open = (0..units.len()).filter(|at| !settled(debate, units, *at, speaker));
    let mut all: Vec<Objection> = open.flat_map(|at| against(debate, units, at, speaker)).collect();
    let text = |objection: &Objection| &debate.papers.lines[objection.line].text;
    all.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| text(one).cmp(text(other))));
    let mut kept: Vec<Objection> = Vec::new();
    for objection in all {
        let passage = |objection: &Objection| debate.papers.lines[objection.line].passage;
        if !kept.iter().any(|earlier| earlier.unit == objection.unit || passage(earlier) == passage(&objection)) {
            kept.push(objection);
        }
    }
    kept
}

fn settled(debate: &DerivedDebate, units: &[Unit], at: usize, speaker: usize) -> bool {
    let own = |unit: &Unit| unit.speaker(debate) == Some(speaker);
    let grants = |unit: &Unit| unit.line.is_some_and(|line| debate.papers.lines[line].cues.concedes);
    let riders = units[at + 1..].iter().take_while(|rider| own(rider) || grants(rider));
    own(&units[at]) || grants(&units[at]) || riders.clone().any(own)
}

/// Collects the lines of the speaker that may be used against a sentence: of each passage that answers it, the lines
/// that conclude, or any line if none does. A critic need not be on the other side, so the threshold is the same for
/// critics between the sides.
fn against(debate: &DerivedDebate, units: &[Unit], at: usize, speaker: usize) -> Vec<Objection> {
    let papers = &debate.papers;
    let (unit, other) = (&units[at], units[at].speaker(debate));
    let home = unit.line.map_or(&unit.probe, |line| &papers.passages[papers.lines[line].passage].probe);
    let mut found = Vec::new();
    for (place, passage) in papers.passages.iter().enumerate().filter(|(_, passage)| passage.speaker == speaker) {
        let aside = papers.gauge.relate(&passage.probe, home);
        let near: Vec<(usize, f64)> =
            passage.lines.clone().map(|at| (at, papers.gauge.relate(&papers.lines[at].probe, &unit.probe))).collect();
        let reach = near.iter().map(|line| line.1).fold(0.0, f64::max);
        let above = answers::measure(debate, place, other, reach, aside) - debate.floor.attack;
        if aside < debate.floor.link || above < 0.0 {
            continue;
        }
        let may = |(line, near): &(usize, f64)| {
            let said = units.iter().any(|unit| unit.line == Some(*line));
            *near >= debate.floor.near && debate.answers(*line) && !said && !answers::echoes(debate, *line, &unit.probe)
        };
        let mut lines: Vec<(usize, f64)> = near.into_iter().filter(may).collect();
        if lines.iter().any(|line| papers.lines[line.0].cues.concludes()) {
            lines.retain(|line| papers.lines[line.0].cues.concludes());
        }
        found.extend(lines.into_iter().map(|(line, near)| {
            let score = rounded(above + answers::claim(debate, line, near));
            Objection { unit: at, line, above, score }
        }));
    }
    found
}

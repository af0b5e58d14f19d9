//! Reading: the arguments, attacks and proposals of a task, found again in the papers or made comparable.

use std::collections::BTreeMap;

use crate::events::argument::Component;
use crate::kernel::task::{ArgumentTold, Work};
use crate::providers::offline::debate::Debate;
use crate::providers::offline::relate::{Gauge, Probe};

/// The texts of a task, made comparable.
#[derive(Debug, Default)]
pub struct Reading {
    /// The arguments told, in order.
    pub arguments: Vec<Told>,
    /// Texts that stand in nobody's papers.
    foreign: BTreeMap<String, Probe>,
}

/// An argument told.
#[derive(Debug)]
pub struct Told {
    /// Whose it is; `None` for somebody who does not take part.
    pub speaker: Option<usize>,
    /// `IN`, `OUT` or `UNDEC`.
    pub label: String,
    /// Its parts, the claim first.
    pub parts: Vec<Part>,
    /// All of it: the passages that its parts are from, where they are known.
    pub whole: Probe,
}

/// A part of an argument told.
#[derive(Debug)]
pub struct Part {
    /// Which part.
    pub component: Component,
    /// Its place in the papers.
    pub line: Option<usize>,
    /// The part, made comparable.
    pub probe: Probe,
}

impl Told {
    /// The part that a text hits, and how near it is to that part. `reaches` says how near the text's passage comes to each
    /// part; a premise or an assumption must be clearly nearer than the claim.
    pub fn hit(&self, gauge: &Gauge, text: &Probe, reaches: &[f64]) -> Option<(Component, f64)> {
        let near: Vec<f64> = self.parts.iter().map(|it| gauge.relate(&it.probe, text)).collect();
        let both = |at: usize| 0.5 * near[at] + 0.5 * reaches[at];
        let best = (1..self.parts.len()).fold(0, |best, at| if both(at) > both(best) { at } else { best });
        let hit = if best > 0 && both(best) >= both(0) + CLEARLY { best } else { 0 };
        self.parts.get(hit).map(|it| (it.component, near[hit]))
    }

    /// Its claim.
    pub fn claim(&self) -> &Part {
        &self.parts[0]
    }
}

/// How much nearer a premise must be than the claim to be what is hit.
pub const CLEARLY: f64 = 0.04;

impl Reading {
    /// The texts of a task that stand in nobody's papers and have to be embedded.
    pub fn foreign(debate: &Debate, work: &Work) -> Vec<String> {
        let known = |text: &String| debate.papers.find(None, text).is_some();
        let mut texts: Vec<String> = texts(work).into_iter().filter(|it| !known(it)).collect();
        texts.sort_unstable();
        texts.dedup();
        texts
    }

    /// Reads the arguments of a task. `vectors` are those of [`Reading::foreign`], in order.
    pub fn read(debate: &Debate, arguments: &[ArgumentTold], foreign: Vec<String>, vectors: &[Vec<f32>]) -> Self {
        let gauge = &debate.papers.gauge;
        let foreign = foreign.into_iter().zip(vectors).map(|(text, vector)| {
            let probe = gauge.probe(&text, vector);
            (text, probe)
        });
        let mut reading = Reading { arguments: Vec::new(), foreign: foreign.collect() };
        reading.arguments = arguments.iter().map(|it| reading.told(debate, it)).collect();
        reading
    }

    /// The same, of other arguments.
    pub fn with(&self, debate: &Debate, arguments: &[ArgumentTold]) -> Self {
        let mut reading = Reading { arguments: Vec::new(), foreign: self.foreign.clone() };
        reading.arguments = arguments.iter().map(|it| reading.told(debate, it)).collect();
        reading
    }

    /// A text of a speaker, made comparable, and its place in the papers.
    pub fn probe(&self, debate: &Debate, speaker: Option<usize>, text: &str) -> (Option<usize>, Probe) {
        match debate.papers.find(speaker, text) {
            Some(line) => (Some(line), debate.papers.lines[line].probe.clone()),
            None => (None, self.foreign.get(text).cloned().unwrap_or_default()),
        }
    }

    fn told(&self, debate: &Debate, argument: &ArgumentTold) -> Told {
        let speaker = debate.papers.speaker(&argument.speaker);
        let numbered = |texts: &[String], part: fn(u32) -> Component| -> Vec<(Component, String)> {
            texts.iter().zip(0..).map(|(text, at)| (part(at), text.clone())).collect()
        };
        let mut texts = vec![(Component::Claim, argument.claim.clone())];
        texts.extend(numbered(&argument.premises, Component::Premise));
        texts.extend(numbered(&argument.assumptions, Component::Assumption));
        let parts: Vec<Part> = texts
            .into_iter()
            .map(|(component, text)| {
                let (line, probe) = self.probe(debate, speaker, &text);
                Part { component, line, probe }
            })
            .collect();
        let home = parts[0].line.map(|it| &debate.papers.passages[debate.papers.lines[it].passage].probe);
        let whole = match home {
            Some(home) => home.clone(),
            None => debate.papers.gauge.join(parts.iter().map(|it| &it.probe)),
        };
        Told { speaker, label: argument.label.clone(), parts, whole }
    }
}

/// Every text of a task that may have to be compared.
fn texts(work: &Work) -> Vec<String> {
    let of = |argument: &ArgumentTold| {
        let rest = argument.premises.iter().chain(&argument.assumptions).cloned();
        std::iter::once(argument.claim.clone()).chain(rest).collect::<Vec<String>>()
    };
    match work {
        Work::Attack { arguments, .. } => arguments.iter().flat_map(of).collect(),
        Work::JudgeAttacks { arguments, attacks } => {
            let told = attacks.iter().flat_map(|it| [it.counter_claim.clone(), it.target_text.clone()]);
            arguments.iter().flat_map(of).chain(told).collect()
        }
        Work::Criticize { proposal } | Work::Synthesize { proposal } => {
            let issues = proposal.issues.iter().map(|it| it.text.clone());
            std::iter::once(proposal.text.clone()).chain(issues).collect()
        }
        Work::Speak(told) | Work::Close(told) => {
            let questions = told.disputes.iter().map(|it| it.question.clone());
            questions.chain(told.cruxes.iter().map(|it| it.statement.clone())).collect()
        }
        Work::Crystallize { arguments, .. } => arguments.iter().flat_map(of).collect(),
        Work::CrystallizeDisputes { reasons, .. } => reasons.iter().map(|it| it.claim.clone()).collect(),
        Work::Compare { pairs } => pairs.iter().flat_map(|it| [it.one.text.clone(), it.other.text.clone()]).collect(),
        Work::OpenWithArguments | Work::OpenTalk | Work::Draft { .. } | Work::Portray(_) => Vec::new(),
    }
}

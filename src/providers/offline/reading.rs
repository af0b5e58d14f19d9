//! Resolution of a task's texts: arguments, attacks and proposals found in the corpora, or made comparable.

use std::collections::BTreeMap;

use crate::events::argument::Component;
use crate::kernel::task::{ArgumentTold, Work};
use crate::providers::offline::debate::Debate;
use crate::providers::offline::relate::{Gauge, Probe};

/// Texts of a task, made comparable.
#[derive(Debug, Default)]
pub struct Reading {
    /// Arguments of the task, in order.
    pub arguments: Vec<Told>,
    /// Texts that occur in no participant's corpus.
    foreign: BTreeMap<String, Probe>,
}

/// Argument of a task.
#[derive(Debug)]
pub struct Told {
    /// Participant who made it; `None` for somebody who does not take part.
    pub speaker: Option<usize>,
    /// `IN`, `OUT` or `UNDEC`.
    pub label: String,
    /// Parts of the argument, the claim first.
    pub parts: Vec<Part>,
    /// Probe of the whole: the claim's passage if it is known, otherwise all parts joined.
    pub whole: Probe,
}

/// Part of an argument of a task.
#[derive(Debug)]
pub struct Part {
    /// Component of the argument.
    pub component: Component,
    /// Line in the corpora.
    pub line: Option<usize>,
    /// Text of the part, made comparable.
    pub probe: Probe,
}

impl Told {
    /// Returns the part that a text attacks, and the relatedness of the text to that part. `reaches` gives, for each
    /// part, the relatedness of the closest line of the text's passage. A premise or an assumption must be clearly
    /// closer than the claim.
    pub fn hit(&self, gauge: &Gauge, text: &Probe, reaches: &[f64]) -> Option<(Component, f64)> {
        let near: Vec<f64> = self.parts.iter().map(|it| gauge.relate(&it.probe, text)).collect();
        let both = |at: usize| 0.5 * near[at] + 0.5 * reaches[at];
        let best = (1..self.parts.len()).fold(0, |best, at| if both(at) > both(best) { at } else { best });
        let hit = if best > 0 && both(best) >= both(0) + CLEARLY { best } else { 0 };
        self.parts.get(hit).map(|it| (it.component, near[hit]))
    }

    /// Returns the claim.
    pub fn claim(&self) -> &Part {
        &self.parts[0]
    }
}

/// Margin by which a premise must be closer than the claim to be the attacked part.
pub const CLEARLY: f64 = 0.04;

impl Reading {
    /// Returns the texts of a task that occur in no participant's corpus and have to be embedded.
    pub fn foreign(debate: &Debate, work: &Work) -> Vec<String> {
        let known = |text: &String| debate.papers.find(None, text).is_some();
        let mut texts: Vec<String> = texts(work).into_iter().filter(|it| !known(it)).collect();
        texts.sort_unstable();
        texts.dedup();
        texts
    }

    /// Resolves the arguments of a task. `vectors` are the embeddings of [`Reading::foreign`], in order.
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

    /// Resolves other arguments with the same foreign texts.
    pub fn with(&self, debate: &Debate, arguments: &[ArgumentTold]) -> Self {
        let mut reading = Reading { arguments: Vec::new(), foreign: self.foreign.clone() };
        reading.arguments = arguments.iter().map(|it| reading.told(debate, it)).collect();
        reading
    }

    /// Returns the line of a speaker's text, if it is known, and the text made comparable.
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

/// Collects every text of a task that may have to be compared.
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

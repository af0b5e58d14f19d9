//! Resolution of a task's texts: arguments, attacks and proposals found in the corpora, or made comparable.

use std::collections::BTreeMap;

use crate::offline::debate::debate::DerivedDebate;
use crate::offline::text::relatedness::{ComparableText, RelatednessMeasure};
use faultline_core::events::argument::ArgumentPart;
use faultline_core::kernel::task::{ArgumentInput, TaskKind};

/// Texts of a task, made comparable.
#[derive(Debug, Default)]
pub struct ResolvedTask {
    /// Arguments of the task, in order.
    pub arguments: Vec<ResolvedArgument>,
    /// Texts that occur in no participant's corpus.
    foreign: BTreeMap<String, ComparableText>,
}

/// Argument of a task.
#[derive(Debug)]
pub struct ResolvedArgument {
    /// Participant who made it; `None` for somebody who does not take part.
    pub speaker: Option<usize>,
    /// `IN`, `OUT` or `UNDEC`.
    pub label: String,
    /// Parts of the argument, the claim first.
    pub parts: Vec<ResolvedPart>,
    /// Probe of the whole: the claim's passage if it is known, otherwise all parts joined.
    pub whole: ComparableText,
}

/// Part of an argument of a task.
#[derive(Debug)]
pub struct ResolvedPart {
    /// Component of the argument.
    pub component: ArgumentPart,
    /// Line in the corpora.
    pub line: Option<usize>,
    /// Text of the part, made comparable.
    pub probe: ComparableText,
}

impl ResolvedArgument {
    /// Returns the part that a text attacks, and the relatedness of the text to that part. `reaches` gives, for each
    /// part, the relatedness of the closest line of the text's passage. A premise or an assumption must be clearly
    /// closer than the claim.
    pub fn hit(
        &self,
        gauge: &RelatednessMeasure,
        text: &ComparableText,
        reaches: &[f64],
    ) -> Option<(ArgumentPart, f64)> {
        let near: Vec<f64> = self.parts.iter().map(|part| gauge.relate(&part.probe, text)).collect();
        let both = |at: usize| 0.5 * near[at] + 0.5 * reaches[at];
        let best = (1..self.parts.len()).fold(0, |best, at| if both(at) > both(best) { at } else { best });
        let hit = if best > 0 && both(best) >= both(0) + CLEARLY { best } else { 0 };
        self.parts.get(hit).map(|part| (part.component, near[hit]))
    }

    /// Returns the claim.
    pub fn claim(&self) -> &ResolvedPart {
        &self.parts[0]
    }
}

/// Margin by which a premise must be closer than the claim to be the attacked part.
pub const CLEARLY: f64 = 0.04;

impl ResolvedTask {
    /// Returns the texts of a task that occur in no participant's corpus and have to be embedded.
    pub fn foreign(debate: &DerivedDebate, work: &TaskKind) -> Vec<String> {
        let known = |text: &String| debate.papers.find(None, text).is_some();
        let mut texts: Vec<String> = texts(work).into_iter().filter(|text| !known(text)).collect();
        texts.sort_unstable();
        texts.dedup();
        texts
    }

    /// Resolves the arguments of a task. `vectors` are the embeddings of [`ResolvedTask::foreign`], in order.
    pub fn read(
        debate: &DerivedDebate,
        arguments: &[ArgumentInput],
        foreign: Vec<String>,
        vectors: &[Vec<f32>],
    ) -> Self {
        let gauge = &debate.papers.gauge;
        let foreign = foreign.into_iter().zip(vectors).map(|(text, vector)| {
            let probe = gauge.probe(&text, vector);
            (text, probe)
        });
        let mut reading = ResolvedTask { arguments: Vec::new(), foreign: foreign.collect() };
        reading.arguments = arguments.iter().map(|argument| reading.told(debate, argument)).collect();
        reading
    }

    /// Resolves other arguments with the same foreign texts.
    pub fn with(&self, debate: &DerivedDebate, arguments: &[ArgumentInput]) -> Self {
        let mut reading = ResolvedTask { arguments: Vec::new(), foreign: self.foreign.clone() };
        reading.arguments = arguments.iter().map(|argument| reading.told(debate, argument)).collect();
        reading
    }

    /// Returns the line of a speaker's text, if it is known, and the text made comparable.
    pub fn probe(&self, debate: &DerivedDebate, speaker: Option<usize>, text: &str) -> (Option<usize>, ComparableText) {
        match debate.papers.find(speaker, text) {
            Some(line) => (Some(line), debate.papers.lines[line].probe.clone()),
            None => (None, self.foreign.get(text).cloned().unwrap_or_default()),
        }
    }

    fn told(&self, debate: &DerivedDebate, argument: &ArgumentInput) -> ResolvedArgument {
        let speaker = debate.papers.speaker(&argument.speaker);
        let numbered = |texts: &[String], part: fn(u32) -> ArgumentPart| -> Vec<(ArgumentPart, String)> {
            texts.iter().zip(0..).map(|(text, at)| (part(at), text.clone())).collect()
        };
        let mut texts = vec![(ArgumentPart::Claim, argument.claim.clone())];
        texts.extend(numbered(&argument.premises, ArgumentPart::Premise));
        texts.extend(numbered(&argument.assumptions, ArgumentPart::Assumption));
        let parts: Vec<ResolvedPart> = texts
            .into_iter()
            .map(|(component, text)| {
                let (line, probe) = self.probe(debate, speaker, &text);
                ResolvedPart { component, line, probe }
            })
            .collect();
        let home = parts[0].line.map(|line| &debate.papers.passages[debate.papers.lines[line].passage].probe);
        let whole = match home {
            Some(home) => home.clone(),
            None => debate.papers.gauge.join(parts.iter().map(|part| &part.probe)),
        };
        ResolvedArgument { speaker, label: argument.label.clone(), parts, whole }
    }
}

/// Collects every text of a task that may have to be compared.
fn texts(work: &TaskKind) -> Vec<String> {
    let of = |argument: &ArgumentInput| {
        let rest = argument.premises.iter().chain(&argument.assumptions).cloned();
        std::iter::once(argument.claim.clone()).chain(rest).collect::<Vec<String>>()
    };
    match work {
        TaskKind::Attack { arguments, .. } => arguments.iter().flat_map(of).collect(),
        TaskKind::JudgeAttacks { arguments, attacks } => {
            let told = attacks.iter().flat_map(|attack| [attack.counter_claim.clone(), attack.target_text.clone()]);
            arguments.iter().flat_map(of).chain(told).collect()
        }
        TaskKind::Criticize { proposal } | TaskKind::Synthesize { proposal } => {
            let issues = proposal.issues.iter().map(|issue| issue.text.clone());
            std::iter::once(proposal.text.clone()).chain(issues).collect()
        }
        TaskKind::Speak(told) | TaskKind::Close(told) => {
            let questions = told.disputes.iter().map(|dispute| dispute.question.clone());
            questions.chain(told.cruxes.iter().map(|crux| crux.statement.clone())).collect()
        }
        TaskKind::Crystallize { arguments, .. } => arguments.iter().flat_map(of).collect(),
        TaskKind::CrystallizeDisputes { reasons, .. } => reasons.iter().map(|reason| reason.claim.clone()).collect(),
        TaskKind::Compare { pairs } => {
            pairs.iter().flat_map(|pair| [pair.one.text.clone(), pair.other.text.clone()]).collect()
        }
        TaskKind::OpenWithArguments | TaskKind::OpenTalk | TaskKind::Draft { .. } | TaskKind::Portray(_) => Vec::new(),
        TaskKind::ReadWords { .. } => Vec::new(),
    }
}

//! Dialectic: a proposal from one corpus, its criticism from another, and the synthesis of both.
//!
//! | role | behaviour |
//! |------|-----------|
//! | generator | quotes its answer to the topic and two demands on different issues |
//! | critic | uses its own lines against the sentences that they answer; has no objection if none is close enough |
//! | synthesizer | qualifies an answered sentence with its answer, or replaces it; keeps all other sentences |
//!
//! A qualified sentence is not criticized again, so a run ends without objection after one or two rounds, unless the
//! proposal is rejected: if every sentence is answered and an issue is critical, the generator starts again with other
//! sentences.

use std::collections::BTreeSet;

use crate::offline::arguments;
use crate::offline::choose::Chooser;
use crate::offline::debate::reading::ResolvedTask;
use crate::offline::phrases;
use crate::offline::proposals;
use crate::offline::proposals::{Objection, Unit};
use crate::offline::stage::OfflineStage;
use faultline_core::kernel::task::ProposalInput;

/// Number of demands of a proposal beside its answer.
const ASKS: usize = 2;
/// Maximum number of issues, and of edge cases and contradictions.
const ISSUES: usize = 4;
const CASES: usize = 2;
/// Margins above the threshold at which an issue is major, and critical.
const MAJOR: f64 = 0.08;
const CRITICAL: f64 = 0.2;

/// Draft of a proposal: fixed phrases and quoted lines in turn.
#[derive(Clone, Debug, Default)]
pub struct ProposalDraft {
    /// Phrases and lines of the proposal.
    pub parts: Vec<TextPart>,
    /// Lines of the reasons.
    pub reasons: Vec<usize>,
}

/// Part of a text.
#[derive(Clone, Debug)]
pub enum TextPart {
    /// Fixed phrase.
    Phrase(&'static str),
    /// Line of a corpus.
    Line(usize),
    /// Text that is not a quotation.
    Foreign(String),
}

/// Criticism of a proposal.
#[derive(Clone, Debug, Default)]
pub struct ProposalCriticism {
    /// Issues, with their severity.
    pub issues: Vec<(Objection, &'static str)>,
    /// Related facts that the proposal does not mention.
    pub edge_cases: Vec<usize>,
    /// Lines that mention the proposal's author by name.
    pub contradictions: Vec<usize>,
    /// `no_objection`, `revise` or `reject`.
    pub recommendation: &'static str,
}

/// Drafts a proposal from the speaker's corpus without the sentences of rejected proposals; `None` if nothing is left.
pub fn draft(
    stage: &OfflineStage,
    speaker: usize,
    rejected: &[ProposalInput],
    chooser: &Chooser,
) -> Option<ProposalDraft> {
    let debate = &stage.debate;
    let lines = &debate.papers.lines;
    let dropped = |at: &usize| rejected.iter().any(|proposal| proposal.text.contains(&lines[*at].text));
    let mut used: BTreeSet<usize> = (0..lines.len()).filter(dropped).collect();
    let answer = arguments::answer(debate, speaker, &used, chooser)?;
    let mut drafted =
        ProposalDraft { parts: vec![TextPart::Phrase(phrases::PROPOSES), TextPart::Line(answer)], reasons: Vec::new() };
    let mut chosen = vec![answer];
    while chosen.len() <= ASKS {
        let fits = |candidate: &&(f64, usize)| {
            let issue = |at: usize| debate.issues.of[lines[at].passage];
            let new = chosen
                .iter()
                .all(|at| issue(*at) != issue(candidate.1) && lines[*at].passage != lines[candidate.1].passage);
            lines[candidate.1].cues.values && new && !used.contains(&candidate.1)
        };
        let open: Vec<&(f64, usize)> = stage.claims[speaker].iter().filter(fits).collect();
        let texts = open.iter().map(|candidate| (candidate.0, lines[candidate.1].text.as_str()));
        let Some(at) = chooser.pick(&format!("ask/{}", chosen.len()), texts) else { break };
        chosen.push(open[at].1);
        drafted.parts.extend([TextPart::Phrase(chooser.phrase("with", phrases::WITH)), TextPart::Line(open[at].1)]);
    }
    used.extend(&chosen);
    let backed = chosen.iter().filter_map(|at| arguments::assemble(debate, *at, &used, false));
    drafted.reasons = backed.map(|argument| argument.premises[0]).collect();
    Some(drafted)
}

/// Criticizes a proposal with the lines of a speaker's corpus.
pub fn criticize(stage: &OfflineStage, units: &[Unit], speaker: usize) -> ProposalCriticism {
    let debate = &stage.debate;
    let papers = &debate.papers;
    let mut objections = proposals::objections(debate, units, speaker);
    objections.truncate(ISSUES);
    if objections.is_empty() {
        return ProposalCriticism { recommendation: "no_objection", ..ProposalCriticism::default() };
    }
    let issues: Vec<(Objection, &'static str)> =
        objections.into_iter().map(|objection| (objection, severity(objection.above))).collect();
    let hit = |at: usize| issues.iter().any(|issue| issue.0.unit == at);
    let critical = issues.iter().any(|issue| issue.1 == "critical");
    let recommendation = if critical && (0..units.len()).all(hit) { "reject" } else { "revise" };
    let raised: Vec<usize> = issues.iter().map(|issue| issue.0.line).collect();
    let mut near: Vec<(f64, usize)> = (0..papers.lines.len())
        .filter(|at| {
            papers.lines[*at].speaker == speaker && papers.lines[*at].is_self_contained() && !raised.contains(at)
        })
        .filter(|at| !units.iter().any(|unit| unit.line == Some(*at)))
        .map(|at| {
            let probe = &papers.lines[at].probe;
            (units.iter().map(|unit| papers.gauge.relate(&unit.probe, probe)).fold(0.0, f64::max), at)
        })
        .filter(|candidate| candidate.0 >= debate.floor.back)
        .collect();
    near.sort_by(|one, other| debate.order(other, one));
    let author = |at: &usize| {
        units.iter().any(|unit| unit.speaker(debate).is_some_and(|speaker| papers.lines[*at].names.contains(&speaker)))
    };
    let mut contradictions: Vec<usize> = near.iter().map(|candidate| candidate.1).filter(author).collect();
    contradictions.truncate(CASES);
    let fact = |at: &usize| !papers.lines[*at].cues.concludes() && !contradictions.contains(at);
    let mut edge_cases: Vec<usize> = near.iter().map(|candidate| candidate.1).filter(fact).collect();
    edge_cases.truncate(CASES);
    ProposalCriticism { issues, edge_cases, contradictions, recommendation }
}

fn severity(above: f64) -> &'static str {
    if above >= CRITICAL {
        "critical"
    } else if above >= MAJOR {
        "major"
    } else {
        "minor"
    }
}

/// Joins a proposal and its issues. Returns the new text and the change for each issue, with the issue's index.
pub fn synthesize(
    stage: &OfflineStage,
    reading: &ResolvedTask,
    units: &[Unit],
    proposal: &ProposalInput,
) -> (Vec<TextPart>, Vec<(usize, Vec<TextPart>)>) {
    let debate = &stage.debate;
    let answers: Vec<(usize, usize)> =
        (0..proposal.issues.len()).map(|at| (answered(stage, reading, units, &proposal.issues[at].text), at)).collect();
    let mut taken: BTreeSet<usize> = units.iter().filter_map(|unit| unit.line).collect();
    let (mut parts, mut changes) = (vec![TextPart::Phrase(phrases::PROPOSES)], Vec::new());
    for (at, unit) in units.iter().enumerate() {
        let issues: Vec<usize> = answers.iter().filter(|answer| answer.0 == at).map(|answer| answer.1).collect();
        // The answer to the topic is qualified, never replaced: without it there is no proposal.
        let yields = at > 0 && issues.iter().any(|issue| proposal.issues[*issue].severity != "minor");
        if !yields {
            if at > 0 {
                parts.push(TextPart::Phrase(phrases::WITH[0]));
            }
            parts.push(unit.line.map_or_else(|| TextPart::Foreign(unit.text.clone()), TextPart::Line));
        }
        for issue in issues {
            let text = &proposal.issues[issue].text;
            let line = debate.papers.find(None, text);
            let mut change = Vec::new();
            if let Some(granted) = line.and_then(|line| granted(stage, unit, line, &taken)) {
                taken.insert(granted);
                change.extend([TextPart::Phrase(phrases::GRANTED), TextPart::Line(granted)]);
            }
            change.push(TextPart::Phrase(if yields { phrases::INSTEAD } else { phrases::BOUND }));
            change.push(line.map_or_else(|| TextPart::Foreign(text.clone()), TextPart::Line));
            parts.extend(change.iter().cloned());
            changes.push((issue, change));
        }
    }
    changes.sort_by_key(|change| change.0);
    (parts, changes)
}

/// Returns the sentence that an issue is about: the closest one, by passage and line.
fn answered(stage: &OfflineStage, reading: &ResolvedTask, units: &[Unit], issue: &str) -> usize {
    let papers = &stage.debate.papers;
    let (line, probe) = reading.probe(&stage.debate, None, issue);
    let near = |unit: &Unit| {
        let passages = unit.line.zip(line).map(|(one, other)| (papers.lines[one].passage, papers.lines[other].passage));
        let near = papers.gauge.relate(&unit.probe, &probe);
        passages.map_or(near, |(one, other)| 0.5 * near + 0.5 * papers.relate_passages(one, other))
    };
    let scored = units.iter().map(near).enumerate();
    scored.fold((0, f64::MIN), |best, candidate| if candidate.1 > best.1 { candidate } else { best }).0
}

/// Finds a concession that the author of a sentence has published on the matter of an answer to it.
fn granted(stage: &OfflineStage, unit: &Unit, answer: usize, taken: &BTreeSet<usize>) -> Option<usize> {
    let (debate, papers) = (&stage.debate, &stage.debate.papers);
    let author = unit.speaker(debate)?;
    let grants = (0..papers.lines.len()).filter(|at| {
        let line = &papers.lines[*at];
        line.speaker == author && line.cues.concedes && !(line.cues.flips || line.cues.leans) && !taken.contains(at)
    });
    let near = grants.map(|at| {
        let aside = papers.relate_passages(papers.lines[at].passage, papers.lines[answer].passage);
        (0.5 * papers.relate(at, answer) + 0.5 * aside, at)
    });
    near.filter(|candidate| candidate.0 >= debate.floor.valid)
        .max_by(|one, other| debate.order(one, other))
        .map(|candidate| candidate.1)
}

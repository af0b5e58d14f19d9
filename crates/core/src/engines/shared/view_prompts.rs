//! Views as data and prose for prompts. Apart from the `.md` files, only this module and
//! [`manner`](crate::engines::shared::persona_prompts) contain sentences addressed to models.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::engines::shared::bounded_lines::{MAX_ARGUMENT_BYTES, MAX_ATTACK_BYTES, newest_with};
use crate::events::argument::{ArgumentPart, AttackKind};
use crate::events::citation::Citation;
use crate::events::ids::{ArgumentId, PersonaId};
use crate::events::persona::Persona;
use crate::events::proposal::Severity;
use crate::events::receipt::PassageRef;
use crate::kernel::safety::foreign_text;
use crate::kernel::safety::foreign_text::{fenced, flat, flat_within};
use crate::kernel::task::{ArgumentInput, AttackInput, IssueInput, ProposalInput};
use crate::projections::argument_graph::{ArgumentGraph, Attack};
use crate::projections::proposals::Proposal;
use crate::projections::transcript::Transcript;
use faultline_argumentation::labelling::Label;

/// Maximum number of citations read from a reply; an excess is rejected.
const MAX_CITED: usize = 32;
/// Suffix of the message that rejects a citation.
const NOT_GIVEN: &str = ", which was not given";
/// Maximum number of interjections shown in a prompt; the latest are kept.
const MAX_INTERJECTIONS: usize = 5;
/// Maximum number of bytes shown of a claim, premise, assumption or rationale.
const MAX_PART_BYTES: usize = 600;

/// Formats the interjections of moderators and participants for speakers; empty if there are none.
pub fn interjections(transcript: &Transcript) -> String {
    let said: Vec<String> = transcript
        .turns
        .iter()
        .rev()
        .filter(|turn| turn.moves.is_empty())
        .take(MAX_INTERJECTIONS)
        .map(|turn| format!("{} ({}): {}", flat(&turn.name), turn.turn, flat(&turn.text)))
        .collect();
    if said.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = said.into_iter().rev().collect();
    let lines = fenced(&lines.join("\n"));
    format!("Said to the whole debate in between; take it up where it bears on the matter:\n{lines}")
}

/// Returns the live arguments as data.
pub fn arguments(graph: &ArgumentGraph) -> Vec<ArgumentInput> {
    let labels = graph.labels();
    let told = graph.live().map(|(id, argument)| ArgumentInput {
        alias: id.to_string(),
        speaker: argument.advanced.speaker.clone(),
        claim: argument.advanced.claim.clone(),
        premises: argument.advanced.premises.clone(),
        assumptions: argument.advanced.assumptions.clone(),
        label: label_name(labels.get(&id).copied()).to_owned(),
    });
    told.collect()
}

fn label_name(label: Option<Label>) -> &'static str {
    match label {
        Some(Label::In) => "IN",
        Some(Label::Out) => "OUT",
        Some(Label::Undec) | None => "UNDEC",
    }
}

/// Returns an attack as data.
pub fn attack(graph: &ArgumentGraph, attack: &Attack) -> AttackInput {
    let raised = &attack.raised;
    let claim = |id: ArgumentId| graph.component_text(id, ArgumentPart::Claim).unwrap_or_default().to_owned();
    AttackInput {
        alias: raised.attack.to_string(),
        speaker: raised.speaker.clone(),
        source: raised.source.to_string(),
        counter_claim: claim(raised.source),
        target: raised.target.to_string(),
        target_text: graph.component_text(raised.target, raised.component).unwrap_or_default().to_owned(),
        component: raised.component,
        kind: raised.kind,
        rationale: raised.rationale.clone(),
    }
}

/// Formats arguments for a prompt, the newest of them.
pub fn argument_lines(arguments: &[ArgumentInput], names: &DisplayNames) -> String {
    newest_with(arguments, |argument| argument_line(argument, names), MAX_ARGUMENT_BYTES, "argument", "none yet")
}

/// Formats one argument: its claim, and below it premises and assumptions, each line with a line feed.
pub fn argument_line(argument: &ArgumentInput, names: &DisplayNames) -> String {
    let part = |text: &String| flat_within(text, MAX_PART_BYTES);
    let (speaker, label, claim) = (names.of(&argument.speaker), &argument.label, part(&argument.claim));
    let mut told = format!("{} ({speaker}; {label}): {claim}\n", argument.alias);
    for (index, premise) in argument.premises.iter().enumerate() {
        let _ = writeln!(told, "    premise {index}: {}", part(premise));
    }
    for (index, assumption) in argument.assumptions.iter().enumerate() {
        let _ = writeln!(told, "    assumption {index}: {}", part(assumption));
    }
    told
}

/// Formats attacks for a prompt, the newest of them.
pub fn attack_lines(attacks: &[AttackInput], names: &DisplayNames) -> String {
    newest_with(attacks, |attack| attack_line(attack, names), MAX_ATTACK_BYTES, "attack", "none")
}

/// Formats one attack, with a line feed.
pub fn attack_line(attack: &AttackInput, names: &DisplayNames) -> String {
    let part = |text: &String| flat_within(text, MAX_PART_BYTES);
    format!(
        "{}: {} with {} against {} ({}, {}): \"{}\" against \"{}\". {}\n",
        attack.alias,
        names.of(&attack.speaker),
        attack.source,
        attack.target,
        kind_name(attack.kind),
        component_name(attack.component),
        part(&attack.counter_claim),
        part(&attack.target_text),
        part(&attack.rationale)
    )
}

/// Returns a proposal as data.
pub fn proposal(proposal: &Proposal) -> ProposalInput {
    let issues = proposal.criticism.iter().flat_map(|criticism| &criticism.issues);
    ProposalInput {
        alias: proposal.proposal.to_string(),
        speaker: proposal.speaker.clone(),
        text: proposal.text.clone(),
        reasoning: proposal.reasoning.clone(),
        issues: issues
            .map(|issue| IssueInput {
                alias: issue.issue.to_string(),
                severity: severity_name(issue.severity).to_owned(),
                text: issue.text.clone(),
            })
            .collect(),
    }
}

fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Minor => "minor",
        Severity::Major => "major",
        Severity::Critical => "critical",
    }
}

/// Formats a proposal's issues for a prompt; empty if it has none.
pub fn issue_lines(told: &ProposalInput) -> String {
    let line = |issue: &IssueInput| format!("{} ({}): {}", issue.alias, issue.severity, flat(&issue.text));
    let lines: Vec<String> = told.issues.iter().map(line).collect();
    if lines.is_empty() { String::new() } else { fenced(&lines.join("\n")) }
}

/// Formats a text of others whose lines matter, such as a proposal.
pub fn text_lines(text: &str) -> String {
    fenced(&foreign_text::lines(text))
}

/// Returns the kind's name: `rebut`, `undermine`, `undercut`.
pub fn kind_name(kind: AttackKind) -> &'static str {
    match kind {
        AttackKind::Rebut => "rebut",
        AttackKind::Undermine => "undermine",
        AttackKind::Undercut => "undercut",
    }
}

/// Returns the component in words: `claim`, `premise 0`, `assumption 1`.
pub fn component_name(component: ArgumentPart) -> String {
    match component {
        ArgumentPart::Claim => "claim".to_owned(),
        ArgumentPart::Premise(index) => format!("premise {index}"),
        ArgumentPart::Assumption(index) => format!("assumption {index}"),
    }
}

/// Display names of participants.
#[derive(Clone, Debug, Default)]
pub struct DisplayNames(BTreeMap<PersonaId, String>);

impl DisplayNames {
    /// Collects the names of the participants.
    pub fn new(participants: &[Persona]) -> DisplayNames {
        DisplayNames(
            participants.iter().map(|participant| (participant.id.clone(), participant.name.clone())).collect(),
        )
    }

    /// Returns the display names of all participants but one.
    pub fn of_others(&self, persona: &PersonaId) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(id, _)| *id != persona).map(|(_, name)| name.as_str())
    }

    /// Returns the display name of a persona; its id if it is unknown.
    pub fn of(&self, persona: &PersonaId) -> String {
        self.0.get(persona).cloned().unwrap_or_else(|| persona.to_string())
    }
}

/// Resolves the citations of a reply to supplied passages. Others are added to `refused`, with the reason.
pub fn citations(cited: &[String], grounds: &[PassageRef], refused: &mut Vec<String>) -> Vec<Citation> {
    let mut citations: Vec<Citation> = Vec::new();
    if cited.len() > MAX_CITED {
        refused.push(format!("cites {} passages, of which the first {MAX_CITED} are considered", cited.len()));
    }
    for alias in cited.iter().take(MAX_CITED) {
        match citation(alias, grounds) {
            Some(citation) if citations.contains(&citation) => {}
            Some(citation) => citations.push(citation),
            None => refused.push(not_given(alias)),
        }
    }
    citations
}

/// Returns the message that rejects the citation of a passage that was not supplied.
pub fn not_given(alias: &str) -> String {
    format!("cites {}{NOT_GIVEN}", excerpt(alias))
}

/// Counts the rejected citations among the messages.
pub fn dangling(refused: &[String]) -> u32 {
    let n = refused.iter().filter(|message| message.starts_with("cites ") && message.ends_with(NOT_GIVEN)).count();
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Resolves a passage by its alias in the prompt.
pub fn citation(alias: &str, grounds: &[PassageRef]) -> Option<Citation> {
    let ground = grounds.iter().find(|passage| passage.alias == alias.trim_matches(['[', ']', ' ']))?;
    Some(Citation { page: ground.page.clone(), ..Citation::new(ground.alias.as_str(), ground.chunk) })
}

/// Quotes the beginning of a model's text for a message.
pub fn excerpt(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    format!("{short:?}")
}

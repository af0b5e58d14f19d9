//! Argument threads: each counter-argument below the one it attacks.

use std::collections::{BTreeMap, BTreeSet};

use crate::citation_numbers::CitationNumbers;
use crate::labels;
use crate::live::speech::{evidence, ground, grounds};
use crate::text::page::TextPage;
use crate::text::span::{Span, SpanLine, blanks, padded, shortened, trusted};
use crate::text::style::Tone;
use crate::verdict_context::VerdictContext;
use faultline_core::events::ids::{ArgumentId, AttackId};
use faultline_core::export::report::unsaid::unsaid_in_argument;
use faultline_core::positions::playable::OFFLINE;
use faultline_core::projections::argument_graph::{Argument, ArgumentGraph, Attack};
use faultline_core::verdicts::structural::reworded_in;

/// Maximum number of characters of a statement.
const MAX_STATEMENT: usize = 600;
/// Maximum depth of indentation.
const MAX_DEEPEST: usize = 6;
/// Columns per level of indentation.
const STEP: usize = 2;
/// Width of mark and name, such as `▲ a10`.
const NAME: usize = 6;
/// Width of the column of labels.
const LABEL: usize = 8;
/// Columns that [`grounds`] leaves free by itself.
const GROUNDS: usize = 4;

/// Renders all arguments with their labels, and all attacks.
///
/// Cost: arguments times attacks.
pub fn threads(page: &mut TextPage, telling: &VerdictContext, sources: &mut CitationNumbers) {
    let graph = &telling.read_model.arguments;
    let opposed: Vec<(ArgumentId, ArgumentId)> = graph.opposed_theses().into_iter().collect();
    for (at, (id, depth)) in order(graph).into_iter().enumerate() {
        let Some(argument) = graph.arguments.get(&id) else { continue };
        let advanced = &argument.advanced;
        let depth = depth.min(MAX_DEEPEST);
        if depth == 0 && at > 0 {
            page.blank();
        }
        if let Some((name, attack)) = advanced.carries.and_then(|attack| Some((attack, graph.attacks.get(&attack)?))) {
            let corner = [blanks((depth.max(1) - 1) * STEP), trusted(Tone::Faint, "└ ")];
            page.row(&corner, &[blanks(depth.max(1) * STEP)], &raised(telling, name, attack));
        }
        entry(page, telling, sources, argument, depth * STEP);
        became(page, argument, depth * STEP);
        for (one, other) in opposed.iter().filter(|(one, other)| [one, other].contains(&&id)) {
            let other = if *one == id { *other } else { *one };
            let conflict = [
                trusted(Tone::Quiet, "conflicts with "),
                telling.argument(other),
                trusted(Tone::Quiet, ": they answer the topic from opposite sides"),
            ];
            page.row(&[blanks(depth * STEP), trusted(Tone::Faint, "└ ")], &[blanks((depth + 1) * STEP)], &conflict);
        }
        // A mutual attack stands with both arguments.
        let is_back = |attack: &Attack| attack.is_mutual() && attack.raised.source == id;
        let others = graph.attacks.iter().filter(|(name, attack)| {
            attack.raised.target == id && carrier(graph, attack) != Some(**name) || is_back(attack)
        });
        for (name, attack) in others {
            let mut line = raised(telling, *name, attack);
            let other = if is_back(attack) { attack.raised.target } else { attack.raised.source };
            line.extend([trusted(Tone::Quiet, " · by "), telling.argument(other)]);
            page.row(&[blanks(depth * STEP), trusted(Tone::Faint, "└ ")], &[blanks((depth + 1) * STEP)], &line);
        }
    }
}

fn entry(
    page: &mut TextPage,
    telling: &VerdictContext,
    sources: &mut CitationNumbers,
    argument: &Argument,
    indent: usize,
) {
    let advanced = &argument.advanced;
    let speaker = telling.speakers.get(&advanced.speaker);
    let mut first = vec![blanks(indent)];
    first.extend(padded(vec![trusted(speaker.tone, format!("{} {}", speaker.mark, advanced.argument))], NAME));
    let label = telling.verdict.labels.get(&advanced.argument);
    let label = label.map_or_else(|| trusted(Tone::Quiet, "-"), |status| labels::label(*status));
    first.extend(padded(vec![label], LABEL));
    let rest = [blanks(indent + NAME + LABEL)];
    let counts = telling.verdict.labels.contains_key(&advanced.argument);
    let mut claim = shortened(if counts { Tone::Plain } else { Tone::Quiet }, &advanced.claim, MAX_STATEMENT);
    let note = if advanced.answers_topic { "thesis, " } else { "" };
    let reworded = reworded_in(argument);
    let turn = reworded.or(argument.turn());
    let remark = |text: &str| unsaid_in_argument(telling.read_model, argument, turn, text);
    let unsaid = remark(&advanced.claim).map(|remark| format!(", {remark}")).unwrap_or_default();
    let made_in = reworded.map_or_else(|| argument.turn_basis.describe(advanced.turn), |turn| turn.to_string());
    claim.push(trusted(Tone::Quiet, format!(" ({note}{made_in}{unsaid})")));
    page.row(&first, &rest, &claim);
    let gutter = [blanks(indent + NAME + LABEL - GROUNDS)];
    let statement = |text: &String| ground(text, remark(text));
    grounds(page, &gutter, "because", advanced.premises.iter().map(statement));
    grounds(page, &gutter, "assuming", advanced.assumptions.iter().map(statement));
    grounds(page, &gutter, "evidence", evidence(sources, &advanced.evidence).into_iter());
}

/// Renders the revisions and the withdrawal of an argument.
fn became(page: &mut TextPage, argument: &Argument, indent: usize) {
    let gutter = [blanks(indent + NAME + LABEL)];
    for revision in &argument.revisions {
        let mut line = vec![trusted(Tone::Quiet, format!("narrowed in {}", revision.revised.turn))];
        if let Some(before) = &revision.before {
            line.push(trusted(Tone::Quiet, " from: "));
            line.extend(shortened(Tone::Quiet, before, MAX_STATEMENT));
        }
        page.row(&gutter, &gutter, &line);
    }
    if let Some(withdrawn) = &argument.withdrawn {
        let how = match withdrawn.superseded_by {
            Some(other) => format!("replaced by {other} in {}: ", withdrawn.turn),
            None => format!("withdrawn in {}: ", withdrawn.turn),
        };
        let mut line = vec![trusted(Tone::Quiet, how)];
        line.extend(shortened(Tone::Quiet, &withdrawn.reason, MAX_STATEMENT));
        page.row(&gutter, &gutter, &line);
    }
}

/// Formats an attack with its judgement.
fn raised(telling: &VerdictContext, name: AttackId, attack: &Attack) -> SpanLine {
    let way = if attack.is_mutual() { " (mutual)" } else { "" };
    let hit = format!(
        "{name} {} {}{way} · ",
        labels::attacks(attack.kind()),
        labels::attacked(attack.kind(), attack.component())
    );
    let judgement: Span = match &attack.judged {
        _ if attack.withdrawn.is_some() => trusted(Tone::Quiet, "withdrawn, not counted"),
        Some(judged) if judged.valid && telling.read_model.summary.provider == OFFLINE => {
            trusted(Tone::Quiet, "as annotated")
        }
        Some(judged) if judged.valid => trusted(Tone::Good, format!("✓ valid {:.2}", judged.strength)),
        Some(_) => trusted(Tone::Bad, "✗ not valid, not counted"),
        None => trusted(Tone::Quiet, "not judged, not counted"),
    };
    vec![trusted(Tone::Quiet, hit), judgement]
}

/// Returns the attack for which the attacking argument was advanced.
fn carrier(graph: &ArgumentGraph, attack: &Attack) -> Option<AttackId> {
    graph.arguments.get(&attack.raised.source)?.advanced.carries
}

/// Orders the arguments by thread, each once, with its depth.
fn order(graph: &ArgumentGraph) -> Vec<(ArgumentId, usize)> {
    let mut below: BTreeMap<ArgumentId, Vec<ArgumentId>> = BTreeMap::new();
    let mut waiting: Vec<(ArgumentId, usize)> = Vec::new();
    for (id, argument) in &graph.arguments {
        let target =
            argument.advanced.carries.and_then(|attack| graph.attacks.get(&attack)).map(|attack| attack.raised.target);
        match target.filter(|target| graph.arguments.contains_key(target)) {
            Some(target) => below.entry(target).or_default().push(*id),
            None => waiting.push((*id, 0)),
        }
    }
    // Imported arguments may attack each other in a cycle without a root: each of them starts a thread.
    waiting.extend(graph.arguments.keys().map(|id| (*id, 0)));
    waiting.reverse();
    let mut seen = BTreeSet::new();
    let mut ordered = Vec::new();
    while let Some((id, depth)) = waiting.pop() {
        if seen.insert(id) {
            ordered.push((id, depth));
            waiting.extend(below.get(&id).into_iter().flatten().rev().map(|child| (*child, depth + 1)));
        }
    }
    ordered
}

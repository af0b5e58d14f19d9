//! Argument threads: each counter-argument below the one it attacks.

use std::collections::{BTreeMap, BTreeSet};

use crate::cli::stage::page::Page;
use crate::cli::stage::span::{Line, Span, blanks, own, padded, shortened};
use crate::cli::stage::speech::grounds;
use crate::cli::stage::style::Tone;
use crate::cli::stage::telling::Telling;
use crate::cli::stage::words;
use crate::events::argument::ArgumentAdvanced;
use crate::events::ids::{ArgumentId, AttackId};
use crate::projections::argument_graph::{Argument, ArgumentGraph, Attack};

/// Maximum number of characters of a statement.
const STATEMENT: usize = 600;
/// Maximum depth of indentation.
const DEEPEST: usize = 6;
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
pub fn threads(page: &mut Page, telling: &Telling) {
    let graph = &telling.board.arguments;
    for (at, (id, depth)) in order(graph).into_iter().enumerate() {
        let Some(argument) = graph.arguments.get(&id) else { continue };
        let advanced = &argument.advanced;
        let depth = depth.min(DEEPEST);
        if depth == 0 && at > 0 {
            page.blank();
        }
        if let Some((name, attack)) = advanced.carries.and_then(|it| Some((it, graph.attacks.get(&it)?))) {
            let corner = [blanks((depth.max(1) - 1) * STEP), own(Tone::Faint, "└ ")];
            page.row(&corner, &[blanks(depth.max(1) * STEP)], &raised(name, attack));
        }
        entry(page, telling, advanced, depth * STEP);
        became(page, argument, depth * STEP);
        let others =
            graph.attacks.iter().filter(|(name, it)| it.raised.target == id && carrier(graph, it) != Some(**name));
        for (name, attack) in others {
            let mut line = raised(*name, attack);
            line.extend([own(Tone::Quiet, " · by "), telling.argument(attack.raised.source)]);
            page.row(&[blanks(depth * STEP), own(Tone::Faint, "└ ")], &[blanks((depth + 1) * STEP)], &line);
        }
    }
}

fn entry(page: &mut Page, telling: &Telling, advanced: &ArgumentAdvanced, indent: usize) {
    let speaker = telling.speakers.get(&advanced.speaker);
    let mut first = vec![blanks(indent)];
    first.extend(padded(vec![own(speaker.tone, format!("{} {}", speaker.mark, advanced.argument))], NAME));
    let label = telling.verdict.labels.get(&advanced.argument);
    let label = label.map_or_else(|| own(Tone::Quiet, "-"), |it| words::label(*it));
    first.extend(padded(vec![label], LABEL));
    let rest = [blanks(indent + NAME + LABEL)];
    let counts = telling.verdict.labels.contains_key(&advanced.argument);
    let mut claim = shortened(if counts { Tone::Plain } else { Tone::Quiet }, &advanced.claim, STATEMENT);
    let note = if advanced.answers_topic { "thesis, " } else { "" };
    claim.push(own(Tone::Quiet, format!(" ({note}{})", advanced.turn)));
    page.row(&first, &rest, &claim);
    let gutter = [blanks(indent + NAME + LABEL - GROUNDS)];
    let statement = |it: &String| shortened(Tone::Quiet, it, STATEMENT);
    grounds(page, &gutter, "because", advanced.premises.iter().map(statement));
    grounds(page, &gutter, "assuming", advanced.assumptions.iter().map(statement));
    let evidence: Vec<Line> = advanced.evidence.iter().map(|it| statement(&it.text)).collect();
    grounds(page, &gutter, "evidence", evidence.into_iter());
}

/// Renders the revisions and the withdrawal of an argument.
fn became(page: &mut Page, argument: &Argument, indent: usize) {
    let gutter = [blanks(indent + NAME + LABEL)];
    for revision in &argument.revisions {
        let mut line = vec![own(Tone::Quiet, format!("narrowed in {}", revision.revised.turn))];
        if let Some(before) = &revision.before {
            line.push(own(Tone::Quiet, ", previously: "));
            line.extend(shortened(Tone::Quiet, before, STATEMENT));
        }
        page.row(&gutter, &gutter, &line);
    }
    if let Some(withdrawn) = &argument.withdrawn {
        let how = match withdrawn.superseded_by {
            Some(other) => format!("replaced by {other} in {}: ", withdrawn.turn),
            None => format!("withdrawn in {}: ", withdrawn.turn),
        };
        let mut line = vec![own(Tone::Quiet, how)];
        line.extend(shortened(Tone::Quiet, &withdrawn.reason, STATEMENT));
        page.row(&gutter, &gutter, &line);
    }
}

/// Formats an attack with its judgement.
fn raised(name: AttackId, attack: &Attack) -> Line {
    let way = if attack.is_mutual() { " (mutual)" } else { "" };
    let hit = format!("{name} {} {}{way} · ", words::attacks(attack.kind()), words::part(attack.component()));
    let found: Span = match &attack.judged {
        _ if attack.withdrawn.is_some() => own(Tone::Quiet, "withdrawn, not counted"),
        Some(judged) if judged.valid => own(Tone::Good, format!("✓ valid {:.2}", judged.strength)),
        Some(_) => own(Tone::Bad, "✗ not valid, not counted"),
        None => own(Tone::Quiet, "not judged, not counted"),
    };
    vec![own(Tone::Quiet, hit), found]
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
        let target = argument.advanced.carries.and_then(|it| graph.attacks.get(&it)).map(|it| it.raised.target);
        match target.filter(|it| graph.arguments.contains_key(it)) {
            Some(target) => below.entry(target).or_default().push(*id),
            None => waiting.push((*id, 0)),
        }
    }
    // Imported arguments may attack each other in a cycle without a root: each of them starts a thread.
    waiting.extend(graph.arguments.keys().map(|it| (*it, 0)));
    waiting.reverse();
    let mut seen = BTreeSet::new();
    let mut ordered = Vec::new();
    while let Some((id, depth)) = waiting.pop() {
        if seen.insert(id) {
            ordered.push((id, depth));
            waiting.extend(below.get(&id).into_iter().flatten().rev().map(|it| (*it, depth + 1)));
        }
    }
    ordered
}

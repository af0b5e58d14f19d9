//! Two debates, or two versions of one, side by side.

use std::collections::BTreeSet;

use crate::labels;
use crate::tables::verdict_lists::{crux_list, label_changes};
use crate::text::page::TextPage;
use crate::text::span::{Span, trusted, untrusted};
use crate::text::style::{TerminalStyle, Tone};
use faultline_core::events::dispute::Side;
use faultline_core::events::ids::PersonaId;
use faultline_core::verdicts::crux::Crux;
use faultline_core::verdicts::diff::crux_match::CruxMatch;
use faultline_core::verdicts::diff::verdict_diff::{StanceDiff, relabelled};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::verdict::Verdict;

/// Width of the column of names.
const NAME: usize = 16;

/// Debate at a version, with its verdict.
#[derive(Clone, Copy, Debug)]
pub struct ComparedDebate<'a> {
    /// Views of the debate.
    pub read_model: &'a DebateReadModel,
    /// Verdict at the version.
    pub verdict: &'a Verdict,
}

/// Differences that exist only between versions of one debate, where ids have the same meaning.
#[derive(Clone, Copy, Debug)]
pub struct VersionDifferences<'a> {
    /// Stances that differ.
    pub stances: &'a [StanceDiff],
}

/// Renders a comparison: facts and sides on the topic side by side, then shared cruxes and those that only one has. For
/// versions of one debate, stances and labels that differ follow.
pub fn comparison(
    first: ComparedDebate<'_>,
    second: ComparedDebate<'_>,
    cruxes: &CruxMatch,
    versions: Option<VersionDifferences<'_>>,
    look: TerminalStyle,
) -> String {
    let mut page = TextPage::wide(look);
    let (one, other) = (first.read_model, second.read_model);
    page.text(&[untrusted(Tone::Strong, &one.summary.topic)]);
    if one.summary.topic != other.summary.topic {
        page.text(&[untrusted(Tone::Strong, &other.summary.topic)]);
    }
    page.blank();
    for (name, left, right) in facts(first, second) {
        side_by_side(&mut page, trusted(Tone::Quiet, name), left, right);
    }
    topic(&mut page, first, second);
    let at = |list: &[Crux], places: &mut dyn Iterator<Item = usize>| -> Vec<Crux> {
        places.filter_map(|place| list.get(place).cloned()).collect()
    };
    let (names, one, other) = (heads(first, second), &first.verdict.cruxes, &second.verdict.cruxes);
    crux_list(&mut page, "Shared cruxes", &at(one, &mut cruxes.shared.iter().map(|pair| pair.0)));
    crux_list(&mut page, &format!("Cruxes only in {}", names.0), &at(one, &mut cruxes.only_first.iter().copied()));
    crux_list(&mut page, &format!("Cruxes only in {}", names.1), &at(other, &mut cruxes.only_second.iter().copied()));
    if let Some(versions) = versions {
        stances(&mut page, versions.stances, second.read_model);
        let labels = relabelled(&first.verdict.labels, &second.verdict.labels);
        label_changes(&mut page, &labels, second.read_model);
    }
    page.print()
}

/// Names the two columns: by version, or by debate and version.
fn heads(first: ComparedDebate<'_>, second: ComparedDebate<'_>) -> (String, String) {
    let (one, other) = (&first.read_model.summary, &second.read_model.summary);
    let of_one = one.debate == other.debate;
    let head = |summary: &faultline_core::projections::summary::Summary| match summary.debate {
        Some(debate) if !of_one => format!("{} at version {}", labels::short(debate), summary.version),
        _ => format!("version {}", summary.version),
    };
    (head(one), head(other))
}

/// Lists the facts of both: name and two values.
fn facts(first: ComparedDebate<'_>, second: ComparedDebate<'_>) -> Vec<(&'static str, Span, Span)> {
    let heads = heads(first, second);
    let mut facts = vec![("", trusted(Tone::Strong, heads.0), trusted(Tone::Strong, heads.1))];
    let mut add = |name, of: &dyn Fn(ComparedDebate<'_>) -> String| {
        let (one, other) = (of(first), of(second));
        let tone = if one == other { Tone::Quiet } else { Tone::Plain };
        facts.push((name, untrusted(tone, &one), untrusted(tone, &other)));
    };
    add("engine", &|it| it.read_model.summary.engine.clone());
    add("provider", &|it| it.read_model.summary.provider.clone());
    add("seed", &|it| it.read_model.summary.seed.to_string());
    add("status", &|it| it.read_model.summary.status.name().to_owned());
    add("outcome", &|it| it.read_model.summary.outcome.as_ref().map_or("-", |outcome| outcome.kind()).to_owned());
    add("verdict", &|it| it.verdict.regime.kind.name().to_owned());
    add("turns", &|it| it.read_model.summary.n_turns.to_string());
    add("arguments", &|it| it.read_model.arguments.arguments.len().to_string());
    add("attacks", &|it| it.read_model.arguments.attacks.len().to_string());
    add("disputes", &|it| it.read_model.disputes.disputes.len().to_string());
    add("cruxes", &|it| it.verdict.cruxes.len().to_string());
    add("common ground", &|it| (it.verdict.common_ground.len() + it.verdict.granted.len()).to_string());
    add("camps", &|it| it.verdict.camps.len().to_string());
    add("calls", &|it| it.read_model.summary.usage.total.calls.to_string());
    add("cost", &|it| labels::cost(&it.read_model.summary.usage.total));
    facts
}

fn side_by_side(page: &mut TextPage, name: Span, left: Span, right: Span) {
    let name = trusted(name.tone, page.fit(&name.text, NAME - 2));
    page.hang(&[], &[name], NAME, &[left, trusted(Tone::Faint, " | "), right]);
}

/// Lists the sides of all participants on the topic.
fn topic(page: &mut TextPage, first: ComparedDebate<'_>, second: ComparedDebate<'_>) {
    let side = |of: ComparedDebate<'_>, persona: &PersonaId| -> Option<Side> {
        let positions = of.verdict.topic.as_ref().map(|topic| &topic.positions)?;
        positions.iter().find(|position| position.persona == *persona).map(|position| position.side)
    };
    let members = [first, second].into_iter().flat_map(|of| &of.read_model.summary.participants);
    let mut seen = BTreeSet::new();
    let members: Vec<_> = members.filter(|member| seen.insert(&member.persona)).collect();
    let has_side = |of: ComparedDebate<'_>| members.iter().any(|member| side(of, &member.persona).is_some());
    if !has_side(first) && !has_side(second) {
        return;
    }
    heading(page, "Sides on the topic");
    for member in members {
        let shown = |of| side(of, &member.persona).map_or_else(|| trusted(Tone::Quiet, "-"), labels::side);
        side_by_side(page, untrusted(Tone::Plain, &member.name), shown(first), shown(second));
    }
}

fn stances(page: &mut TextPage, stances: &[StanceDiff], debate: &DebateReadModel) {
    if stances.is_empty() {
        return;
    }
    heading(page, "Stances that differ");
    let none = || trusted(Tone::Quiet, "no stance");
    for stance in stances {
        let question = debate.disputes.disputes.get(&stance.dispute).map_or("", |dispute| dispute.question.as_str());
        let member = debate.summary.participants.iter().find(|member| member.persona == stance.persona);
        let name = member.map_or(stance.persona.as_str(), |member| member.name.as_str());
        let side = |stance: Option<(Side, _)>| stance.map_or_else(none, |(side, _)| labels::side(side));
        let body = [
            untrusted(Tone::Plain, name),
            trusted(Tone::Plain, " "),
            side(stance.from),
            trusted(Tone::Quiet, " → "),
            side(stance.to),
            untrusted(Tone::Quiet, &format!(" · {question}")),
        ];
        page.hang(&[], &[trusted(Tone::Strong, stance.dispute.to_string())], 6, &body);
    }
}

fn heading(page: &mut TextPage, title: &str) {
    page.blank();
    page.text(&[trusted(Tone::Strong, title)]);
}

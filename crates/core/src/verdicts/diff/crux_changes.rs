//! Changes of cruxes: of the lists that contain them, and of every field of a crux and of its positions.

use crate::events::crux::Disagreement;
use crate::verdicts::card::{CruxCard, MindChange, MindChangeCondition};
use crate::verdicts::consequence::{Consequence, CountedClaims};
use crate::verdicts::crux::{Crux, CruxOrigin, Position};
use crate::verdicts::diff::list_match::match_items;
use crate::verdicts::diff::verdict_change::{
    ChangeKind, ChangeList, ChangedItem, VerdictChange, listed, optional, plain, quoted_list,
};
use crate::verdicts::verdict::Verdict;

/// Crux with its place in a verdict.
struct PlacedCrux<'a> {
    list: &'static str,
    rank: usize,
    crux: &'a Crux,
}

/// Adds the changes of all cruxes: open ones, resolved ones, and contested premises. Cruxes are matched by their keys,
/// whatever list contains them.
pub fn compare_cruxes(found: &mut ChangeList, before: &Verdict, after: &Verdict) {
    let (before, after) = (placed(before), placed(after));
    let matched = match_items(&before, &after, |entry| entry.crux.key);
    for (from, to) in &matched.both {
        let item = ChangedItem::crux(from.crux.key);
        found.compare(ChangeKind::CruxList, &item, (from.list, to.list), plain);
        if from.list == to.list {
            found.compare(ChangeKind::CruxRank, &item, (&from.rank, &to.rank), plain);
        }
        compare_crux(found, from.crux, to.crux);
    }
    for lost in matched.lost {
        found.add(ChangeKind::Crux, &ChangedItem::crux(lost.crux.key), plain(&lost.crux.statement), None);
    }
    for gained in matched.gained {
        found.add(ChangeKind::Crux, &ChangedItem::crux(gained.crux.key), None, plain(&gained.crux.statement));
    }
}

/// Compares two states of one crux, by all fields but its key.
pub fn crux_changes(before: &Crux, after: &Crux) -> Vec<VerdictChange> {
    let mut found = ChangeList::default();
    compare_crux(&mut found, before, after);
    found.changes
}

fn placed(verdict: &Verdict) -> Vec<PlacedCrux<'_>> {
    let lists = [("open", &verdict.cruxes), ("resolved", &verdict.resolved), ("contested", &verdict.contested)];
    let ranked = |(list, cruxes): (&'static str, &'_ Vec<Crux>)| -> Vec<(&'static str, usize)> {
        (1..=cruxes.len()).map(|rank| (list, rank)).collect()
    };
    let places = lists.into_iter().flat_map(ranked);
    let cruxes = lists.into_iter().flat_map(|(_, cruxes)| cruxes);
    places.zip(cruxes).map(|((list, rank), crux)| PlacedCrux { list, rank, crux }).collect()
}

fn compare_crux(found: &mut ChangeList, before: &Crux, after: &Crux) {
    let Crux {
        key,
        origin,
        open,
        statement,
        other_statements,
        question,
        why,
        agreed,
        pivotality,
        consequence,
        dependents,
        assumptions,
        attack_degree,
        positions,
        turns,
        opened,
        card,
    } = before;
    let item = ChangedItem::crux(*key);
    found.compare(ChangeKind::CruxOrigin, &item, (origin, &after.origin), origin_text);
    found.compare(ChangeKind::CruxOpen, &item, (open, &after.open), plain);
    found.compare(ChangeKind::CruxStatement, &item, (statement, &after.statement), plain);
    let others = (other_statements, &after.other_statements);
    found.compare(ChangeKind::CruxOtherStatements, &item, others, |texts| quoted_list(texts));
    found.compare(ChangeKind::CruxQuestion, &item, (question, &after.question), plain);
    found.compare(ChangeKind::CruxReason, &item, (why, &after.why), plain);
    found.compare(ChangeKind::CruxAgreement, &item, (agreed, &after.agreed), optional);
    found.compare(ChangeKind::CruxPivotality, &item, (pivotality, &after.pivotality), optional);
    found.compare(ChangeKind::CruxConsequence, &item, (consequence, &after.consequence), consequence_text);
    found.compare(ChangeKind::CruxDependents, &item, (dependents, &after.dependents), |ids| listed(ids));
    found.compare(ChangeKind::CruxAssumptions, &item, (assumptions, &after.assumptions), |texts| quoted_list(texts));
    found.compare(ChangeKind::CruxAttackDegree, &item, (attack_degree, &after.attack_degree), plain);
    found.compare(ChangeKind::CruxTurns, &item, (turns, &after.turns), |ids| listed(ids));
    found.compare(ChangeKind::CruxOpeningTurn, &item, (opened, &after.opened), plain);
    compare_cards(found, &item, card, &after.card);
    compare_positions(found, &item, positions, &after.positions);
}

fn compare_cards(found: &mut ChangeList, crux: &ChangedItem, before: &CruxCard, after: &CruxCard) {
    let CruxCard {
        kind,
        kind_reason,
        diagnosis,
        diagnosed_in,
        horizon,
        criteria,
        criteria_missing,
        mind_changes,
        resolution,
        resolution_missing,
    } = before;
    let kinds = (&(kind, kind_reason), &(&after.kind, &after.kind_reason));
    found.compare(ChangeKind::CruxDisagreement, crux, kinds, |(kind, reason)| {
        Some(format!("{}: {reason}", kind.map_or("unknown", Disagreement::name)))
    });
    let diagnoses = (&(diagnosis, diagnosed_in), &(&after.diagnosis, &after.diagnosed_in));
    found.compare(ChangeKind::CruxDiagnosis, crux, diagnoses, |(text, room)| {
        Some(room.map_or_else(|| (*text).clone(), |room| format!("{text} (card of {room})")))
    });
    found.compare(ChangeKind::CruxHorizon, crux, (horizon, &after.horizon), optional);
    let settling = (&(criteria, criteria_missing), &(&after.criteria, &after.criteria_missing));
    found.compare(ChangeKind::CruxCriteria, crux, settling, |(criteria, missing)| {
        quoted_list(criteria).into_iter().chain((*missing).clone()).reduce(|one, other| format!("{one}; {other}"))
    });
    let resolutions = (&(resolution, resolution_missing), &(&after.resolution, &after.resolution_missing));
    found.compare(ChangeKind::CruxResolution, crux, resolutions, |(resolution, missing)| {
        let parts = [(*resolution).clone(), (*missing).clone()];
        parts.into_iter().flatten().reduce(|one, other| format!("{one}; {other}"))
    });
    compare_mind_changes(found, crux, mind_changes, &after.mind_changes);
}

/// Compares what would change the minds of participants, matched by participant.
fn compare_mind_changes(found: &mut ChangeList, crux: &ChangedItem, before: &[MindChange], after: &[MindChange]) {
    let matched = match_items(before, after, |change| &change.persona);
    for (from, to) in &matched.both {
        let MindChange { persona, condition } = from;
        let conditions = (condition, &to.condition);
        found.compare(ChangeKind::CruxMindChange, &crux.of(persona), conditions, condition_text);
    }
    for lost in &matched.lost {
        found.add(ChangeKind::CruxMindChange, &crux.of(&lost.persona), condition_text(&lost.condition), None);
    }
    for gained in &matched.gained {
        found.add(ChangeKind::CruxMindChange, &crux.of(&gained.persona), None, condition_text(&gained.condition));
    }
    if matched.is_reordered {
        let order = |changes: &[MindChange]| {
            let personas: Vec<&str> = changes.iter().map(|change| change.persona.as_str()).collect();
            listed(&personas)
        };
        found.add(ChangeKind::CruxMindChangeOrder, crux, order(before), order(after));
    }
}

fn condition_text(condition: &MindChangeCondition) -> Option<String> {
    Some(match condition {
        MindChangeCondition::Spoken { quote, turn, on_crux: true } => format!("{turn}: {quote}"),
        MindChangeCondition::Spoken { quote, turn, on_crux: false } => format!("{turn}, on the topic: {quote}"),
        MindChangeCondition::Room { text, room } => format!("card of {room}: {text}"),
        MindChangeCondition::Contract { text } => format!("contract: {text}"),
        MindChangeCondition::Unknown { reason } => format!("unknown: {reason}"),
    })
}

/// Compares the positions on one crux, matched by participant.
fn compare_positions(found: &mut ChangeList, crux: &ChangedItem, before: &[Position], after: &[Position]) {
    let matched = match_items(before, after, |position| &position.persona);
    for (from, to) in &matched.both {
        let Position { persona, name, side, turn, turn_basis, argument, words, quote, basis } = from;
        let item = crux.of(persona);
        found.compare(ChangeKind::CruxPositionName, &item, (name, &to.name), plain);
        found.compare(ChangeKind::CruxSide, &item, (side, &to.side), |side| plain(side.name()));
        let turns = (&(turn, turn_basis), &(&to.turn, &to.turn_basis));
        found.compare(ChangeKind::CruxPositionTurn, &item, turns, |(turn, basis)| Some(basis.describe(**turn)));
        found.compare(ChangeKind::CruxPositionArgument, &item, (argument, &to.argument), optional);
        found.compare(ChangeKind::CruxPositionWords, &item, (words, &to.words), plain);
        found.compare(ChangeKind::CruxPositionQuote, &item, (quote, &to.quote), Clone::clone);
        found.compare(ChangeKind::CruxPositionBasis, &item, (basis, &to.basis), |basis| plain(basis.name()));
    }
    for lost in &matched.lost {
        found.add(ChangeKind::CruxPosition, &crux.of(&lost.persona), plain(lost.side.name()), None);
    }
    for gained in &matched.gained {
        found.add(ChangeKind::CruxPosition, &crux.of(&gained.persona), None, plain(gained.side.name()));
    }
    if matched.is_reordered {
        let order = |positions: &[Position]| {
            let personas: Vec<&str> = positions.iter().map(|position| position.persona.as_str()).collect();
            listed(&personas)
        };
        found.add(ChangeKind::CruxPositionOrder, crux, order(before), order(after));
    }
}

fn origin_text(origin: &CruxOrigin) -> Option<String> {
    Some(match origin {
        CruxOrigin::Dispute { dispute } => format!("{} {dispute}", origin.name()),
        CruxOrigin::Acknowledged { proposal } => format!("{} {proposal}", origin.name()),
        CruxOrigin::Structure { .. } => origin.name().to_owned(),
    })
}

fn consequence_text(consequence: &Option<Consequence>) -> Option<String> {
    consequence.map(|Consequence { changed, theses, order, searched, among }| {
        let order = order.map_or("no order".to_owned(), |order| format!("order {order}"));
        let claims = match among {
            CountedClaims::Theses => "theses",
            CountedClaims::DisputedClaims => "disputed claims",
        };
        format!("changes {changed} of {theses} {claims}, {order}, searched to {searched}")
    })
}

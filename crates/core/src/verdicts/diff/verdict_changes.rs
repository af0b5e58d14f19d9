//! All changes between two verdicts.

use std::collections::BTreeSet;

use crate::events::dispute::Side;
use crate::events::ids::{ArgumentId, PersonaId};
use crate::verdicts::camps::Camp;
use crate::verdicts::common_ground::{CommonGround, Holder};
use crate::verdicts::coverage::Coverage;
use crate::verdicts::diff::audit_changes::compare_audits;
use crate::verdicts::diff::crux_changes::compare_cruxes;
use crate::verdicts::diff::granted_changes::compare_granted;
use crate::verdicts::diff::list_match::{MatchedItems, match_items};
use crate::verdicts::diff::verdict_change::{
    ChangeKind, ChangeList, ChangedItem, VerdictChange, listed, optional, plain,
};
use crate::verdicts::labels::last_word::LastWord;
use crate::verdicts::regime::Regime;
use crate::verdicts::topic::{TopicPosition, TopicVerdict};
use crate::verdicts::verdict::Verdict;
use faultline_argumentation::labelling::Label;

/// Lists all changes between two verdicts; none exactly if they are equal. Costs O(n log n) in their size.
///
/// Cruxes are matched by key, common ground by dispute, granted statements by their text, positions and holders by participant, and camps by their
/// arguments; camps that are left over are matched in order. An item of only one verdict is one change, whatever it
/// contains.
pub fn verdict_changes(before: &Verdict, after: &Verdict) -> Vec<VerdictChange> {
    // Every field is named here, so that a new one does not compile until it is compared.
    let Verdict {
        algorithm,
        regime,
        topic,
        audit,
        cruxes: _,
        resolved: _,
        contested: _,
        common_ground,
        granted,
        camps,
        camps_exact,
        labels: _,
        n_extensions,
        last_word,
        limit,
    } = before;
    let (mut found, whole) = (ChangeList::default(), ChangedItem::default());
    found.compare(ChangeKind::Algorithm, &whole, (algorithm, &after.algorithm), plain);
    compare_regimes(&mut found, regime, &after.regime);
    found.compare(ChangeKind::ExtensionCount, &whole, (n_extensions, &after.n_extensions), plain);
    let unanswered = |LastWord { standing, unanswered }: &LastWord| Some(format!("{unanswered} of {standing}"));
    found.compare(ChangeKind::Unanswered, &whole, (last_word, &after.last_word), unanswered);
    found.compare(ChangeKind::Limit, &whole, (limit, &after.limit), optional);
    compare_topics(&mut found, topic.as_ref(), after.topic.as_ref());
    compare_audits(&mut found, audit, &after.audit);
    compare_cruxes(&mut found, before, after);
    compare_common_ground(&mut found, common_ground, &after.common_ground);
    compare_granted(&mut found, granted, &after.granted);
    compare_camps(&mut found, camps, &after.camps);
    found.compare(ChangeKind::CampsExactness, &whole, (camps_exact, &after.camps_exact), plain);
    compare_labels(&mut found, before, after);
    found.changes
}

/// Name of a label: `in`, `out`, `undecided`.
pub fn label_name(label: Label) -> &'static str {
    match label {
        Label::In => "in",
        Label::Out => "out",
        Label::Undec => "undecided",
    }
}

fn compare_regimes(found: &mut ChangeList, before: &Regime, after: &Regime) {
    let Regime { kind, reason, coverage, exact, unknown_events } = before;
    let whole = ChangedItem::default();
    found.compare(ChangeKind::RegimeKind, &whole, (kind, &after.kind), |kind| plain(kind.name()));
    found.compare(ChangeKind::RegimeReason, &whole, (reason, &after.reason), plain);
    let share = |Coverage { examined, pairs, answered, asked, unread }: &Coverage| {
        let answers = if *asked > 0 { format!(", {answered} of {asked} answers") } else { String::new() };
        let unread = match unread {
            0 => String::new(),
            1 => ", 1 turn unread".to_owned(),
            n => format!(", {n} turns unread"),
        };
        Some(format!("{examined} of {pairs}{answers}{unread}"))
    };
    found.compare(ChangeKind::Coverage, &whole, (coverage, &after.coverage), share);
    found.compare(ChangeKind::RegimeExactness, &whole, (exact, &after.exact), plain);
    found.compare(ChangeKind::UnknownEvents, &whole, (unknown_events, &after.unknown_events), plain);
}

fn compare_topics(found: &mut ChangeList, before: Option<&TopicVerdict>, after: Option<&TopicVerdict>) {
    let (from, to) = match (before, after) {
        (Some(from), Some(to)) => (from, to),
        (None, None) => return,
        (one, other) => {
            let item = one.or(other).map_or(ChangedItem::default(), |topic| ChangedItem::dispute(topic.dispute));
            let question = |topic: Option<&TopicVerdict>| topic.map(|topic| topic.question.clone());
            return found.add(ChangeKind::Topic, &item, question(one), question(other));
        }
    };
    let TopicVerdict { dispute, question, positions } = from;
    let item = ChangedItem::dispute(*dispute);
    found.compare(ChangeKind::TopicDispute, &item, (dispute, &to.dispute), plain);
    found.compare(ChangeKind::TopicQuestion, &item, (question, &to.question), plain);
    let side = |side: &Side| plain(side.name());
    let matched = match_items(positions, &to.positions, |position| &position.persona);
    for (from, to) in &matched.both {
        let TopicPosition { persona, first, side: current, turn, words, quote } = from;
        let item = item.of(persona);
        found.compare(ChangeKind::TopicFirstSide, &item, (first, &to.first), side);
        found.compare(ChangeKind::TopicSide, &item, (current, &to.side), side);
        found.compare(ChangeKind::TopicTurn, &item, (turn, &to.turn), optional);
        found.compare(ChangeKind::TopicWords, &item, (words, &to.words), plain);
        found.compare(ChangeKind::TopicQuote, &item, (quote, &to.quote), Clone::clone);
    }
    for lost in &matched.lost {
        found.add(ChangeKind::TopicPosition, &item.of(&lost.persona), side(&lost.side), None);
    }
    for gained in &matched.gained {
        found.add(ChangeKind::TopicPosition, &item.of(&gained.persona), None, side(&gained.side));
    }
    if matched.is_reordered {
        let order = |topic: &TopicVerdict| {
            let personas: Vec<&str> = topic.positions.iter().map(|position| position.persona.as_str()).collect();
            listed(&personas)
        };
        found.add(ChangeKind::TopicOrder, &item, order(from), order(to));
    }
}

fn compare_common_ground(found: &mut ChangeList, before: &[CommonGround], after: &[CommonGround]) {
    let matched = match_items(before, after, |ground| ground.dispute);
    for (from, to) in &matched.both {
        let CommonGround { dispute, question, side, holders } = from;
        let item = ChangedItem::dispute(*dispute);
        found.compare(ChangeKind::CommonGroundQuestion, &item, (question, &to.question), plain);
        found.compare(ChangeKind::CommonGroundSide, &item, (side, &to.side), |side| plain(side.name()));
        let held = match_items(holders, &to.holders, |holder| &holder.persona);
        for (Holder { persona, turn, quote, confidence }, to) in &held.both {
            let item = item.of(persona);
            found.compare(ChangeKind::CommonGroundTurn, &item, (turn, &to.turn), plain);
            found.compare(ChangeKind::CommonGroundWords, &item, (quote, &to.quote), Clone::clone);
            found.compare(ChangeKind::CommonGroundConfidence, &item, (confidence, &to.confidence), optional);
        }
        for lost in &held.lost {
            found.add(ChangeKind::CommonGroundHolder, &item.of(&lost.persona), plain(&lost.turn), None);
        }
        for gained in &held.gained {
            found.add(ChangeKind::CommonGroundHolder, &item.of(&gained.persona), None, plain(&gained.turn));
        }
        if held.is_reordered {
            let order = |ground: &CommonGround| {
                let personas: Vec<&PersonaId> = ground.holders.iter().map(|holder| &holder.persona).collect();
                listed(&personas)
            };
            found.add(ChangeKind::CommonGroundHolderOrder, &item, order(from), order(to));
        }
    }
    for lost in &matched.lost {
        found.add(ChangeKind::CommonGround, &ChangedItem::dispute(lost.dispute), plain(&lost.question), None);
    }
    for gained in &matched.gained {
        found.add(ChangeKind::CommonGround, &ChangedItem::dispute(gained.dispute), None, plain(&gained.question));
    }
    if matched.is_reordered {
        let order = |all: &[CommonGround]| listed(&all.iter().map(|ground| ground.dispute).collect::<Vec<_>>());
        found.add(ChangeKind::CommonGroundOrder, &ChangedItem::default(), order(before), order(after));
    }
}

/// Compares camps: those with the same arguments, then the others in order.
fn compare_camps(found: &mut ChangeList, before: &[Camp], after: &[Camp]) {
    let numbered = |camps: &[Camp]| (1..).zip(camps.iter().cloned()).collect::<Vec<(usize, Camp)>>();
    let (from, to) = (numbered(before), numbered(after));
    let same = match_items(&from, &to, |(_, camp)| &camp.arguments);
    let MatchedItems { mut both, lost, gained, is_reordered } = same;
    let n_pairs = lost.len().min(gained.len());
    both.extend(lost[..n_pairs].iter().copied().zip(gained[..n_pairs].iter().copied()));
    let numbered_item = |number: usize| ChangedItem { camp: Some(number), ..ChangedItem::default() };
    for ((_, camp), (number, other)) in both {
        let Camp { arguments, personas, tied } = camp;
        let item = numbered_item(*number);
        found.compare(ChangeKind::CampArguments, &item, (arguments, &other.arguments), |ids| listed(ids));
        found.compare(ChangeKind::CampMembers, &item, (personas, &other.personas), |ids| listed(ids));
        found.compare(ChangeKind::CampTies, &item, (tied, &other.tied), |ids| listed(ids));
    }
    for (number, camp) in &lost[n_pairs..] {
        found.add(ChangeKind::Camp, &numbered_item(*number), listed(&camp.arguments), None);
    }
    for (number, camp) in &gained[n_pairs..] {
        found.add(ChangeKind::Camp, &numbered_item(*number), None, listed(&camp.arguments));
    }
    if is_reordered {
        let order = |camps: &[Camp]| {
            let camp = |camp: &Camp| format!("[{}]", listed(&camp.arguments).unwrap_or_default());
            listed(&camps.iter().map(camp).collect::<Vec<_>>())
        };
        found.add(ChangeKind::CampOrder, &ChangedItem::default(), order(before), order(after));
    }
}

fn compare_labels(found: &mut ChangeList, before: &Verdict, after: &Verdict) {
    let arguments: BTreeSet<&ArgumentId> = before.labels.keys().chain(after.labels.keys()).collect();
    for argument in arguments {
        let item = ChangedItem { argument: Some(*argument), ..ChangedItem::default() };
        let (from, to) = (before.labels.get(argument), after.labels.get(argument));
        found.compare(ChangeKind::Label, &item, (&from, &to), |label| label.map(|label| label_name(*label).to_owned()));
    }
}

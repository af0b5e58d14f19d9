//! Composition of a crux card from the projections of a debate.

use crate::events::ids::CruxId;
use crate::verdicts::card::{CruxCard, MindChange, MindChangeCondition};
use crate::verdicts::consequence::Consequence;
use crate::verdicts::crux::{CruxInputs, CruxOrigin, Position};
use crate::verdicts::crux_card::agreed_dispute::dispute_asking;
use crate::verdicts::crux_card::crux_text::criterion_turn;
use crate::verdicts::crux_card::diagnosis::diagnosis;
use crate::verdicts::crux_card::kind::kind;
use crate::verdicts::crux_card::mind_changes::mind_changes;
use crate::verdicts::crux_card::resolution::resolution;
use crate::verdicts::crux_card::room::room_of;

/// Makes the card of a crux of this origin, with the proposal that participants agreed on as the crux. `consequence` is the effect of settling a structural crux.
pub fn make_card(
    views: CruxInputs<'_>,
    (origin, agreed): (CruxOrigin, Option<CruxId>),
    statement: &str,
    positions: &[Position],
    consequence: Option<&Consequence>,
) -> CruxCard {
    let (kind, kind_reason) = kind(views, origin, statement, positions);
    let dispute = match origin {
        CruxOrigin::Dispute { dispute } => views.disputes.disputes.get(&dispute),
        CruxOrigin::Acknowledged { proposal } => {
            let crux = views.proposals.cruxes.get(&proposal);
            crux.and_then(|crux| dispute_asking(views, crux)).map(|(_, dispute, _)| dispute)
        }
        CruxOrigin::Structure { .. } => None,
    };
    let mut criteria = dispute.map(|dispute| dispute.criteria.clone()).unwrap_or_default();
    criteria.sort_by_key(|criterion| criterion_turn(criterion));
    let criteria_missing = criteria.is_empty().then(|| "No criterion is recorded.".to_owned());
    let mut mind_changes = mind_changes(views, (origin, agreed), statement, positions);
    for change in &mut mind_changes {
        take_from_criteria(views, change, &criteria);
        date_by_criterion(change, &views.name(&change.persona), &criteria);
    }
    let resolved = resolution(views, origin);
    let room = room_of(views, origin);
    CruxCard {
        kind,
        kind_reason,
        diagnosis: room.map_or_else(|| diagnosis(origin, positions, consequence), |(_, card)| card.diagnosis.clone()),
        diagnosed_in: room.map(|(room, _)| room),
        horizon: dispute.and_then(|dispute| dispute.horizon.clone()),
        criteria,
        criteria_missing,
        mind_changes,
        resolution: resolved.as_ref().ok().cloned(),
        resolution_missing: resolved.err(),
    }
}

/// Takes the condition of a participant without any from a criterion of theirs that they stated as a condition.
fn take_from_criteria(views: CruxInputs<'_>, change: &mut MindChange, criteria: &[String]) {
    if !matches!(change.condition, MindChangeCondition::Unknown { .. } | MindChangeCondition::Contract { .. }) {
        return;
    }
    let own = format!("{} in ", views.name(&change.persona));
    let mut own = criteria.iter().filter(|criterion| criterion.starts_with(&own));
    let stated = || views.flip_conditions.of(&change.persona);
    let found = own.find_map(|criterion| stated().find(|stated| criterion.contains(&stated.quote)));
    if let Some(stated) = found {
        let (quote, turn) = (stated.quote.clone(), stated.turn);
        change.condition = MindChangeCondition::Spoken { quote, turn, on_crux: true };
    }
}

/// Dates a condition by a criterion in the same words of the same speaker: words said in two turns are quoted from one.
fn date_by_criterion(change: &mut MindChange, name: &str, criteria: &[String]) {
    let MindChangeCondition::Spoken { quote, turn, .. } = &mut change.condition else { return };
    let mut own = criteria.iter().filter(|criterion| criterion.starts_with(&format!("{name} in ")));
    let same = own.find(|criterion| criterion.contains(quote.as_str()));
    if let Some(said) = same.and_then(|criterion| criterion_turn(criterion)) {
        *turn = said;
    }
}

//! Measures of fact checks.

use crate::events::checks::check::CheckVerdict;
use crate::events::ids::DraftId;
use crate::measures::inputs::MeasureInputs;
use crate::measures::measure::{MeasurePart, MeasureValue};
use crate::projections::fact_checks::FactCheck;
use crate::projections::motion::Draft;

const NOTHING_DECIDED: &str = "No claim was found true or false.";

/// Share of true claims among those found true or false, in what was said.
pub fn factuality(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let checks = &inputs.read_model.fact_checks;
    let all = checks.factuality(|_| true);
    let parts = inputs.participants().map(|persona| {
        let turns = said(inputs).filter(|check| check.speaker.as_ref() == Some(persona));
        let turns: Vec<_> = turns.filter_map(|check| checks.turn_of(check)).collect();
        MeasurePart::of(persona, checks.of(persona).share, turns)
    });
    MeasureValue::share(all.n_true as usize, (all.n_true + all.n_false) as usize, NOTHING_DECIDED)
        .with_parts(parts.filter(|part| !part.turns.is_empty()))
}

/// Share of the claims in what was said that were found true or false.
pub fn fact_coverage(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let all = inputs.read_model.fact_checks.factuality(|_| true);
    let decided = all.n_true + all.n_false;
    let total = decided + all.n_unverifiable + all.n_unchecked;
    MeasureValue::share(decided as usize, total as usize, "No claim was pointed out for a check.")
}

/// Share of the claims found false that were said, and not rejected with a draft.
pub fn false_claims_said(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let checks = &inputs.read_model.fact_checks;
    let found: Vec<&FactCheck> = checks.checks.values().filter(|check| is_false(check)).collect();
    let said: Vec<&&FactCheck> = found.iter().filter(|check| checks.is_said(check.checked.draft)).collect();
    let parts = said.iter().map(|check| MeasurePart {
        label: check.checked.claim.clone(),
        persona: check.speaker.clone(),
        value: None,
        turns: checks.turn_of(check).into_iter().collect(),
    });
    MeasureValue::share(said.len(), found.len(), "No claim was found false.").with_parts(parts.collect::<Vec<_>>())
}

/// Share of the rejected drafts after which the next draft of the same turn has fewer false claims.
pub fn retry_gain(inputs: &MeasureInputs<'_>) -> MeasureValue {
    let drafts: Vec<(&DraftId, &Draft)> = inputs.read_model.motion.drafts.iter().collect();
    let rejected = drafts.iter().enumerate().filter(|(_, (_, draft))| draft.rejected.is_some());
    let improved: Vec<bool> = rejected
        .map(|(at, (id, draft))| {
            let turn = &draft.drafted.turn;
            let next = drafts[at + 1..].iter().find(|(_, other)| {
                (other.drafted.turn.turn, &other.drafted.turn.speaker) == (turn.turn, &turn.speaker)
            });
            next.is_some_and(|(next, _)| false_claims(inputs, **next) < false_claims(inputs, **id))
        })
        .collect();
    let gained = improved.iter().filter(|it| **it).count();
    MeasureValue::share(gained, improved.len(), "No draft was rejected.")
}

fn false_claims(inputs: &MeasureInputs<'_>, draft: DraftId) -> usize {
    inputs.read_model.fact_checks.of_draft(draft).filter(|check| is_false(check)).count()
}

fn is_false(check: &FactCheck) -> bool {
    check.checked.verdict == CheckVerdict::False
}

fn said<'a>(inputs: &MeasureInputs<'a>) -> impl Iterator<Item = &'a FactCheck> + use<'a> {
    let checks = &inputs.read_model.fact_checks;
    checks.checks.values().filter(|check| checks.is_said(check.checked.draft))
}

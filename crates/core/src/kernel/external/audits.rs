//! Validates audits in external events, and refuses probes.

use crate::events::audit::{Auditor, QualificationBasis, WordsAudited};
use crate::events::event::Event;
use crate::kernel::closing::calibration::MIN_PRECISION;
use crate::kernel::engine::Refusal;
use crate::kernel::external::id_rules::{check_not_blank, missing, share};
use crate::verdicts::read_model::DebateReadModel;

/// Checks whether an audit is of words that the debate recorded, and whether its auditor is as qualified as it says;
/// accepts all other events but those of audits and probes after the end, which only this service records.
///
/// # Errors
/// [`Refusal`] if it is not.
pub fn check_audit(read_model: &DebateReadModel, event: &Event) -> Result<(), Refusal> {
    match event {
        Event::WordsAudited(audited) => words(read_model, audited),
        Event::AuditRequested(_) | Event::AuditConcluded(_) => {
            Err(Refusal::invalid("audits of debates that have ended are requested with auditDebate"))
        }
        Event::ProbesRequested(_)
        | Event::ContractProbed(_)
        | Event::ContradictionsProbed(_)
        | Event::EndorsementsProbed(_)
        | Event::ProbesConcluded(_) => {
            Err(Refusal::invalid("probes of debates that have ended are requested with probeDebate"))
        }
        _ => Ok(()),
    }
}

fn words(read_model: &DebateReadModel, audited: &WordsAudited) -> Result<(), Refusal> {
    auditor(&audited.auditor)?;
    let items = read_model.audit_items();
    let mut seen: Vec<i64> = Vec::new();
    for reading in &audited.readings {
        let (event, asked) = (reading.event, reading.asked);
        if !items.iter().any(|item| (item.event, item.asked) == (event, asked)) {
            return Err(missing("words", format!("of this kind to audit in event {event}")));
        }
        if seen.contains(&event) {
            return Err(Refusal::invalid(format!("event {event} is read twice")));
        }
        seen.push(event);
    }
    for event in &audited.unread {
        if !items.iter().any(|item| item.event == *event) {
            return Err(missing("words", format!("to audit in event {event}")));
        }
        if seen.contains(event) {
            return Err(Refusal::invalid(format!("event {event} is both read and unread")));
        }
    }
    Ok(())
}

/// Checks an auditor. An external one is qualified by its measured precision only.
fn auditor(auditor: &Auditor) -> Result<(), Refusal> {
    check_not_blank("provider of the auditor", &auditor.provider)?;
    check_not_blank("model of the auditor", &auditor.model)?;
    share("precision", auditor.precision.unwrap_or_default())?;
    share("recall", auditor.recall.unwrap_or_default())?;
    let is_measured = auditor.basis == QualificationBasis::Measured;
    let is_precise = auditor.precision.is_some_and(|precision| precision >= MIN_PRECISION);
    if auditor.qualified != (is_measured && is_precise) {
        let reason = format!(
            "an auditor is qualified if and only if its basis is `measured` and its precision is at least {MIN_PRECISION}"
        );
        return Err(Refusal::invalid(reason));
    }
    Ok(())
}

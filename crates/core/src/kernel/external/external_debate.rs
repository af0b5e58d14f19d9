//! State of an external debate, folded as far as validation needs it.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::events::event::{Event, Recorded};
use crate::events::ids::DebateId;
use crate::kernel::engine::{EngineRegistration, Refusal, external_names, is_external};
use crate::kernel::external::audits::check_audit;
use crate::kernel::external::channel::check_channel;
use crate::kernel::external::checks::{check_fact_check, check_pages};
use crate::kernel::external::claims::{check_carried_attacks, check_claim, check_count};
use crate::kernel::external::drafts::check_draft;
use crate::kernel::external::id_rules::{conflict, missing};
use crate::kernel::external::lifecycle_rules::{check_lifecycle, check_receipt, opening};
use crate::kernel::external::proposals::check_proposal;
use crate::kernel::external::questions::check_question;
use crate::kernel::external::rooms::check_room;
use crate::kernel::external::tables::check_table;
use crate::kernel::ledger::Ledger;
use crate::verdicts::read_model::DebateReadModel;

/// Maximum number of events in an external debate: every append folds them.
pub const MAX_EVENTS: usize = 50_000;

/// External debate: its read model and its effect ledger.
#[derive(Clone, Debug, Default)]
pub struct ExternalDebate {
    /// Read model of the debate.
    pub read_model: DebateReadModel,
    ledger: Ledger,
    /// True if an answer was accepted since the debate was paused.
    settling: bool,
}

/// Refusal of appended events, with the index of the offending one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedEvent {
    /// Index among the appended events, from 0; `None` if the refusal concerns all of them together.
    pub at: Option<usize>,
    /// The refusal.
    pub refusal: Refusal,
}

impl ExternalDebate {
    /// Applies a recorded event.
    pub fn apply(&mut self, recorded: &Recorded) {
        self.read_model.apply(recorded);
        self.ledger.apply(recorded);
        match &recorded.event {
            Event::EffectAnswered(_) => self.settling = true,
            Event::DebatePaused(_) => self.settling = false,
            _ => {}
        }
    }

    /// Checks whether the debate, if it exists, accepts external events.
    ///
    /// # Errors
    /// [`Refusal`] that names the debate's engine.
    pub fn check_engine(&self, engines: &[EngineRegistration]) -> Result<(), Refusal> {
        let engine = &self.read_model.summary.engine;
        if self.read_model.is_empty() || is_external(engines, engine) {
            return Ok(());
        }
        let reason = format!(
            "the debate is run by the engine {engine}; only debates of the engine {} accept external events: interject, \
             or fork it",
            external_names(engines)
        );
        Err(conflict(reason))
    }

    /// Validates events, each against the state after the ones before it, and returns them as they are to be recorded.
    /// Only an opening event is changed: it is completed with defaults.
    ///
    /// Cost: linear in the events; each event looks up its identifiers in the read model.
    ///
    /// # Errors
    /// [`RefusedEvent`] for the first invalid event.
    pub fn validate(
        &self,
        engines: &[EngineRegistration],
        debate: DebateId,
        events: Vec<Event>,
    ) -> Result<Vec<Event>, RefusedEvent> {
        let mut after = self.clone();
        let mut admitted = Vec::with_capacity(events.len());
        for (at, event) in events.into_iter().enumerate() {
            let refused = |refusal| RefusedEvent { at: Some(at), refusal };
            let event = after.may_follow(engines, debate, event).map_err(refused)?;
            after.apply(&after.as_recorded(debate, event.clone()));
            admitted.push(event);
        }
        check_carried_attacks(&after.read_model).map_err(|refusal| RefusedEvent { at: None, refusal })?;
        Ok(admitted)
    }

    fn may_follow(&self, engines: &[EngineRegistration], debate: DebateId, event: Event) -> Result<Event, Refusal> {
        let read_model = &self.read_model;
        if read_model.is_empty() {
            return match event {
                Event::DebateOpened(opened) => opening(engines, *opened),
                _ => Err(missing("debate", format!("{debate}: the first event must be debate_opened"))),
            };
        }
        check_count("events", usize::try_from(read_model.summary.version).unwrap_or(usize::MAX), MAX_EVENTS)?;
        check_lifecycle(read_model, self.settling, &event)?;
        check_receipt(read_model, &self.ledger, &event)?;
        check_claim(read_model, &event)?;
        check_question(read_model, &event)?;
        check_room(read_model, &event)?;
        check_channel(read_model, &event)?;
        check_table(read_model, &event)?;
        check_draft(read_model, &event)?;
        check_fact_check(read_model, &event)?;
        check_pages(&event)?;
        check_proposal(read_model, &event)?;
        check_audit(read_model, &event)?;
        Ok(event)
    }

    /// Wraps an event as if it were recorded next, at the time of the last one.
    fn as_recorded(&self, debate: DebateId, event: Event) -> Recorded {
        let summary = &self.read_model.summary;
        let at = summary.updated_at.unwrap_or(DateTime::<Utc>::UNIX_EPOCH);
        let (lane, position, version) = (0, 0, summary.version + 1);
        Recorded { id: Uuid::nil(), debate, version, lane, position, at, caused_by: None, event }
    }
}

//! Appends events from external engines: validated, recorded exactly once, all or none.

use std::collections::HashMap;

use metrics::counter;
use serde_json::Value;
use uuid::Uuid;

use crate::service::{DebateService, PAGE};
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::citation::Citation;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_core::events::receipt::PassageRef;
use faultline_core::kernel::effect;
use faultline_core::kernel::engine::{Refusal, RefusalKind};
use faultline_core::kernel::external::decode;
use faultline_core::kernel::external::external_debate::{ExternalDebate, RefusedEvent};
use faultline_core::kernel::external::lifecycle_rules::opening;
use faultline_core::kernel::quotations::citation_check;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_store::error::StoreError;
use faultline_store::library::open::Library;
use faultline_store::log::append::{Append, AppendError, AppendedOnce, NewEvent};

/// Maximum number of events in one call.
pub const MAX_EVENTS: usize = 100;
/// Maximum total size of the event bodies of one call as stored, in bytes (192 KiB). A request body may be little
/// larger.
pub const MAX_BYTES: usize = 192 << 10;

/// Event as supplied by a client.
#[derive(Clone, Debug, PartialEq)]
pub struct EventInput {
    /// Id of the event, chosen by the client; a retry must reuse it.
    pub id: Uuid,
    /// Wire name of the kind, such as `turn_taken`.
    pub kind: String,
    /// Body, in the current schema of its kind.
    pub body: Value,
    /// Id of the event that caused this one.
    pub caused_by: Option<Uuid>,
}

/// Result of an append.
#[derive(Clone, Debug)]
pub struct Appended {
    /// Read model of the debate after the append.
    pub read_model: DebateReadModel,
    /// Events as recorded, in the order given.
    pub events: Vec<Recorded>,
    /// True if the events had already been recorded by an earlier call.
    pub repeated: bool,
}

/// Error of an append; nothing was recorded.
#[derive(Debug, thiserror::Error)]
pub enum ExternalAppendError {
    /// An event, or the batch as a whole, is not allowed in the current state of the debate.
    #[error("{}", .0.refusal)]
    Refused(RefusedEvent),
    /// The debate is not at the version that the client expected.
    #[error("the debate is at version {actual}, not {expected}; read the events in between and decide again")]
    Behind {
        /// Version that the client expected.
        expected: i64,
        /// Actual version of the debate.
        actual: i64,
    },
    /// Some ids belong to other events, or only some of these events are already recorded.
    #[error("{reason}")]
    Reused {
        /// Explanation, and what to do.
        reason: String,
        /// Actual version of the debate.
        actual: i64,
    },
    /// The service or its database failed.
    #[error(transparent)]
    Fault(#[from] StoreError),
}

impl From<Refusal> for ExternalAppendError {
    fn from(refusal: Refusal) -> Self {
        ExternalAppendError::Refused(RefusedEvent { at: None, refusal })
    }
}

impl DebateService {
    /// Appends events to a debate that is run from outside if the debate is at version `expected`; 0 opens a new
    /// debate. Either all events are recorded or none. A retry with the same ids records nothing and returns the events
    /// with the versions they already have.
    ///
    /// Cost: folds the debate once.
    ///
    /// # Errors
    /// [`ExternalAppendError::Refused`] if an event is invalid or not allowed; [`ExternalAppendError::Behind`] if the debate is at
    /// another version; [`ExternalAppendError::Reused`] if the ids conflict with recorded events; [`ExternalAppendError::Fault`] if the
    /// log or the library fails.
    pub async fn append_events(
        &self,
        debate: DebateId,
        expected: i64,
        given: Vec<EventInput>,
    ) -> Result<Appended, ExternalAppendError> {
        let outcome = self.append_given(debate, expected, given).await;
        let (label, n_events) = match &outcome {
            Ok(appended) if appended.repeated => ("repeated", 0),
            Ok(appended) => ("appended", appended.events.len()),
            Err(ExternalAppendError::Refused(_)) => ("refused", 0),
            Err(ExternalAppendError::Behind { .. } | ExternalAppendError::Reused { .. }) => ("conflict", 0),
            Err(ExternalAppendError::Fault(_)) => ("fault", 0),
        };
        counter!("faultline_outside_appends_total", "outcome" => label).increment(1);
        counter!("faultline_outside_events_total").increment(n_events as u64);
        outcome
    }

    async fn append_given(
        &self,
        debate: DebateId,
        expected: i64,
        given: Vec<EventInput>,
    ) -> Result<Appended, ExternalAppendError> {
        let events = self.checked(read(&given)?).await?;
        let before = self.outside(debate).await?;
        before.check_engine(ENGINES)?;
        let actual = before.read_model.summary.version;
        let there = self.there(debate, &given).await?;
        if let Some(recorded) = repeated(&given, &events, &there, actual)? {
            // The events may have been recorded between the two reads.
            let is_behind = recorded.iter().any(|event| event.version > actual);
            let read_model = if is_behind { self.outside(debate).await?.read_model } else { before.read_model };
            return Ok(Appended { read_model, events: recorded, repeated: true });
        }
        if expected != actual {
            return Err(ExternalAppendError::Behind { expected, actual });
        }
        let events = before.validate(ENGINES, debate, events).map_err(ExternalAppendError::Refused)?;
        caused(&given, &there)?;
        let new = given.iter().zip(events);
        let new = new.map(|(input, event)| NewEvent { id: input.id, event, caused_by: input.caused_by });
        let actor = self.actor().name().map(str::to_owned);
        let append = Append { debate, expected, events: new.collect(), fence: None, actor };
        let appended = self.log().append_once(append).await.map_err(|error| not_appended(error, expected, actual))?;
        let AppendedOnce { events: recorded, repeated } = appended;
        // A concurrent call with the same events may have won: read back what it recorded instead of assuming it.
        let fits = recorded.iter().zip(actual + 1..).all(|(event, version)| event.version == version);
        let mut read_model = before.read_model;
        if fits {
            recorded.iter().for_each(|event| read_model.apply(event));
        } else {
            read_model = self.outside(debate).await?.read_model;
        }
        Ok(Appended { read_model, events: recorded, repeated })
    }

    /// Folds the debate; empty if it does not exist.
    async fn outside(&self, debate: DebateId) -> Result<ExternalDebate, StoreError> {
        let mut outside = ExternalDebate::default();
        loop {
            let page = self.log().read(debate, outside.read_model.summary.version, PAGE).await?;
            page.iter().for_each(|event| outside.apply(event));
            if (page.len() as i64) < PAGE {
                return Ok(outside);
            }
        }
    }

    /// Returns the recorded events of the debate with the ids of `given`, causes included.
    async fn there(&self, debate: DebateId, given: &[EventInput]) -> Result<HashMap<Uuid, Recorded>, StoreError> {
        let ids: Vec<Uuid> = given.iter().flat_map(|input| [Some(input.id), input.caused_by]).flatten().collect();
        Ok(self.log().by_ids(debate, &ids).await?.into_iter().map(|event| (event.id, event)).collect())
    }

    /// Returns the events with their citations checked against the library; quotes and results claimed by the client are discarded.
    async fn checked(&self, mut events: Vec<Event>) -> Result<Vec<Event>, ExternalAppendError> {
        let mut cited: Vec<Citation> = Vec::new();
        for event in &mut events {
            if let Event::ClaimChecked(checked) = event {
                checked.sources.iter_mut().for_each(|source| source.check = None);
            }
        }
        for citation in events.iter_mut().flat_map(citations) {
            citation.quotes.clear();
            // The text of a web page is not in the library: its quotations stay unchecked.
            if citation.page.is_some() {
                continue;
            }
            if cited.iter().all(|earlier| earlier.chunk != citation.chunk) {
                cited.push(citation.clone());
            }
        }
        if cited.is_empty() {
            return Ok(events);
        }
        let chunks: Vec<Uuid> = cited.iter().map(|citation| citation.chunk).collect();
        let found = Library::on(self.log().shards().clone()).cited(&chunks).await?;
        let mut passages = Vec::with_capacity(cited.len());
        for Citation { alias, chunk, .. } in cited {
            let Some(passage) = found.iter().find(|passage| passage.chunk == chunk) else {
                let reason = format!("the library has no passage {chunk}, which is cited as {alias:?}");
                return Err(Refusal::new(RefusalKind::NotFound, reason).into());
            };
            let ground = PassageRef::of_chunk(alias, chunk, 0.0);
            passages.push(effect::SuppliedPassage { ground, text: passage.text.clone(), title: passage.title.clone() });
        }
        Ok(citation_check::verify_quotations(events, &passages))
    }
}

/// Decodes and validates the given events.
fn read(given: &[EventInput]) -> Result<Vec<Event>, ExternalAppendError> {
    if given.is_empty() {
        return Err(Refusal::invalid("the list of events is empty; give at least one event").into());
    }
    if given.len() > MAX_EVENTS {
        let reason = format!("a call may contain at most {MAX_EVENTS} events; this one contains {}", given.len());
        return Err(Refusal::limit("events_per_call", MAX_EVENTS as u64, given.len() as u64, reason).into());
    }
    let (mut events, mut bytes) = (Vec::with_capacity(given.len()), 0);
    for (at, it) in given.iter().enumerate() {
        let refused = |refusal| ExternalAppendError::Refused(RefusedEvent { at: Some(at), refusal });
        if it.id.is_nil() || given[..at].iter().any(|before| before.id == it.id) {
            return Err(refused(Refusal::invalid(format!(
                "the id {} is nil or used by another event of this call",
                it.id
            ))));
        }
        let (event, size) = decode::decode_event(&it.kind, &it.body).map_err(refused)?;
        bytes += size;
        events.push(event);
    }
    if bytes > MAX_BYTES {
        let reason = format!("the event bodies of a call may total at most {MAX_BYTES} bytes; these total {bytes}");
        return Err(Refusal::limit("bytes_per_call", MAX_BYTES as u64, bytes as u64, reason).into());
    }
    Ok(events)
}

/// Returns the recorded events if all of `given` were recorded, `None` if none was.
fn repeated(
    given: &[EventInput],
    events: &[Event],
    there: &HashMap<Uuid, Recorded>,
    actual: i64,
) -> Result<Option<Vec<Recorded>>, ExternalAppendError> {
    let found: Vec<&Recorded> = given.iter().filter_map(|input| there.get(&input.id)).collect();
    if found.is_empty() {
        return Ok(None);
    }
    let reused = |reason: String| Err(ExternalAppendError::Reused { reason, actual });
    if found.len() < given.len() {
        let (n, all) = (found.len(), given.len());
        return reused(format!(
            "{n} of these {all} events are already recorded; retry with exactly the same events, or use new ids"
        ));
    }
    let is_same = |((input, event), was): ((&EventInput, &Event), &&Recorded)| {
        was.caused_by == input.caused_by && same(event, &was.event)
    };
    match given.iter().zip(events).zip(&found).find(|pair| !is_same(*pair)) {
        Some(((it, _), _)) => reused(format!("a different event is already recorded under the id {}", it.id)),
        None => Ok(Some(found.into_iter().cloned().collect())),
    }
}

/// Returns whether an event equals the recorded one. An opening is compared after adding the defaults that the service
/// fills in.
fn same(given: &Event, recorded: &Event) -> bool {
    match given {
        Event::DebateOpened(opened) => opening(ENGINES, (**opened).clone()).is_ok_and(|opened| opened == *recorded),
        _ => given == recorded,
    }
}

/// Checks that each cause is an event of the debate or an earlier event of the call.
fn caused(given: &[EventInput], there: &HashMap<Uuid, Recorded>) -> Result<(), ExternalAppendError> {
    for (at, it) in given.iter().enumerate() {
        if let Some(cause) = it.caused_by
            && !there.contains_key(&cause)
            && given[..at].iter().all(|before| before.id != cause)
        {
            let refusal = Refusal::new(
                RefusalKind::NotFound,
                format!("the cause {cause} is not an earlier event of the debate or of this call"),
            );
            return Err(ExternalAppendError::Refused(RefusedEvent { at: Some(at), refusal }));
        }
    }
    Ok(())
}

fn not_appended(error: AppendError, expected: i64, stood_at: i64) -> ExternalAppendError {
    match error {
        AppendError::Conflict { actual } => ExternalAppendError::Behind { expected, actual },
        AppendError::Fault(fault) => fault.into(),
        AppendError::TooLarge { what, limit, actual } => {
            let name = format!("{}_per_append", what.replace(' ', "_"));
            Refusal::limit(&name, limit as u64, actual as u64, error.to_string()).into()
        }
        AppendError::Reused { .. } | AppendError::Fenced => {
            ExternalAppendError::Reused { reason: error.to_string(), actual: stood_at }
        }
    }
}

/// Citations of an event.
fn citations(event: &mut Event) -> Vec<&mut Citation> {
    match event {
        Event::TurnTaken(it) => it.citations.iter_mut().collect(),
        Event::TurnDrafted(it) => it.turn.citations.iter_mut().collect(),
        Event::ArgumentAdvanced(it) => {
            it.evidence.iter_mut().filter_map(|evidence| evidence.citation.as_mut()).collect()
        }
        Event::ReasonGiven(it) => it.evidence.iter_mut().filter_map(|evidence| evidence.citation.as_mut()).collect(),
        Event::ClaimChecked(it) => it.sources.iter_mut().filter_map(|source| source.citation.as_mut()).collect(),
        _ => Vec::new(),
    }
}

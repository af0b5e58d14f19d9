//! Appends events from external engines: validated, recorded exactly once, all or none.

use std::collections::HashMap;

use metrics::counter;
use serde_json::Value;
use uuid::Uuid;

use crate::desk::desk::{Desk, PAGE};
use crate::engines::registry::ENGINES;
use crate::events::event::{Event, Recorded};
use crate::events::ids::DebateId;
use crate::events::receipt::Ground;
use crate::events::turn::Citation;
use crate::kernel::effect;
use crate::kernel::engine::{Refusal, RefusalKind};
use crate::kernel::outside::life::opening;
use crate::kernel::outside::outside::{Outside, Refused};
use crate::kernel::outside::read;
use crate::kernel::quoted;
use crate::store::append::{Append, AppendError, AppendedOnce, NewEvent};
use crate::store::fault::Fault;
use crate::verdicts::board::Board;

/// Maximum number of events in one call.
pub const EVENTS: usize = 100;
/// Maximum total size of the event bodies of one call as stored, in bytes (192 KiB). A request body may be little
/// larger.
pub const BYTES: usize = 192 << 10;

/// Event as supplied by a client.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
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
    pub board: Board,
    /// Events as recorded, in the order given.
    pub events: Vec<Recorded>,
    /// True if the events had already been recorded by an earlier call.
    pub repeated: bool,
}

/// Error of an append; nothing was recorded.
#[derive(Debug, thiserror::Error)]
pub enum NotAppended {
    /// An event, or the batch as a whole, is not allowed in the current state of the debate.
    #[error("{}", .0.refusal)]
    Refused(Refused),
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
    Fault(#[from] Fault),
}

impl From<Refusal> for NotAppended {
    fn from(refusal: Refusal) -> Self {
        NotAppended::Refused(Refused { at: None, refusal })
    }
}

impl Desk {
    /// Appends events to a debate that is run from outside if the debate is at version `expected`; 0 opens a new
    /// debate. Either all events are recorded or none. A retry with the same ids records nothing and returns the events
    /// with the versions they already have.
    ///
    /// Cost: folds the debate once.
    ///
    /// # Errors
    /// [`NotAppended::Refused`] if an event is invalid or not allowed; [`NotAppended::Behind`] if the debate is at
    /// another version; [`NotAppended::Reused`] if the ids conflict with recorded events; [`NotAppended::Fault`] if the
    /// log or the library fails.
    pub async fn append_events(
        &self,
        debate: DebateId,
        expected: i64,
        given: Vec<Given>,
    ) -> Result<Appended, NotAppended> {
        let outcome = self.append_given(debate, expected, given).await;
        let (told, n_events) = match &outcome {
            Ok(appended) if appended.repeated => ("repeated", 0),
            Ok(appended) => ("appended", appended.events.len()),
            Err(NotAppended::Refused(_)) => ("refused", 0),
            Err(NotAppended::Behind { .. } | NotAppended::Reused { .. }) => ("conflict", 0),
            Err(NotAppended::Fault(_)) => ("fault", 0),
        };
        counter!("faultline_outside_appends_total", "outcome" => told).increment(1);
        counter!("faultline_outside_events_total").increment(n_events as u64);
        outcome
    }

    async fn append_given(&self, debate: DebateId, expected: i64, given: Vec<Given>) -> Result<Appended, NotAppended> {
        let events = self.checked(read(&given)?).await?;
        let before = self.outside(debate).await?;
        before.is_ours()?;
        let actual = before.board.summary.version;
        let there = self.there(debate, &given).await?;
        if let Some(recorded) = repeated(&given, &events, &there, actual)? {
            // The events may have been recorded between the two reads.
            let is_behind = recorded.iter().any(|it| it.version > actual);
            let board = if is_behind { self.outside(debate).await?.board } else { before.board };
            return Ok(Appended { board, events: recorded, repeated: true });
        }
        if expected != actual {
            return Err(NotAppended::Behind { expected, actual });
        }
        let events = before.admit(ENGINES, debate, events).map_err(NotAppended::Refused)?;
        caused(&given, &there)?;
        let new = given.iter().zip(events);
        let new = new.map(|(it, event)| NewEvent { id: it.id, event, caused_by: it.caused_by });
        let actor = self.actor().name().map(str::to_owned);
        let append = Append { debate, expected, events: new.collect(), fence: None, actor };
        let appended = self.log().append_once(append).await.map_err(|it| not_appended(it, expected, actual))?;
        let AppendedOnce { events: recorded, repeated } = appended;
        // A concurrent call with the same events may have won: read back what it recorded instead of assuming it.
        let fits = recorded.iter().zip(actual + 1..).all(|(it, version)| it.version == version);
        let mut board = before.board;
        if fits {
            recorded.iter().for_each(|it| board.apply(it));
        } else {
            board = self.outside(debate).await?.board;
        }
        Ok(Appended { board, events: recorded, repeated })
    }

    /// Folds the debate; empty if it does not exist.
    async fn outside(&self, debate: DebateId) -> Result<Outside, Fault> {
        let mut outside = Outside::default();
        loop {
            let page = self.log().read(debate, outside.board.summary.version, PAGE).await?;
            page.iter().for_each(|it| outside.apply(it));
            if (page.len() as i64) < PAGE {
                return Ok(outside);
            }
        }
    }

    /// Returns the recorded events of the debate with the ids of `given`, causes included.
    async fn there(&self, debate: DebateId, given: &[Given]) -> Result<HashMap<Uuid, Recorded>, Fault> {
        let ids: Vec<Uuid> = given.iter().flat_map(|it| [Some(it.id), it.caused_by]).flatten().collect();
        Ok(self.log().by_ids(debate, &ids).await?.into_iter().map(|it| (it.id, it)).collect())
    }

    /// Returns the events with their citations checked against the library; quotes claimed by the client are discarded.
    async fn checked(&self, mut events: Vec<Event>) -> Result<Vec<Event>, NotAppended> {
        let mut cited: Vec<Citation> = Vec::new();
        for citation in events.iter_mut().flat_map(citations) {
            citation.quotes.clear();
            if cited.iter().all(|it| it.chunk != citation.chunk) {
                cited.push(citation.clone());
            }
        }
        if cited.is_empty() {
            return Ok(events);
        }
        let chunks: Vec<Uuid> = cited.iter().map(|it| it.chunk).collect();
        let found = self.log().library().cited(&chunks).await?;
        let mut passages = Vec::with_capacity(cited.len());
        for Citation { alias, chunk, .. } in cited {
            let Some(passage) = found.iter().find(|it| it.chunk == chunk) else {
                let reason = format!("the library has no passage {chunk}, which is cited as {alias:?}");
                return Err(Refusal::new(RefusalKind::NotFound, reason).into());
            };
            let ground = Ground { alias, chunk, score: 0.0 };
            passages.push(effect::Passage { ground, text: passage.text.clone(), title: passage.title.clone() });
        }
        Ok(quoted::verified(events, &passages))
    }
}

/// Decodes and validates the given events.
fn read(given: &[Given]) -> Result<Vec<Event>, NotAppended> {
    let limit = |reason: String| NotAppended::from(Refusal::new(RefusalKind::Limit, reason));
    if given.is_empty() {
        return Err(Refusal::invalid("the list of events is empty; give at least one event").into());
    }
    if given.len() > EVENTS {
        return Err(limit(format!("a call may contain at most {EVENTS} events; this one contains {}", given.len())));
    }
    let (mut events, mut bytes) = (Vec::with_capacity(given.len()), 0);
    for (at, it) in given.iter().enumerate() {
        let refused = |refusal| NotAppended::Refused(Refused { at: Some(at), refusal });
        if it.id.is_nil() || given[..at].iter().any(|before| before.id == it.id) {
            return Err(refused(Refusal::invalid(format!(
                "the id {} is nil or used by another event of this call",
                it.id
            ))));
        }
        let (event, size) = read::event(&it.kind, &it.body).map_err(refused)?;
        bytes += size;
        events.push(event);
    }
    if bytes > BYTES {
        return Err(limit(format!("the event bodies of a call may total at most {BYTES} bytes; these total {bytes}")));
    }
    Ok(events)
}

/// Returns the recorded events if all of `given` were recorded, `None` if none was.
fn repeated(
    given: &[Given],
    events: &[Event],
    there: &HashMap<Uuid, Recorded>,
    actual: i64,
) -> Result<Option<Vec<Recorded>>, NotAppended> {
    let found: Vec<&Recorded> = given.iter().filter_map(|it| there.get(&it.id)).collect();
    if found.is_empty() {
        return Ok(None);
    }
    let reused = |reason: String| Err(NotAppended::Reused { reason, actual });
    if found.len() < given.len() {
        let (n, all) = (found.len(), given.len());
        return reused(format!(
            "{n} of these {all} events are already recorded; retry with exactly the same events, or use new ids"
        ));
    }
    let is_same =
        |((it, event), was): ((&Given, &Event), &&Recorded)| was.caused_by == it.caused_by && same(event, &was.event);
    match given.iter().zip(events).zip(&found).find(|it| !is_same(*it)) {
        Some(((it, _), _)) => reused(format!("a different event is already recorded under the id {}", it.id)),
        None => Ok(Some(found.into_iter().cloned().collect())),
    }
}

/// Returns whether an event equals the recorded one. An opening is compared after adding the defaults that the service
/// fills in.
fn same(given: &Event, recorded: &Event) -> bool {
    match given {
        Event::DebateOpened(opened) => opening(ENGINES, (**opened).clone()).is_ok_and(|it| it == *recorded),
        _ => given == recorded,
    }
}

/// Checks that each cause is an event of the debate or an earlier event of the call.
fn caused(given: &[Given], there: &HashMap<Uuid, Recorded>) -> Result<(), NotAppended> {
    for (at, it) in given.iter().enumerate() {
        if let Some(cause) = it.caused_by
            && !there.contains_key(&cause)
            && given[..at].iter().all(|before| before.id != cause)
        {
            let refusal = Refusal::new(
                RefusalKind::NotFound,
                format!("the cause {cause} is not an earlier event of the debate or of this call"),
            );
            return Err(NotAppended::Refused(Refused { at: Some(at), refusal }));
        }
    }
    Ok(())
}

fn not_appended(error: AppendError, expected: i64, stood_at: i64) -> NotAppended {
    match error {
        AppendError::Conflict { actual } => NotAppended::Behind { expected, actual },
        AppendError::Fault(fault) => fault.into(),
        AppendError::TooLarge { .. } => Refusal::new(RefusalKind::Limit, error.to_string()).into(),
        AppendError::Reused { .. } | AppendError::Fenced => {
            NotAppended::Reused { reason: error.to_string(), actual: stood_at }
        }
    }
}

/// Citations of an event.
fn citations(event: &mut Event) -> Vec<&mut Citation> {
    match event {
        Event::TurnTaken(it) => it.citations.iter_mut().collect(),
        Event::ArgumentAdvanced(it) => it.evidence.iter_mut().filter_map(|it| it.citation.as_mut()).collect(),
        Event::ReasonGiven(it) => it.evidence.iter_mut().filter_map(|it| it.citation.as_mut()).collect(),
        Event::ClaimChecked(it) => it.sources.iter_mut().filter_map(|it| it.citation.as_mut()).collect(),
        _ => Vec::new(),
    }
}

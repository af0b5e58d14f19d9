//! Events from outside: validated, appended once, all of them or none.

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

/// Events in one call at most.
pub const EVENTS: usize = 100;
/// Bytes of all bodies of one call at most, as they are stored: 192 KiB. A request may hold little more.
pub const BYTES: usize = 192 << 10;

/// An event as a client gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// Its name, chosen by the client; whoever asks again uses the same.
    pub id: Uuid,
    /// Its wire name: `turn_taken`.
    pub kind: String,
    /// What happened, in the current shape of its kind.
    pub body: Value,
    /// The event that it followed from.
    pub caused_by: Option<Uuid>,
}

/// What became of an append.
#[derive(Clone, Debug)]
pub struct Appended {
    /// The debate as it is now.
    pub board: Board,
    /// The events as they are recorded, in the order in which they were given.
    pub events: Vec<Recorded>,
    /// Whether they had been recorded before.
    pub repeated: bool,
}

/// Why nothing was appended.
#[derive(Debug, thiserror::Error)]
pub enum NotAppended {
    /// An event, or all of them, may not follow what is there.
    #[error("{}", .0.refusal)]
    Refused(Refused),
    /// The debate stands elsewhere than the client thought.
    #[error("the debate stands at version {actual}, not {expected}; read what came in between, and decide again")]
    Behind {
        /// Where the client thought that it stands.
        expected: i64,
        /// Where it stands.
        actual: i64,
    },
    /// Some of the ids are those of other events, or of some of these events and not of all.
    #[error("{reason}")]
    Reused {
        /// Which, and what to do.
        reason: String,
        /// Where the debate stands.
        actual: i64,
    },
    /// Our own fault.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<Refusal> for NotAppended {
    fn from(refusal: Refusal) -> Self {
        NotAppended::Refused(Refused { at: None, refusal })
    }
}

impl Desk {
    /// Appends events to a debate that is run from outside, or opens it with them, if it stands at the expected version
    /// (0 where it is not there yet). All are recorded or none. Given again under the same ids, they are not recorded
    /// again and come back with the versions that they have.
    ///
    /// Cost: the debate is folded once.
    ///
    /// # Errors
    /// See [`NotAppended`].
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
            // They may have been recorded between the two reads.
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
        // Another call with the same events may have been quicker: what it recorded is read, not assumed.
        let fits = recorded.iter().zip(actual + 1..).all(|(it, version)| it.version == version);
        let mut board = before.board;
        if fits {
            recorded.iter().for_each(|it| board.apply(it));
        } else {
            board = self.outside(debate).await?.board;
        }
        Ok(Appended { board, events: recorded, repeated })
    }

    /// The debate as it stands; empty where it is not there.
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

    /// What the debate holds under the ids that are given, causes included.
    async fn there(&self, debate: DebateId, given: &[Given]) -> Result<HashMap<Uuid, Recorded>, Fault> {
        let ids: Vec<Uuid> = given.iter().flat_map(|it| [Some(it.id), it.caused_by]).flatten().collect();
        Ok(self.log().by_ids(debate, &ids).await?.into_iter().map(|it| (it.id, it)).collect())
    }

    /// The events, their citations held against the library: that words stand in a passage is for nobody to claim.
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
                let reason = format!("the library holds no passage {chunk}, which is cited as {alias:?}");
                return Err(Refusal::new(RefusalKind::NotFound, reason).into());
            };
            let ground = Ground { alias, chunk, score: 0.0 };
            passages.push(effect::Passage { ground, text: passage.text.clone(), title: passage.title.clone() });
        }
        Ok(quoted::verified(events, &passages))
    }
}

/// The events of what is given.
fn read(given: &[Given]) -> Result<Vec<Event>, NotAppended> {
    let limit = |reason: String| NotAppended::from(Refusal::new(RefusalKind::Limit, reason));
    if given.is_empty() {
        return Err(Refusal::invalid("there are no events; give one or more").into());
    }
    if given.len() > EVENTS {
        return Err(limit(format!("a call may hold {EVENTS} events at most, and this one holds {}", given.len())));
    }
    let (mut events, mut bytes) = (Vec::with_capacity(given.len()), 0);
    for (at, it) in given.iter().enumerate() {
        let refused = |refusal| NotAppended::Refused(Refused { at: Some(at), refusal });
        if it.id.is_nil() || given[..at].iter().any(|before| before.id == it.id) {
            return Err(refused(Refusal::invalid(format!("the id {} names another event already, or none", it.id))));
        }
        let (event, size) = read::event(&it.kind, &it.body).map_err(refused)?;
        bytes += size;
        events.push(event);
    }
    if bytes > BYTES {
        return Err(limit(format!("the bodies of a call may hold {BYTES} bytes at most, and these hold {bytes}")));
    }
    Ok(events)
}

/// What was recorded, where all of it was; nothing, where none was.
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
            "{n} of these {all} events are recorded already; give the same events again, or new ones"
        ));
    }
    let is_same =
        |((it, event), was): ((&Given, &Event), &&Recorded)| was.caused_by == it.caused_by && same(event, &was.event);
    match given.iter().zip(events).zip(&found).find(|it| !is_same(*it)) {
        Some(((it, _), _)) => reused(format!("an event of another content has the id {}", it.id)),
        None => Ok(Some(found.into_iter().cloned().collect())),
    }
}

/// Whether an event says what was recorded. An opening is recorded with what the service fills in.
fn same(given: &Event, recorded: &Event) -> bool {
    match given {
        Event::DebateOpened(opened) => opening(ENGINES, (**opened).clone()).is_ok_and(|it| it == *recorded),
        _ => given == recorded,
    }
}

/// A cause is an event of the debate, or an earlier one of the call.
fn caused(given: &[Given], there: &HashMap<Uuid, Recorded>) -> Result<(), NotAppended> {
    for (at, it) in given.iter().enumerate() {
        if let Some(cause) = it.caused_by
            && !there.contains_key(&cause)
            && given[..at].iter().all(|before| before.id != cause)
        {
            let refusal = Refusal::new(RefusalKind::NotFound, format!("no event {cause} goes before it"));
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

/// What an event cites.
fn citations(event: &mut Event) -> Vec<&mut Citation> {
    match event {
        Event::TurnTaken(it) => it.citations.iter_mut().collect(),
        Event::ArgumentAdvanced(it) => it.evidence.iter_mut().filter_map(|it| it.citation.as_mut()).collect(),
        Event::ReasonGiven(it) => it.evidence.iter_mut().filter_map(|it| it.citation.as_mut()).collect(),
        Event::ClaimChecked(it) => it.sources.iter_mut().filter_map(|it| it.citation.as_mut()).collect(),
        _ => Vec::new(),
    }
}

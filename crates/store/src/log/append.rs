//! Append requests to the log: their limits, outcomes and errors.

use chrono::{DateTime, Utc};
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::cipher::{DebateKey, EventIdentity, StoredKey};
use crate::error::StoreError;
use crate::keys::WriteKey;
use crate::leases::Fence;
use crate::wake::bus_message::{AppendMessage, MAX_MESSAGE_BYTES, SealedEvent};
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_core::events::wire;
use faultline_core::events::wire::EncodedEvent;

/// Maximum number of events in one append.
pub const MAX_APPEND_EVENTS: usize = 1_000;
/// Maximum size of one event's body: 4 MiB.
pub const MAX_BODY_BYTES: usize = 4 << 20;
/// Maximum size of all bodies of one append: 32 MiB.
pub const MAX_APPEND_BYTES: usize = 32 << 20;
/// Maximum length of an actor's name, in bytes.
pub const MAX_ACTOR_BYTES: usize = 256;

/// An event to be recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    /// Id of the event, unique in its stream. A retry after a fault uses the same id, so that the event is recorded
    /// only once.
    pub id: Uuid,
    /// The event itself.
    pub event: Event,
    /// Id of the event that caused this one; `None` if a person caused it.
    pub caused_by: Option<Uuid>,
}

/// Events to be recorded atomically in one stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Append {
    /// Debate to whose stream the events are appended.
    pub debate: DebateId,
    /// Expected current version of the stream; 0 for a debate that does not exist yet.
    pub expected: i64,
    /// Events in the order in which they are recorded.
    pub events: Vec<NewEvent>,
    /// Lease under which a runner writes. It must belong to this debate and still be held.
    pub fence: Option<Fence>,
    /// Name of the caller, for the audit record; at most [`MAX_ACTOR_BYTES`]. An empty name counts as `None`.
    pub actor: Option<String>,
}

/// Result of an idempotent append: the events, and whether they had been recorded before.
#[derive(Clone, Debug)]
pub struct AppendedOnce {
    /// Events as they are recorded, in the order of the append.
    pub events: Vec<Recorded>,
    /// True if the database had recorded the events before.
    pub repeated: bool,
}

/// Reason for which an append was not recorded.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AppendError {
    /// The stream is not at the expected version. Read the stream and decide again.
    #[error("the debate is at version {actual}, not at the expected one; read it and decide again")]
    Conflict {
        /// Current version of the stream.
        actual: i64,
    },
    /// The stream contains an event with this id and other content, or the append contains the id twice.
    #[error("the id {id} already belongs to an event with other content; use a new id")]
    Reused {
        /// Id that occurs twice.
        id: Uuid,
    },
    /// The lease is held by another process or by none. Stop driving this debate.
    #[error("the lease on the debate was lost; stop driving it")]
    Fenced,
    /// The append exceeds a limit.
    #[error("an append may contain at most {limit} {what}, but this one contains {actual}")]
    TooLarge {
        /// Unit of the exceeded limit.
        what: &'static str,
        /// Highest allowed value.
        limit: usize,
        /// Actual value.
        actual: usize,
    },
    /// The outcome is unknown. A retry with the same ids records the events only once.
    #[error(transparent)]
    Fault(#[from] StoreError),
}

/// Encoded append on its way to the writer.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) debate: DebateId,
    pub(crate) expected: i64,
    pub(crate) fence: Option<i64>,
    pub(crate) actor: Option<String>,
    pub(crate) events: Vec<AppendRow>,
    pub(crate) bytes: usize,
    /// New key to record with these events, which are the first of their debate.
    pub(crate) new_key: Option<StoredKey>,
    pub(crate) reply: oneshot::Sender<Result<AppendOutcome, StoreError>>,
}

/// One encoded event of a request.
#[derive(Debug)]
pub(crate) struct AppendRow {
    pub(crate) id: Uuid,
    pub(crate) caused_by: Option<Uuid>,
    /// Kind, schema and body as they are stored.
    pub(crate) stored: EncodedEvent,
    /// Body before encryption; `None` if it is stored in plain text.
    pub(crate) plain: Option<Vec<u8>>,
}

impl AppendRow {
    /// Returns kind, schema and the plain body.
    pub(crate) fn into_plain(self) -> EncodedEvent {
        let AppendRow { stored, plain, .. } = self;
        match plain {
            Some(body) => EncodedEvent { body, ..stored },
            None => stored,
        }
    }
}

/// Outcome of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AppendOutcome {
    /// The events were recorded now: version, position and time of the first one; the others follow it consecutively.
    Appended { version: i64, position: i64, at: DateTime<Utc> },
    /// All events had been recorded before.
    Repeated,
    /// The stream is at another version.
    Conflict { actual: i64 },
    /// The id belongs to an event with other content.
    Reused { id: Uuid },
    /// The lease was lost.
    Fenced,
}

impl Append {
    /// Encodes the events and checks the limits. The outcome arrives through the returned receiver.
    ///
    /// # Errors
    /// [`AppendError::TooLarge`] if a limit is exceeded; [`AppendError::Reused`] if an id occurs twice;
    /// [`AppendError::Fenced`] if the fence belongs to another debate.
    pub(crate) fn request(
        &self,
    ) -> Result<(Request, oneshot::Receiver<Result<AppendOutcome, StoreError>>), AppendError> {
        within("events", MAX_APPEND_EVENTS, self.events.len())?;
        within("bytes in the actor's name", MAX_ACTOR_BYTES, self.actor.as_ref().map_or(0, String::len))?;
        if self.fence.is_some_and(|fence| fence.debate != self.debate) {
            return Err(AppendError::Fenced);
        }
        let mut events: Vec<AppendRow> = Vec::with_capacity(self.events.len());
        let mut bytes = 0;
        for new in &self.events {
            let stored = wire::encode(&new.event);
            within("bytes in one event", MAX_BODY_BYTES, stored.body.len())?;
            bytes += stored.body.len();
            events.push(AppendRow {
                id: new.id,
                caused_by: new.caused_by.filter(|cause| !cause.is_nil()),
                stored,
                plain: None,
            });
        }
        within("bytes in all events", MAX_APPEND_BYTES, bytes)?;
        if let Some(id) = doubled(&events) {
            return Err(AppendError::Reused { id });
        }
        let (reply, answer) = oneshot::channel();
        let request = Request {
            debate: self.debate,
            expected: self.expected,
            fence: self.fence.map(|fence| fence.token),
            actor: self.actor.clone().filter(|actor| !actor.is_empty()),
            events,
            bytes,
            new_key: None,
            reply,
        };
        Ok((request, answer))
    }
}

impl Request {
    /// Encrypts the bodies with the key of their debate, and keeps a new key to be recorded with them.
    pub(crate) fn seal_under(&mut self, key: &WriteKey) {
        match key {
            WriteKey::Plain => {}
            WriteKey::Recorded(key) => self.seal(key),
            WriteKey::New(key, stored) => {
                self.seal(key);
                self.new_key = Some(stored.clone());
            }
        }
    }

    /// Returns the message that tells other processes of the append, if it was recorded now.
    pub(crate) fn message(&self, outcome: &AppendOutcome) -> Option<AppendMessage> {
        let AppendOutcome::Appended { version, position, at } = *outcome else { return None };
        let event = |row: &AppendRow| SealedEvent { id: row.id, caused_by: row.caused_by, stored: row.stored.clone() };
        let events = || (at, self.events.iter().map(event).collect());
        let n_events = self.events.len() as i64;
        let events = (self.bytes <= MAX_MESSAGE_BYTES).then(events);
        Some(AppendMessage { debate: self.debate, version, position, n_events, events })
    }

    /// Encrypts the bodies. The limits apply to the plain bodies; a repeated append is encrypted to the same bytes.
    fn seal(&mut self, key: &DebateKey) {
        for line in &mut self.events {
            let EncodedEvent { kind, schema, body } = &mut line.stored;
            let sealed = key.encrypt(EventIdentity { id: line.id, kind, schema: *schema }, body);
            self.bytes = self.bytes - body.len() + sealed.len();
            line.plain = Some(std::mem::replace(body, sealed));
        }
    }
}

fn within(what: &'static str, limit: usize, actual: usize) -> Result<(), AppendError> {
    if actual > limit { Err(AppendError::TooLarge { what, limit, actual }) } else { Ok(()) }
}

fn doubled(events: &[AppendRow]) -> Option<Uuid> {
    let mut ids: Vec<Uuid> = events.iter().map(|line| line.id).collect();
    ids.sort_unstable();
    ids.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use faultline_core::events::lifecycle::DebateAborted;

    fn append(events: usize, bytes: usize) -> Append {
        let event = Event::DebateAborted(DebateAborted { reason: "x".repeat(bytes) });
        let new = |n| NewEvent { id: Uuid::from_u128(n as u128), event: event.clone(), caused_by: Some(Uuid::nil()) };
        let events = (0..events).map(new).collect();
        Append { debate: DebateId(Uuid::nil()), expected: 0, events, fence: None, actor: Some(String::new()) }
    }

    fn refusal(append: &Append) -> String {
        append.request().map_or_else(|error| error.to_string(), |_| String::new())
    }

    #[test]
    fn an_append_may_reach_a_limit_but_not_exceed_it() {
        let frame = r#"{"reason":""}"#.len();
        for (events, bytes, wanted) in [
            (MAX_APPEND_EVENTS, 0, ""),
            (MAX_APPEND_EVENTS + 1, 0, "an append may contain at most 1000 events, but this one contains 1001"),
            (1, MAX_BODY_BYTES - frame, ""),
            (
                1,
                MAX_BODY_BYTES - frame + 1,
                "an append may contain at most 4194304 bytes in one event, but this one contains 4194305",
            ),
            (8, MAX_BODY_BYTES - frame, ""),
            (
                9,
                MAX_BODY_BYTES - frame,
                "an append may contain at most 33554432 bytes in all events, but this one contains 37748736",
            ),
        ] {
            assert_eq!(refusal(&append(events, bytes)), wanted);
        }
        let named = Append { actor: Some("x".repeat(MAX_ACTOR_BYTES + 1)), ..append(1, 0) };
        assert_eq!(
            refusal(&named),
            "an append may contain at most 256 bytes in the actor's name, but this one contains 257"
        );
    }

    #[test]
    fn repeated_ids_are_refused_and_an_empty_actor_or_cause_is_none() {
        let mut twice = append(3, 0);
        twice.events[2].id = twice.events[0].id;
        assert!(matches!(twice.request(), Err(AppendError::Reused { id }) if id == twice.events[0].id));
        let (request, _answer) = append(1, 0).request().expect("within the limits");
        assert_eq!((request.actor, request.events[0].caused_by), (None, None));
    }

    #[test]
    fn a_fence_of_another_debate_is_refused() {
        let fence = Some(Fence { debate: DebateId(Uuid::max()), token: 1 });
        assert!(matches!(Append { fence, ..append(1, 0) }.request(), Err(AppendError::Fenced)));
    }
}

//! What may be asked of the log: an append, its limits, and how it may be refused.

use chrono::{DateTime, Utc};
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::events::event::{Event, Recorded};
use crate::events::ids::DebateId;
use crate::events::wire::{self, Stored};
use crate::store::fault::Fault;
use crate::store::keys::WriteKey;
use crate::store::leases::Fence;
use crate::store::sealing::{DebateKey, Place, StoredKey};

/// Events in one append at most.
pub const APPEND_EVENTS: usize = 1_000;
/// Bytes of one event's body at most: 4 MiB.
pub const BODY_BYTES: usize = 4 << 20;
/// Bytes of all bodies of one append at most: 32 MiB.
pub const APPEND_BYTES: usize = 32 << 20;
/// Bytes of an actor's name at most.
pub const ACTOR_BYTES: usize = 256;

/// An event that is to be recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    /// Its name, unique in its stream. Whoever asks again after a fault uses the same: the event is then recorded once.
    pub id: Uuid,
    /// What happened.
    pub event: Event,
    /// The event that this one followed from; `None` where a person caused it.
    pub caused_by: Option<Uuid>,
}

/// Events to be recorded together: all of them or none.
#[derive(Clone, Debug, PartialEq)]
pub struct Append {
    /// The debate to whose stream they belong.
    pub debate: DebateId,
    /// The version that the stream has now, as the caller knows it; 0 for a debate yet to be opened.
    pub expected: i64,
    /// The events, in order.
    pub events: Vec<NewEvent>,
    /// The lease under which a runner writes. It must be of this debate and still be held.
    pub fence: Option<Fence>,
    /// Who asked for it, for the record; at most [`ACTOR_BYTES`]. Empty is nobody.
    pub actor: Option<String>,
}

/// Events of an append, and whether this append or an earlier one recorded them.
#[derive(Clone, Debug)]
pub struct AppendedOnce {
    /// The events as they are recorded, in the order of the append.
    pub events: Vec<Recorded>,
    /// Whether they had been recorded before, as the database decided it.
    pub repeated: bool,
}

/// Why an append was not recorded.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AppendError {
    /// The stream has grown, or is shorter than the caller thought. Read it and decide again.
    #[error("the debate stands at version {actual}")]
    Conflict {
        /// The version that the stream has now.
        actual: i64,
    },
    /// An event of this id is in the stream and says something else, or stands twice in the append.
    #[error("an event of another content has the id {id}")]
    Reused {
        /// The id.
        id: Uuid,
    },
    /// The lease is held by somebody else by now, or by nobody. Stop driving this debate.
    #[error("the lease on the debate was lost")]
    Fenced,
    /// More than one append may hold.
    #[error("an append may hold {limit} {what} at most, and this one holds {actual}")]
    TooLarge {
        /// What there is too much of, with its unit.
        what: &'static str,
        /// The most there may be.
        limit: usize,
        /// How much there is.
        actual: usize,
    },
    /// Nobody knows whether it was recorded; asked again with the same ids, it is recorded once.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// An append on its way to the writer, bodies written out.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) debate: DebateId,
    pub(crate) expected: i64,
    pub(crate) fence: Option<i64>,
    pub(crate) actor: Option<String>,
    pub(crate) events: Vec<Line>,
    pub(crate) bytes: usize,
    /// The key to record with these events, which begin their debate.
    pub(crate) new_key: Option<StoredKey>,
    pub(crate) reply: oneshot::Sender<Result<Outcome, Fault>>,
}

/// One event of a request.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) id: Uuid,
    pub(crate) caused_by: Option<Uuid>,
    /// Kind, schema and body, as they are stored.
    pub(crate) stored: Stored,
    /// The body before it was sealed; `None` where it goes in plain.
    pub(crate) plain: Option<Vec<u8>>,
}

impl Line {
    /// Kind, schema and body, as they were said.
    pub(crate) fn said(self) -> Stored {
        let Line { stored, plain, .. } = self;
        match plain {
            Some(body) => Stored { body, ..stored },
            None => stored,
        }
    }
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Recorded now; the place of the first event, the others follow it.
    Appended { version: i64, position: i64, at: DateTime<Utc> },
    /// All of it had been recorded before.
    Repeated,
    /// The stream stands elsewhere.
    Conflict { actual: i64 },
    /// An id stands for something else.
    Reused { id: Uuid },
    /// The lease was lost.
    Fenced,
}

impl Append {
    /// Writes the bodies out and checks the limits; the answer will come through the receiver.
    pub(crate) fn request(&self) -> Result<(Request, oneshot::Receiver<Result<Outcome, Fault>>), AppendError> {
        within("events", APPEND_EVENTS, self.events.len())?;
        within("bytes of an actor's name", ACTOR_BYTES, self.actor.as_ref().map_or(0, String::len))?;
        if self.fence.is_some_and(|fence| fence.debate != self.debate) {
            return Err(AppendError::Fenced);
        }
        let mut events: Vec<Line> = Vec::with_capacity(self.events.len());
        let mut bytes = 0;
        for new in &self.events {
            let stored = wire::encode(&new.event);
            within("bytes in one event", BODY_BYTES, stored.body.len())?;
            bytes += stored.body.len();
            events.push(Line { id: new.id, caused_by: new.caused_by.filter(|it| !it.is_nil()), stored, plain: None });
        }
        within("bytes in all its events", APPEND_BYTES, bytes)?;
        if let Some(id) = doubled(&events) {
            return Err(AppendError::Reused { id });
        }
        let (reply, answer) = oneshot::channel();
        let request = Request {
            debate: self.debate,
            expected: self.expected,
            fence: self.fence.map(|fence| fence.token),
            actor: self.actor.clone().filter(|it| !it.is_empty()),
            events,
            bytes,
            new_key: None,
            reply,
        };
        Ok((request, answer))
    }
}

impl Request {
    /// Seals the bodies under a debate's key, and takes a new key along to be recorded.
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

    /// Seals the bodies. Limits are of what they were before; an append that is repeated is sealed to the same bytes.
    fn seal(&mut self, key: &DebateKey) {
        for line in &mut self.events {
            let Stored { kind, schema, body } = &mut line.stored;
            let sealed = key.seal(Place { id: line.id, kind, schema: *schema }, body);
            self.bytes = self.bytes - body.len() + sealed.len();
            line.plain = Some(std::mem::replace(body, sealed));
        }
    }
}

fn within(what: &'static str, limit: usize, actual: usize) -> Result<(), AppendError> {
    if actual > limit { Err(AppendError::TooLarge { what, limit, actual }) } else { Ok(()) }
}

fn doubled(events: &[Line]) -> Option<Uuid> {
    let mut ids: Vec<Uuid> = events.iter().map(|line| line.id).collect();
    ids.sort_unstable();
    ids.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::lifecycle::DebateAborted;

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
    fn limits_hold_at_their_edge() {
        let frame = r#"{"reason":""}"#.len();
        for (events, bytes, wanted) in [
            (APPEND_EVENTS, 0, ""),
            (APPEND_EVENTS + 1, 0, "an append may hold 1000 events at most, and this one holds 1001"),
            (1, BODY_BYTES - frame, ""),
            (
                1,
                BODY_BYTES - frame + 1,
                "an append may hold 4194304 bytes in one event at most, and this one holds 4194305",
            ),
            (8, BODY_BYTES - frame, ""),
            (
                9,
                BODY_BYTES - frame,
                "an append may hold 33554432 bytes in all its events at most, and this one holds 37748736",
            ),
        ] {
            assert_eq!(refusal(&append(events, bytes)), wanted);
        }
        let named = Append { actor: Some("x".repeat(ACTOR_BYTES + 1)), ..append(1, 0) };
        assert_eq!(refusal(&named), "an append may hold 256 bytes of an actor's name at most, and this one holds 257");
    }

    #[test]
    fn nothing_stands_twice_and_nobody_is_nobody() {
        let mut twice = append(3, 0);
        twice.events[2].id = twice.events[0].id;
        assert!(matches!(twice.request(), Err(AppendError::Reused { id }) if id == twice.events[0].id));
        let (request, _answer) = append(1, 0).request().expect("within the limits");
        assert_eq!((request.actor, request.events[0].caused_by), (None, None));
    }

    #[test]
    fn a_fence_of_another_debate_opens_nothing() {
        let fence = Some(Fence { debate: DebateId(Uuid::max()), token: 1 });
        assert!(matches!(Append { fence, ..append(1, 0) }.request(), Err(AppendError::Fenced)));
    }
}

//! Message on a bus: the events of one append, as they are stored.
//!
//! ```text
//! length of the header (4 bytes, big-endian) | header (JSON) | bodies, one after the other
//! ```

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::lanes::lane_of;
use crate::wake::watermarks::Growth;
use faultline_core::events::ids::DebateId;
use faultline_core::events::wire::EncodedEvent;

/// Maximum size of the bodies in one message: 256 KiB. Events of a larger append are announced without them, and read
/// from the log.
pub(crate) const MAX_MESSAGE_BYTES: usize = 256 << 10;

/// Size of the length of the header.
const LENGTH_BYTES: usize = 4;

/// One append, with the stored form of its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AppendMessage {
    /// Debate to which the events belong.
    pub(crate) debate: DebateId,
    /// Version and position of the first event; those of the others follow.
    pub(crate) version: i64,
    pub(crate) position: i64,
    /// Number of events.
    pub(crate) n_events: i64,
    /// Time of the append, and the events; `None` if the receiver has to read them from the log.
    pub(crate) events: Option<(DateTime<Utc>, Vec<SealedEvent>)>,
}

/// One event in its stored form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SealedEvent {
    pub(crate) id: Uuid,
    pub(crate) caused_by: Option<Uuid>,
    pub(crate) stored: EncodedEvent,
}

#[derive(Serialize, Deserialize)]
struct Header {
    debate: Uuid,
    version: i64,
    position: i64,
    n_events: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<DateTime<Utc>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    events: Vec<EventHeader>,
}

#[derive(Serialize, Deserialize)]
struct EventHeader {
    id: Uuid,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    caused_by: Option<Uuid>,
    kind: String,
    schema: i16,
    /// Size of the body.
    bytes: usize,
}

impl AppendMessage {
    /// Creates a message without events.
    pub(crate) fn of_growth(growth: &Growth) -> AppendMessage {
        let (position, last) = growth.positions;
        let n_events = last - position + 1;
        AppendMessage {
            debate: growth.debate,
            version: growth.version - n_events + 1,
            position,
            n_events,
            events: None,
        }
    }

    /// Returns the growth of the log that the message announces.
    pub(crate) fn growth(&self) -> Growth {
        let more = self.n_events - 1;
        Growth { debate: self.debate, version: self.version + more, positions: (self.position, self.position + more) }
    }

    /// Returns the lane of the debate.
    pub(crate) fn lane(&self) -> i16 {
        lane_of(self.debate)
    }

    /// Encodes the message.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let AppendMessage { debate, version, position, n_events, events } = self;
        let (at, events) = match events {
            Some((at, events)) => (Some(*at), events.as_slice()),
            None => (None, &[][..]),
        };
        let header = |event: &SealedEvent| EventHeader {
            id: event.id,
            caused_by: event.caused_by,
            kind: event.stored.kind.clone(),
            schema: event.stored.schema,
            bytes: event.stored.body.len(),
        };
        let (debate, version, position, n_events) = (debate.0, *version, *position, *n_events);
        let header = Header { debate, version, position, n_events, at, events: events.iter().map(header).collect() };
        let header = serde_json::to_vec(&header).unwrap_or_default();
        let length = u32::try_from(header.len()).unwrap_or_default().to_be_bytes();
        let bodies = events.iter().map(|event| event.stored.body.as_slice());
        [length.as_slice(), &header].into_iter().chain(bodies).collect::<Vec<_>>().concat()
    }

    /// Decodes a message; `None` if it is not one.
    pub(crate) fn decode(bytes: &[u8]) -> Option<AppendMessage> {
        let (length, rest) = bytes.split_first_chunk::<LENGTH_BYTES>()?;
        let (header, mut bodies) = rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
        let header: Header = serde_json::from_slice(header).ok()?;
        let Header { debate, version, position, n_events, at, events } = header;
        if n_events < 1 || version < 1 || position < 1 {
            return None;
        }
        // No positions beyond the largest number.
        position.checked_add(n_events)?;
        version.checked_add(n_events)?;
        let is_complete = i64::try_from(events.len()) == Ok(n_events);
        let mut sealed = Vec::with_capacity(events.len());
        for EventHeader { id, caused_by, kind, schema, bytes } in events {
            let (body, rest) = bodies.split_at_checked(bytes)?;
            bodies = rest;
            sealed.push(SealedEvent { id, caused_by, stored: EncodedEvent { kind, schema, body: body.to_vec() } });
        }
        let events = at.filter(|_| is_complete).map(|at| (at, sealed));
        Some(AppendMessage { debate: DebateId(debate), version, position, n_events, events })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn debate() -> DebateId {
        DebateId(Uuid::from_u128(9))
    }

    fn event(id: u128, body: &[u8]) -> SealedEvent {
        let stored = EncodedEvent { kind: "turn_taken".into(), schema: 2, body: body.to_vec() };
        SealedEvent { id: Uuid::from_u128(id), caused_by: (id > 1).then(|| Uuid::from_u128(id - 1)), stored }
    }

    fn message(events: Vec<SealedEvent>) -> AppendMessage {
        let (n_events, at) = (events.len() as i64, DateTime::<Utc>::UNIX_EPOCH);
        AppendMessage { debate: debate(), version: 5, position: 70, n_events, events: Some((at, events)) }
    }

    #[test]
    fn a_message_round_trips_with_and_without_events() {
        let full = message(vec![event(1, b"\x01sealed"), event(2, b""), event(3, &[255; 9])]);
        assert_eq!(AppendMessage::decode(&full.encode()), Some(full.clone()));
        assert_eq!(full.growth(), Growth { debate: debate(), version: 7, positions: (70, 72) });
        let bare = AppendMessage::of_growth(&full.growth());
        assert_eq!(bare, AppendMessage { events: None, ..full });
        assert_eq!(AppendMessage::decode(&bare.encode()), Some(bare));
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let full = message(vec![event(1, b"body")]).encode();
        for n in 0..full.len() {
            assert_eq!(AppendMessage::decode(&full[..n]), None, "the first {n} bytes");
        }
        let header = |json: &str| [&(json.len() as u32).to_be_bytes()[..], json.as_bytes()].concat();
        let of = |version: i64, position: i64, n_events: i64| {
            let debate = Uuid::nil();
            header(&format!(
                r#"{{"debate":"{debate}","version":{version},"position":{position},"n_events":{n_events}}}"#
            ))
        };
        assert!(AppendMessage::decode(&of(1, 1, 1)).is_some());
        for (version, position, n_events) in
            [(0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 1, -1), (1, i64::MAX, 1), (i64::MAX, 1, 2)]
        {
            assert_eq!(AppendMessage::decode(&of(version, position, n_events)), None);
        }
        assert_eq!(AppendMessage::decode(&header("[]")), None);
        assert_eq!(AppendMessage::decode(&u32::MAX.to_be_bytes()), None);
    }

    #[test]
    fn a_message_that_lacks_events_announces_growth_only() {
        let mut lacking = message(vec![event(1, b"a")]);
        lacking.n_events = 2;
        let read = AppendMessage::decode(&lacking.encode()).expect("a message");
        assert_eq!(read, AppendMessage { events: None, ..lacking });
    }
}

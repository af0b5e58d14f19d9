//! Debates to append to: events of about 600 bytes, 20 per stream.

use faultline_core::events::event::Event;
use faultline_core::events::ids::DebateId;
use faultline_core::events::lifecycle::DebateAborted;
use faultline_store::log::append::{Append, NewEvent};
use uuid::Uuid;

pub const BODY_BYTES: usize = 600;
pub const STREAM_EVENTS: i64 = 20;

/// Source of appends to one debate after another, each until it is long enough.
pub struct AppendSource {
    pub debate: DebateId,
    pub version: i64,
    pub event: Event,
    /// Number of events after which the next debate is started.
    pub length: i64,
}

impl Default for AppendSource {
    fn default() -> Self {
        let frame = r#"{"reason":""}"#.len();
        let event =
            Event::DebateAborted(DebateAborted { reason: "lorem ipsum ".repeat(60)[..BODY_BYTES - frame].to_owned() });
        AppendSource { debate: DebateId(Uuid::now_v7()), version: 0, event, length: STREAM_EVENTS }
    }
}

impl AppendSource {
    pub fn append(&mut self, size: usize) -> Append {
        if self.version >= self.length {
            self.debate = DebateId(Uuid::now_v7());
            self.version = 0;
        }
        let expected = self.version;
        self.version += size as i64;
        let new = |_| NewEvent { id: Uuid::now_v7(), event: self.event.clone(), caused_by: None };
        Append { debate: self.debate, expected, events: (0..size).map(new).collect(), fence: None, actor: None }
    }
}

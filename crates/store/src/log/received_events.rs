//! Exchange of appended events with other processes over a message bus.
//!
//! Received events go where those go that this process wrote itself: into the cache of recent events, and into the
//! watermarks, which wake the followers. A follower that finds a gap reads the log.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use metrics::counter;

use crate::cipher::EventIdentity;
use crate::error::StoreError;
use crate::log::log::Log;
use crate::log::received_keys::ReceivedKeys;
use crate::log::stored_event::StoredEvent;
use crate::wake::bus::{BusIdentity, MessageBus};
use crate::wake::bus_message::{AppendMessage, SealedEvent};
use crate::wake::watermarks::Growth;
use faultline_core::events::ids::DebateId;
use faultline_core::events::wire::EncodedEvent;

impl Log {
    /// Returns the name of this store on message buses, and the key of its messages.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn bus_identity(&self) -> Result<BusIdentity, StoreError> {
        let (secret, server, database): (Vec<u8>, i64, String) = sqlx::query_as(
            "select secret, (select system_identifier from pg_control_system()), current_database()::text
            from bus_key",
        )
        .fetch_one(self.pool())
        .await
        .map_err(StoreError::database("read the key of messages on a bus"))?;
        Ok(BusIdentity::derive(&secret, server, &database))
    }

    /// Publishes appended events on a bus from now on, also those of the clones of this log. A second bus is ignored.
    pub fn publish_on(&self, identity: BusIdentity, bus: Arc<dyn MessageBus>) {
        self.bus().connect(identity, bus);
    }

    /// Takes in messages that other processes published, in the order of their arrival: makes their events available to
    /// the followers of this process, and wakes these. Messages that no process of this store encrypted are counted
    /// and discarded. `keys` belongs to the connection.
    ///
    /// Cost: a statement per second, and one if the messages belong to debates that are new to `keys`.
    pub async fn receive(&self, messages: &[impl AsRef<[u8]>], keys: &mut BusKeys) {
        let began = self.fresh().n_forgotten();
        let opened: Vec<AppendMessage> =
            messages.iter().filter_map(|message| self.bus().open(message.as_ref())).collect();
        let n_unreadable = messages.len() - opened.len();
        if n_unreadable > 0 {
            counter!("faultline_bus_messages_total", "outcome" => "unreadable").increment(n_unreadable as u64);
        }
        counter!("faultline_bus_messages_total", "outcome" => "received").increment(opened.len() as u64);
        let debates: BTreeSet<DebateId> =
            opened.iter().filter(|message| message.events.is_some()).map(|message| message.debate).collect();
        keys.0.look_up(self.keys(), debates).await;
        let now = Instant::now();
        for message in &opened {
            self.fresh().record_read(now, began, &stored_events(message, &keys.0));
        }
        let growths: Vec<Growth> = opened.iter().map(AppendMessage::growth).collect();
        self.wakes().wrote(&growths);
    }
}

/// Keys that received events were decrypted with. They are dropped when anything is erased.
#[derive(Debug, Default)]
pub struct BusKeys(ReceivedKeys);

/// Returns the events of a message with decrypted bodies, up to the first that cannot be decrypted.
fn stored_events(message: &AppendMessage, keys: &ReceivedKeys) -> Vec<Arc<StoredEvent>> {
    let Some((at, events)) = &message.events else { return Vec::new() };
    let stored = |(event, ix): (&SealedEvent, i64)| {
        let SealedEvent { id, caused_by, stored: EncodedEvent { kind, schema, body } } = event;
        let body = keys.decrypt(message.debate, EventIdentity { id: *id, kind, schema: *schema }, body)?;
        Some(Arc::new(StoredEvent {
            lane: message.lane(),
            position: message.position + ix,
            debate: message.debate,
            version: message.version + ix,
            id: *id,
            caused_by: *caused_by,
            at: *at,
            erased: false,
            stored: EncodedEvent { kind: kind.clone(), schema: *schema, body },
        }))
    };
    events.iter().zip(0..).map_while(stored).collect()
}

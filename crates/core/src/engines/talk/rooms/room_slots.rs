//! Speaking slots of a room: turns taken, skipped or lost.

use crate::events::channel::RoomStage;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{DisputeId, PersonaId, RoomId, TurnId};
use crate::events::receipt::{EffectKey, FailureKind, ROOM_ORDINALS};
use crate::kernel::effect::effect_key;

/// Purpose of entry statements in a room.
pub const ENTER: &str = "enter";
/// Purpose of turns in a room.
pub const ROOM_TURN: &str = "room_turn";
/// Purpose of the extraction of a card.
pub const EXTRACT: &str = "extract";

/// Slots of one room.
#[derive(Clone, Debug, PartialEq)]
pub struct RoomSlots {
    /// The room.
    pub room: RoomId,
    /// Slots in order.
    pub slots: Vec<RoomSlot>,
    /// Reason for which no card can be drawn; `None` while one can.
    pub lost_card: Option<String>,
    /// True if the room was closed.
    pub is_closed: bool,
    /// Participants who may speak.
    speakers: Vec<PersonaId>,
    /// The present stage, with its aspect; `None` before the first, and in a free exchange.
    pub stage: Option<(RoomStage, Option<DisputeId>)>,
    /// Keys of the latest attempts that only repeated a turn.
    echoed: Vec<EffectKey>,
}

/// Slot of a room.
#[derive(Clone, Debug, PartialEq)]
pub struct RoomSlot {
    /// Participant to whom it belongs.
    pub speaker: PersonaId,
    /// What became of it.
    pub kind: SlotKind,
    /// Stage of the room at that time, with its aspect; `None` if it has none.
    pub stage: Option<(RoomStage, Option<DisputeId>)>,
    /// The turn taken, if any.
    pub turn: Option<TurnId>,
}

/// Result of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// A turn was taken.
    Taken,
    /// The speaker had nothing new to say: the turn was skipped, or the replies only repeated turns.
    NothingNew,
    /// The call was abandoned.
    Lost,
}

impl RoomSlots {
    /// Creates the slots of a room that was opened. `speakers` are those who may speak in it.
    pub fn new(room: RoomId, speakers: Vec<PersonaId>) -> RoomSlots {
        RoomSlots {
            room,
            slots: Vec::new(),
            lost_card: None,
            is_closed: false,
            speakers,
            stage: None,
            echoed: Vec::new(),
        }
    }

    /// Returns the key of an effect of the room, with an index less than [`ROOM_ORDINALS`].
    pub fn key(&self, purpose: &str, subject: &str, index: usize) -> EffectKey {
        let index = u32::try_from(index).unwrap_or(ROOM_ORDINALS).min(ROOM_ORDINALS - 1);
        effect_key(purpose, subject, self.room.0.saturating_mul(ROOM_ORDINALS).saturating_add(index))
    }

    /// Returns true if all of the latest `n` slots, at least one, are of these kinds.
    pub fn latest_are(&self, n: usize, kinds: &[SlotKind]) -> bool {
        let latest = &self.slots[self.slots.len().saturating_sub(n)..];
        !latest.is_empty() && latest.len() >= n && latest.iter().all(|slot| kinds.contains(&slot.kind))
    }

    /// Applies an event.
    pub fn evolve(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::TurnTaken(it) if it.room == Some(self.room) => {
                self.push(&it.speaker, SlotKind::Taken, Some(it.turn));
            }
            Event::TurnSkipped(it) if it.room == Some(self.room) => {
                self.push(&it.speaker, SlotKind::NothingNew, None);
            }
            Event::RoomStageEntered(it) if it.room == self.room => self.stage = Some((it.stage, it.aspect)),
            Event::RoomClosed(it) if it.room == self.room => self.is_closed = true,
            Event::EffectFailed(it) if self.is_own(&it.key) => {
                self.echoed.retain(|key| *key != it.key);
                if it.failure.kind == FailureKind::Repeated {
                    self.echoed.push(it.key.clone());
                }
            }
            Event::EffectAbandoned(it) if self.is_own(&it.key) => self.abandoned(&it.key, &it.reason),
            _ => {}
        }
    }

    fn is_own(&self, key: &EffectKey) -> bool {
        key.room() == Some(self.room)
    }

    fn push(&mut self, speaker: &PersonaId, kind: SlotKind, turn: Option<TurnId>) {
        self.slots.push(RoomSlot { speaker: speaker.clone(), kind, stage: self.stage, turn });
    }

    fn abandoned(&mut self, key: &EffectKey, reason: &str) {
        if key.purpose == EXTRACT {
            self.lost_card = Some(reason.to_owned());
            return;
        }
        let kind = if self.echoed.contains(key) { SlotKind::NothingNew } else { SlotKind::Lost };
        if let Some(speaker) = self.speakers.iter().find(|persona| persona.as_str() == key.subject).cloned() {
            self.push(&speaker, kind, None);
        }
    }
}

//! Options of the engine, with defaults. They are recorded in the opening event.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engines::talk::common_options;
use crate::engines::talk::common_options::TalkEngineOptions;
use crate::engines::talk::dispute_clerk::dispute_clerk::DisputeClerkOptions;
use crate::engines::talk::rooms::detection::{CandidateKey, DetectorOptions};
use crate::engines::talk::rooms::gate::GateOptions;
use crate::events::crux::RoomKind;
use crate::kernel::engine::{OptionDoc, Refusal};

/// Style of the discussion in a room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoomStyle {
    /// Free exchange, with an exit check after every turn of both.
    #[default]
    Exchange,
    /// Steelman, confirmation, diagnosis, falsifiers, resolution.
    Staged,
    /// Takes, replies and rejoinders on aspects of the question, a clash, a closing.
    Panel,
}

/// Options of the channel's detector and of the rooms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RoomOptions {
    /// Number of turns of the main channel after which the detector reads it again.
    pub detect_every: u32,
    /// Number of turns before the first window.
    pub fewest_detected: u32,
    /// Maximum number of turns in a window.
    pub window: u32,
    /// Number of consecutive windows in which a disagreement must be seen before a room opens.
    pub windows: u32,
    /// Minimum confidence of the detector in the last of them.
    pub confidence: f64,
    /// Number of turns of the main channel since the last room of the same two participants.
    pub cooldown_turns: u32,
    /// Number of seconds since the last room of the same two participants.
    pub cooldown_seconds: u32,
    /// Maximum number of rooms in a debate.
    pub rooms: u32,
    /// Maximum number of turns in a free exchange, missed ones included.
    pub room_turns: u32,
    /// Style of the discussion in a room.
    pub room_style: RoomStyle,
    /// Number of new disputes in one distillation.
    pub new_disputes: u32,
    /// Share of common content words from which two questions count as the same.
    pub alike: f64,
}

impl Default for RoomOptions {
    fn default() -> Self {
        let clerk = DisputeClerkOptions::default();
        RoomOptions {
            detect_every: 3,
            fewest_detected: 4,
            window: 10,
            windows: 3,
            confidence: 0.8,
            cooldown_turns: 10,
            cooldown_seconds: 0,
            rooms: 6,
            room_turns: 20,
            room_style: RoomStyle::Exchange,
            new_disputes: clerk.new_disputes,
            alike: clerk.alike,
        }
    }
}

/// Documentation of all options.
pub const OPTIONS: &[OptionDoc] = &common_options::documented::<12, 36>([
    OptionDoc::integer(
        "detect_every",
        (1, 20),
        "turns of the main channel between two windows of the detector, 1 to 20",
        "3",
    ),
    OptionDoc::integer("fewest_detected", (2, 40), "turns of the main channel before the first window, 2 to 40", "4"),
    OptionDoc::integer("window", (2, 40), "latest turns in a window, fewest_detected to 40", "10")
        .at_least("fewest_detected"),
    OptionDoc::integer(
        "windows",
        (1, 20),
        "consecutive windows in which a disagreement must be seen before a room opens, 1 to 20",
        "3",
    ),
    OptionDoc::number("confidence", (0.0, 1.0), "minimum confidence of the detector for a room, 0 to 1", "0.8"),
    OptionDoc::integer(
        "cooldown_turns",
        (0, 1_000),
        "turns of the main channel before the same two participants get another room, 0 to 1000",
        "10",
    ),
    OptionDoc::integer(
        "cooldown_seconds",
        (0, 86_400),
        "seconds before the same two participants get another room, 0 to 86400; with more than 0, the course of a debate \
         depends on the speed of its provider",
        "0",
    ),
    OptionDoc::integer("rooms", (1, 50), "maximum number of rooms in a debate, 1 to 50", "6"),
    OptionDoc::integer(
        "room_turns",
        (4, 60),
        "maximum number of turns in a room of the style `exchange`, missed ones included, 4 to 60",
        "20",
    ),
    OptionDoc::choice(
        "room_style",
        &["exchange", "staged", "panel"],
        "`exchange` (free exchange until what divides the two is stated), `staged` (steelman, confirmation, diagnosis, \
         falsifiers, resolution) or `panel` (takes, replies and rejoinders on aspects of the question, a clash, a closing)",
        "\"exchange\"",
    ),
    OptionDoc::integer("new_disputes", (1, 12), "new disputes per distillation, 1 to 12", "2"),
    OptionDoc::number(
        "alike",
        (0.0, 1.0),
        "share of common content words from which two questions count as the same, 0 to 1",
        "1.0",
    ),
]);

/// Reads and checks options.
///
/// # Errors
/// [`Refusal`] if an option is unknown, has the wrong type or is out of range.
pub fn read(given: &Value) -> Result<TalkEngineOptions<RoomOptions>, Refusal> {
    common_options::read::<RoomOptions>(given, OPTIONS)
}

impl RoomOptions {
    /// Returns the options of the detector.
    pub fn detector(&self) -> DetectorOptions {
        DetectorOptions {
            every: self.detect_every,
            fewest: self.fewest_detected,
            window: self.window,
            alike: self.alike,
            key: CandidateKey::PairAndQuestion,
        }
    }

    /// Returns the options of the gate.
    pub fn gate(&self) -> GateOptions {
        GateOptions {
            kind: RoomKind::Private,
            rooms: self.rooms,
            windows: self.windows,
            confidence: self.confidence,
            alike: self.alike,
        }
    }

    /// Returns the options of the clerk that distils disputes.
    pub fn clerk(&self) -> DisputeClerkOptions {
        DisputeClerkOptions { new_disputes: self.new_disputes, alike: self.alike }
    }
}

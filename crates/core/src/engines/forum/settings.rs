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

/// Options of the detector, the threads, the agenda and attention.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ForumOptions {
    /// Number of turns, in all places, after which the detector reads again.
    pub detect_every: u32,
    /// Number of turns before the first window.
    pub fewest_detected: u32,
    /// Maximum number of turns in a window.
    pub window: u32,
    /// Number of consecutive windows in which a question must divide participants before a thread opens.
    pub windows: u32,
    /// Minimum confidence of the detector in the last of them.
    pub confidence: f64,
    /// Maximum number of threads in a debate.
    pub threads: u32,
    /// Maximum number of threads open at once.
    pub threads_open: u32,
    /// Maximum number of turns in a thread, missed ones included.
    pub thread_turns: u32,
    /// Maximum number of questions on the agenda.
    pub focus: u32,
    /// Number of the latest turns of a place on which attention to it depends.
    pub attention_span: u32,
    /// Minimum attention at which somebody joins a thread.
    pub joining: f64,
    /// Weight of the similarity of a turn to the participant's own stances.
    pub weight_similarity: f64,
    /// Weight of being addressed.
    pub weight_addressed: f64,
    /// Weight of taking part in the thread of the turn.
    pub weight_member: f64,
    /// Weight of a question on the agenda.
    pub weight_focus: f64,
    /// Number of new disputes in one distillation.
    pub new_disputes: u32,
    /// Share of common content words from which two questions count as the same.
    pub alike: f64,
}

impl Default for ForumOptions {
    fn default() -> Self {
        let clerk = DisputeClerkOptions::default();
        ForumOptions {
            detect_every: 3,
            fewest_detected: 4,
            window: 12,
            windows: 2,
            confidence: 0.7,
            threads: 6,
            threads_open: 3,
            thread_turns: 16,
            focus: 2,
            attention_span: 6,
            joining: 0.4,
            weight_similarity: 0.4,
            weight_addressed: 0.3,
            weight_member: 0.2,
            weight_focus: 0.1,
            new_disputes: clerk.new_disputes,
            alike: clerk.alike,
        }
    }
}

/// Documentation of all options.
pub const OPTIONS: &[OptionDoc] = &common_options::documented::<17, 41>([
    OptionDoc::integer(
        "detect_every",
        (1, 20),
        "turns, in all places, between two windows of the detector, 1 to 20",
        "3",
    ),
    OptionDoc::integer("fewest_detected", (2, 40), "turns before the first window, 2 to 40", "4"),
    OptionDoc::integer("window", (2, 40), "latest turns in a window, fewest_detected to 40", "12")
        .at_least("fewest_detected"),
    OptionDoc::integer(
        "windows",
        (1, 20),
        "consecutive windows in which a question must divide participants before a thread opens, 1 to 20",
        "2",
    ),
    OptionDoc::number("confidence", (0.0, 1.0), "minimum confidence of the detector for a thread, 0 to 1", "0.7"),
    OptionDoc::integer("threads", (1, 50), "maximum number of threads in a debate, 1 to 50", "6"),
    OptionDoc::integer("threads_open", (1, 12), "maximum number of threads open at once, 1 to 12", "3"),
    OptionDoc::integer(
        "thread_turns",
        (4, 60),
        "maximum number of turns in a thread, missed ones included, 4 to 60",
        "16",
    ),
    OptionDoc::integer("focus", (0, 10), "maximum number of questions on the agenda, 0 to 10", "2"),
    OptionDoc::integer(
        "attention_span",
        (1, 40),
        "latest turns of a place on which attention to it depends, 1 to 40",
        "6",
    ),
    OptionDoc::number("joining", (0.0, 1.0), "minimum attention at which somebody joins a thread, 0 to 1", "0.4"),
    OptionDoc::number(
        "weight_similarity",
        (0.0, 1.0),
        "weight of the similarity of a turn to one's own stances, 0 to 1; the weights may add up to 1 at most",
        "0.4",
    ),
    OptionDoc::number("weight_addressed", (0.0, 1.0), "weight of being addressed, 0 to 1", "0.3"),
    OptionDoc::number("weight_member", (0.0, 1.0), "weight of taking part in the thread of the turn, 0 to 1", "0.2"),
    OptionDoc::number("weight_focus", (0.0, 1.0), "weight of a thread whose question is on the agenda, 0 to 1", "0.1"),
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
/// [`Refusal`] if an option is unknown, has the wrong type or is out of range, or the weights add up to more than 1.
pub fn read(given: &Value) -> Result<TalkEngineOptions<ForumOptions>, Refusal> {
    let read = common_options::read::<ForumOptions>(given, OPTIONS)?;
    let own = &read.own;
    let sum = own.weight_similarity + own.weight_addressed + own.weight_member + own.weight_focus;
    if sum > 1.0 + f64::EPSILON * 8.0 {
        return Err(Refusal::invalid(format!(
            "the weights of attention add up to {sum}; weight_similarity, weight_addressed, weight_member and weight_focus \
             may add up to 1 at most"
        )));
    }
    Ok(read)
}

impl ForumOptions {
    /// Returns the options of the detector.
    pub fn detector(&self) -> DetectorOptions {
        DetectorOptions {
            every: self.detect_every,
            fewest: self.fewest_detected,
            window: self.window,
            alike: self.alike,
            key: CandidateKey::Question,
        }
    }

    /// Returns the options of the gate.
    pub fn gate(&self) -> GateOptions {
        GateOptions {
            kind: RoomKind::Thread,
            rooms: self.threads,
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

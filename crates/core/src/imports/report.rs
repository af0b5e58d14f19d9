//! Report about an imported file.

use serde::{Deserialize, Serialize};

use crate::events::ids::DebateId;
use crate::imports::reported_results::StatedResults;
use crate::imports::shape::Shape;
use crate::verdicts::regime::Regime;

/// Report about an imported file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    /// Shape of the file, which tells the system that wrote it.
    pub shape: Shape,
    /// Id of the imported debate.
    pub debate: DebateId,
    /// Topic of the debate.
    pub topic: String,
    /// Names of the participants, in speaking order.
    pub participants: Vec<String>,
    /// Hash of the content.
    pub content_hash: String,
    /// Numbers of records read and of events made from them.
    pub counts: ImportCounts,
    /// Records that were set aside, with reasons; only the first [`MAX_TOLD`](crate::imports::limits::MAX_TOLD).
    pub set_aside: Vec<SetAside>,
    /// Further remarks.
    pub notes: Vec<String>,
    /// Results that the file states.
    pub claimed: StatedResults,
    /// Regime computed from the events.
    pub regime: Regime,
    /// Ending of the debate, in words.
    pub ended: String,
    /// Differences between the stated and the computed results.
    pub differences: Vec<String>,
}

/// Numbers of records read and of things made from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportCounts {
    /// Number of records in the file.
    pub read: usize,
    /// Number of events, including the opening and the ending.
    pub events: usize,
    /// Number of turns.
    pub turns: usize,
    /// Number of phases.
    pub phases: usize,
    /// Number of arguments, including those made up.
    pub arguments: usize,
    /// Number of attacks.
    pub attacks: usize,
    /// Number of judgements of attacks.
    pub judgements: usize,
    /// Number of disputes.
    pub disputes: usize,
    /// Number of stances.
    pub stances: usize,
    /// Number of rooms.
    pub rooms: usize,
    /// Number of arguments that the file mentions but does not contain, made up from what it states about them.
    pub synthesised: usize,
    /// Number of records, or parts of them, that were set aside; each is stored with its reason.
    pub quarantined: usize,
    /// Number of records without a counterpart here; they are stored unchanged.
    pub opaque: usize,
    /// Number of records in which the file states results; they are stored as such.
    pub verdicts: usize,
    /// Number of texts whose encoding was repaired.
    pub mended: usize,
}

/// Record that was set aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAside {
    /// Place in the file.
    pub place: String,
    /// Name of the record in the file.
    pub name: String,
    /// Reason for setting it aside.
    pub reason: String,
}

//! What became of a file, for whoever had it imported.

use serde::{Deserialize, Serialize};

use crate::events::ids::DebateId;
use crate::imports::claimed::Claimed;
use crate::imports::shape::Shape;
use crate::verdicts::regime::Regime;

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Which system wrote it.
    pub shape: Shape,
    /// The debate that it is here.
    pub debate: DebateId,
    /// What was debated.
    pub topic: String,
    /// Who took part, in speaking order, by name.
    pub participants: Vec<String>,
    /// The hash of its content.
    pub content_hash: String,
    /// What was read and made of it.
    pub counts: Counts,
    /// What was set aside, and why: the first [`TOLD`](crate::imports::limits::TOLD).
    pub set_aside: Vec<SetAside>,
    /// What else should be known.
    pub notes: Vec<String>,
    /// What the file concluded.
    pub claimed: Claimed,
    /// What its events add up to.
    pub regime: Regime,
    /// How it ended, in words.
    pub ended: String,
    /// Where the two differ.
    pub differences: Vec<String>,
}

/// What was read and made of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Records of the file.
    pub read: usize,
    /// Events made of them, the opening and the end included.
    pub events: usize,
    /// Turns.
    pub turns: usize,
    /// Phases entered.
    pub phases: usize,
    /// Arguments, those made up included.
    pub arguments: usize,
    /// Attacks.
    pub attacks: usize,
    /// Judgements of attacks.
    pub judgements: usize,
    /// Disputes.
    pub disputes: usize,
    /// Stances.
    pub stances: usize,
    /// Rooms in which a disagreement was talked out.
    pub rooms: usize,
    /// Arguments that the file speaks of and does not hold, made from what it says of them.
    pub synthesised: usize,
    /// Records, or parts of them, that could not be taken; kept, each with its reason.
    pub quarantined: usize,
    /// Records that have no counterpart here; kept.
    pub opaque: usize,
    /// Records in which the file concludes something; kept as its word.
    pub verdicts: usize,
    /// Texts whose encoding was mended.
    pub mended: usize,
}

/// Something that was set aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAside {
    /// Where in the file.
    pub place: String,
    /// The file's own name for it.
    pub name: String,
    /// Why.
    pub reason: String,
}

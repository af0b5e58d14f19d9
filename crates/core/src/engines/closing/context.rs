//! State in which replies of the closing phase are decoded.

use crate::engines::shared::view_prompts::DisplayNames;
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::events::receipt::PassageRef;
use crate::projections::crux_proposals::CruxProposals;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::transcript::Transcript;

/// State in which a reply of the closing phase is decoded.
pub struct ClosingContext<'a> {
    /// The turns so far.
    pub transcript: &'a Transcript,
    /// The turns that the author has heard: those before the requests, which are made side by side.
    pub heard: &'a Transcript,
    /// The dispute about the topic, and its question.
    pub topic: (DisputeId, &'a str),
    /// The disputes so far.
    pub disputes: &'a DisputeGraph,
    /// Disputes that ask what several participants named as the crux; no answer takes a side on another one.
    pub shared: Vec<DisputeId>,
    /// Cruxes proposed so far.
    pub cruxes: &'a CruxProposals,
    /// Display names of the participants.
    pub names: &'a DisplayNames,
    /// The turn that the reply becomes.
    pub turn: TurnId,
    /// Author of the reply.
    pub speaker: &'a PersonaId,
    /// Number of the round.
    pub round: u32,
    /// Passages available to the author.
    pub grounds: &'a [PassageRef],
}

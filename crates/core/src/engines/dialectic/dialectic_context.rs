//! State in which replies of the dialectic engine are decoded.

use crate::events::ids::{PersonaId, TurnId};
use crate::events::receipt::PassageRef;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::proposals::Proposals;
use crate::projections::transcript::Transcript;

/// State in which a reply is decoded.
pub struct DialecticContext<'a> {
    /// The proposals so far.
    pub proposals: &'a Proposals,
    /// The disputes so far.
    pub disputes: &'a DisputeGraph,
    /// The turns so far.
    pub transcript: &'a Transcript,
    /// The turn that the reply becomes.
    pub turn: TurnId,
    /// Author of the reply.
    pub speaker: &'a PersonaId,
    /// Number of the round, from 1.
    pub round: u32,
    /// Passages available to the author.
    pub grounds: &'a [PassageRef],
}

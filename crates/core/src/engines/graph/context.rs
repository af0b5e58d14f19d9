//! State in which replies of the graph engine are decoded.

use crate::engines::shared::view_prompts::DisplayNames;
use crate::events::ids::{DisputeId, TurnId};
use crate::events::receipt::PassageRef;
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::transcript::Transcript;

/// State in which a reply is decoded.
pub struct GraphContext<'a> {
    /// The graph so far.
    pub graph: &'a ArgumentGraph,
    /// The graph as shown to the author.
    pub shown: &'a ArgumentGraph,
    /// The turns so far.
    pub transcript: &'a Transcript,
    /// Display names of the participants.
    pub names: &'a DisplayNames,
    /// The dispute about the topic.
    pub topic: DisputeId,
    /// The question of the topic.
    pub question: &'a str,
    /// The turn that the reply becomes.
    pub turn: TurnId,
    /// Number of the round.
    pub round: u32,
    /// Passages available to the author.
    pub grounds: &'a [PassageRef],
}

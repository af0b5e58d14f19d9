//! What a participant says.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::events::ids::{PersonaId, TurnId};

/// A participant spoke. What the turn did to graph and disputes follows in events of their own, in the same append.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnTaken {
    /// The turn.
    pub turn: TurnId,
    /// Who spoke.
    pub speaker: PersonaId,
    /// The round, where the engine has rounds; 0 is the opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// What the turn does; one or more.
    pub moves: Vec<Move>,
    /// What was said.
    pub text: String,
    /// The passages it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
    /// What the reply held that could not be taken, each with the reason; the rest was kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}

/// What a turn does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    /// Advances an argument.
    Claim,
    /// Attacks one.
    Challenge,
    /// Says what was meant.
    Clarify,
    /// Gives ground.
    Concede,
    /// Puts the question differently.
    Reframe,
    /// Says what the disagreement turns on.
    ProposeCrux,
    /// Drafts, criticizes or joins a proposal.
    Propose,
}

/// A passage that was given and is cited. What was cited but not given is dropped and counted among the refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Citation {
    /// What the prompt called it.
    pub alias: String,
    /// The stored chunk.
    pub chunk: Uuid,
}

//! A debate's life: opened, phases entered, paused, resumed, concluded or aborted; and what a person says in between.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::events::ids::{PersonaId, RoomId, TurnId};
use crate::events::persona::Persona;

/// The first event of every debate. All that the debate depends on is pinned here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DebateOpened {
    /// What is debated.
    pub topic: String,
    /// The registered name of the engine that runs it.
    pub engine: String,
    /// The engine's revision at opening.
    pub engine_revision: i32,
    /// The engine's options, defaults written out.
    pub options: Value,
    /// Who takes part, in speaking order.
    pub participants: Vec<Persona>,
    /// What the debate may spend.
    pub limits: Limits,
    /// Seeds every choice that the code makes.
    pub seed: u64,
    /// The registered name of the provider that answers.
    pub provider: String,
}

/// What a debate may spend. Reaching one ends it with [`Outcome::Limit`], which names the field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// How often one question is asked before it is abandoned.
    pub attempts: u32,
    /// How often one question may be lost to a crash before it is abandoned.
    pub losses: u32,
    /// Requests to a provider, failed ones included.
    pub calls: u32,
    /// Tokens read and written, over all calls.
    pub tokens: u64,
    /// Money in millionths of a US dollar, by the price table of the service.
    pub cost_micros: u64,
    /// Turns taken by participants.
    pub turns: u32,
    /// Seconds from the opening event to the latest, by the log's clock, pauses not counted.
    pub seconds: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            attempts: 3,
            losses: 8,
            calls: 200,
            tokens: 2_000_000,
            cost_micros: 5_000_000,
            turns: 100,
            seconds: 3_600,
        }
    }
}

/// A named stretch of the debate began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseEntered {
    /// The phase, in the engine's words.
    pub phase: String,
    /// The round, where the phase has rounds; from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// Why now, where that is not always the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Somebody asked the debate to wait. Answers under way are still taken; nothing new is asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DebatePaused {}

/// Somebody let the debate go on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DebateResumed {}

/// A person said something to the debate. It is a turn of nobody's, and the speakers see it from then on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interjected {
    /// The turn it is.
    pub turn: TurnId,
    /// What was said.
    pub text: String,
    /// The participant in whose name it was said; `None` for the moderator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<PersonaId>,
    /// The room in which it was said; `None` in the main channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<RoomId>,
}

/// The debate ended by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DebateConcluded {
    /// How it ended. What follows from it is computed, and stands in no event.
    pub outcome: Outcome,
}

/// Somebody ended the debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DebateAborted {
    /// Why, in their words.
    pub reason: String,
}

/// How a debate ended by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    /// The engine found that nothing more would change.
    Converged {
        /// By which of its rules.
        reason: String,
    },
    /// A limit was reached. Never convergence.
    Limit {
        /// The limit's name: a field of [`Limits`], or an option of the engine.
        limit: String,
        /// What it was, in words.
        reason: String,
    },
    /// A state came back that had been there before.
    Cycle {
        /// Which.
        reason: String,
    },
    /// The questions on which everything hung were abandoned.
    Stalled {
        /// Which, and why.
        reason: String,
    },
}

impl Outcome {
    /// The outcome's name: `converged`, `limit`, `cycle` or `stalled`.
    pub fn kind(&self) -> &'static str {
        match self {
            Outcome::Converged { .. } => "converged",
            Outcome::Limit { .. } => "limit",
            Outcome::Cycle { .. } => "cycle",
            Outcome::Stalled { .. } => "stalled",
        }
    }

    /// Why, for people.
    pub fn reason(&self) -> &str {
        match self {
            Outcome::Converged { reason }
            | Outcome::Limit { reason, .. }
            | Outcome::Cycle { reason }
            | Outcome::Stalled { reason } => reason,
        }
    }
}

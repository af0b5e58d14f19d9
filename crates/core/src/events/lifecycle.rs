//! Lifecycle of a debate (opened, phases, paused, resumed, concluded, aborted), and interjections.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::events::ids::{PersonaId, RoomId, TurnId};
use crate::events::persona::Persona;

/// First event of every debate. It pins everything that the debate depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DebateOpened {
    /// Topic of the debate.
    pub topic: String,
    /// Registered name of the engine.
    pub engine: String,
    /// Revision of the engine at opening.
    pub engine_revision: i32,
    /// Options of the engine, including defaults.
    pub options: Value,
    /// Participants, in speaking order.
    pub participants: Vec<Persona>,
    /// Budget of the debate.
    pub limits: DebateLimits,
    /// Seed of all choices made by the code.
    pub seed: u64,
    /// Registered name of the provider.
    pub provider: String,
}

/// Budget of a debate. Reaching a limit ends the debate with [`DebateOutcome::Limit`], which names the field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DebateLimits {
    /// Maximum number of attempts at one effect before it is abandoned.
    pub attempts: u32,
    /// Maximum number of requests for one effect that may be lost to crashes before it is abandoned.
    pub losses: u32,
    /// Number of requests to a provider, failed ones included.
    pub calls: u32,
    /// Number of tokens, input and output, over all calls.
    pub tokens: u64,
    /// Cost in millionths of a US dollar, by the service's price table.
    pub cost_micros: u64,
    /// Number of turns taken by participants.
    pub turns: u32,
    /// Seconds from the opening event to the latest event, by the log's clock, excluding pauses.
    pub seconds: u32,
}

impl Default for DebateLimits {
    fn default() -> Self {
        DebateLimits {
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

/// A named phase of the debate began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseEntered {
    /// Name of the phase, defined by the engine.
    pub phase: String,
    /// Number of the round, from 1, if the phase has rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// Reason for entering the phase now, if it can vary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The debate was paused. Results of effects under way are still accepted; no new effect is started.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DebatePaused {}

/// The debate was resumed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DebateResumed {}

/// A person interjected. The interjection is a turn, and speakers see it from then on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interjected {
    /// Id of the turn.
    pub turn: TurnId,
    /// Text of the interjection.
    pub text: String,
    /// The participant in whose name it is made; `None` for the moderator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<PersonaId>,
    /// The room; `None` in the main channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<RoomId>,
}

/// The debate ended by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DebateConcluded {
    /// Outcome of the debate. Verdicts are computed from the log and are stored in no event.
    pub outcome: DebateOutcome,
}

/// The debate was aborted by a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DebateAborted {
    /// Reason given by that person.
    pub reason: String,
}

/// Outcome of a debate that ended by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DebateOutcome {
    /// The engine found that nothing more would change.
    Converged {
        /// The rule of the engine that applied.
        reason: String,
    },
    /// A limit was reached. Never convergence.
    Limit {
        /// Name of the limit: a field of [`DebateLimits`] or an option of the engine.
        limit: String,
        /// Explanation of the limit.
        reason: String,
    },
    /// An earlier state recurred.
    Cycle {
        /// Description of the state.
        reason: String,
    },
    /// All effects on which the debate depended were abandoned.
    Stalled {
        /// The effects, and why they were abandoned.
        reason: String,
    },
}

impl DebateOutcome {
    /// Returns the outcome's wire name: `converged`, `limit`, `cycle` or `stalled`.
    pub fn kind(&self) -> &'static str {
        match self {
            DebateOutcome::Converged { .. } => "converged",
            DebateOutcome::Limit { .. } => "limit",
            DebateOutcome::Cycle { .. } => "cycle",
            DebateOutcome::Stalled { .. } => "stalled",
        }
    }

    /// Returns the explanation for people.
    pub fn reason(&self) -> &str {
        match self {
            DebateOutcome::Converged { reason }
            | DebateOutcome::Limit { reason, .. }
            | DebateOutcome::Cycle { reason }
            | DebateOutcome::Stalled { reason } => reason,
        }
    }
}

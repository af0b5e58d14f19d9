//! Lifecycle of a debate (opened, phases, paused, resumed, concluded, aborted), and interjections.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::events::ids::{DebateId, PersonaId, RoomId, TurnId};
use crate::events::persona::Persona;
use crate::events::summary::{Summarize, in_room, short};

/// First event of every debate. It pins everything that the debate depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Seed of all choices made by the code: an unsigned 64-bit integer, which can exceed 2^53.
    pub seed: u64,
    /// Registered name of the provider.
    pub provider: String,
    /// Models of participants, by persona, as the provider names them; the others are answered by the provider's own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<PersonaId, String>,
    /// Revision of the rules by which turns are split into numbered sentences; absent in debates that did not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence_revision: Option<i32>,
}

impl Summarize for DebateOpened {
    fn summary(&self) -> String {
        let names = names(&self.participants);
        format!("{} / {} / {names}: {}", self.engine, self.provider, short(&self.topic))
    }
}

impl DebateOpened {
    /// Number of participants who must take one side of a dispute before it is common ground, as set by the option
    /// `quorum`; `None` if all must.
    pub fn quorum(&self) -> Option<u32> {
        self.options.get("quorum").and_then(Value::as_u64).and_then(|quorum| u32::try_from(quorum).ok())
    }
}

impl DebateOpened {
    /// Number of searches that each participant may ask for before an answer, as set by the option `searches`.
    pub fn searches(&self) -> u32 {
        let searches = self.options.get("searches").and_then(Value::as_u64).unwrap_or_default();
        u32::try_from(searches).unwrap_or(u32::MAX)
    }

    /// Corpus of which all participants are given passages, as set by the option `shared_corpus`; `None` for none.
    pub fn shared_corpus(&self) -> Option<PersonaId> {
        self.options.get("shared_corpus").and_then(Value::as_str).and_then(|id| id.parse().ok())
    }
}

/// Budget of a debate. Reaching a limit ends the debate with the outcome `limit`, which names the field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DebateLimits {
    /// Maximum number of attempts at one effect before it is abandoned.
    pub attempts: u32,
    /// Maximum number of requests for one effect that may be lost to crashes before it is abandoned.
    pub losses: u32,
    /// Maximum number of requests to a provider, failed ones included.
    pub calls: u32,
    /// Maximum number of tokens, input and output, over all calls.
    pub tokens: u64,
    /// Maximum cost in millionths of a US dollar, by the service's price table.
    pub cost_micros: u64,
    /// Maximum number of turns taken by participants.
    pub turns: u32,
    /// Maximum number of seconds from the opening event to the latest event, by the log's clock, excluding pauses.
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

/// First event of a fork. The events before it are the origin's up to version `at`, shared and not copied: the fork's
/// stream begins at version `at + 1`, and a read from the beginning returns the origin's events first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DebateForked {
    /// The debate that was forked.
    pub origin: DebateId,
    /// Last version of the origin that both share.
    pub at: i64,
    /// The fork's configuration, complete as in an opening event. Topic and engine are the origin's.
    pub opened: Box<DebateOpened>,
}

impl Summarize for DebateForked {
    fn summary(&self) -> String {
        let opened = &self.opened;
        format!("from {} at {}: {} / {}", self.origin, self.at, opened.provider, names(&opened.participants))
    }
}

/// Name of the phase of last words in debates that are no talk.
pub const CLOSING: &str = "closing";
/// Name of the phase after it, in which participants answer what they agreed on as the crux.
pub const ANSWERS: &str = "answers";

/// Returns true for a phase after the rounds. It has no round: one that its turns record is that of the phase before.
pub fn is_after_rounds(phase: &str) -> bool {
    [CLOSING, ANSWERS].contains(&phase)
}

/// A named phase of the debate began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseEntered {
    /// Name of the phase, defined by the engine.
    pub phase: String,
    /// Number of the round, from 1, if the phase has rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// Reason for entering the phase now, if it can vary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Announcement of the moderator at its beginning: the round, the order of speakers and the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announcement: Option<String>,
}

impl PhaseEntered {
    /// Reason for a phase whose turns one model writes, whoever speaks them: what is said is nobody's own.
    pub const WRITTEN_BY_ONE: &str = "one model writes what all participants say";

    /// Creates the event of a phase without an announcement.
    pub fn new(phase: impl Into<String>, round: Option<u32>, reason: Option<String>) -> PhaseEntered {
        PhaseEntered { phase: phase.into(), round, reason, announcement: None }
    }
}

impl Summarize for PhaseEntered {
    fn summary(&self) -> String {
        match (self.round, &self.reason) {
            (Some(round), _) => format!("{}, round {round}", self.phase),
            (None, Some(reason)) => format!("{}: {reason}", self.phase),
            (None, None) => self.phase.clone(),
        }
    }
}

/// The debate was paused. Results of effects under way are still accepted; no new effect is started.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DebatePaused {
    /// Reason why the service paused it; absent if a user did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Summarize for DebatePaused {
    fn summary(&self) -> String {
        self.reason.clone().unwrap_or_default()
    }
}

/// The debate was resumed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DebateResumed {}

impl Summarize for DebateResumed {
    fn summary(&self) -> String {
        String::new()
    }
}

/// A person interjected. The interjection is a turn, and speakers see it from then on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interjected {
    /// Id of the turn.
    pub turn: TurnId,
    /// Text of the interjection.
    pub text: String,
    /// The participant in whose name it is made; absent for the moderator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<PersonaId>,
    /// The room; absent in the main channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<RoomId>,
}

impl Summarize for Interjected {
    fn summary(&self) -> String {
        let speaker = self.speaker.as_ref().map_or("moderator", |speaker| speaker.as_str());
        format!("{} {speaker}{}: {}", self.turn, in_room(self.room), short(&self.text))
    }
}

/// The debate ended by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DebateConcluded {
    /// Outcome of the debate. Verdicts are computed from the log and are stored in no event.
    pub outcome: DebateOutcome,
}

impl Summarize for DebateConcluded {
    fn summary(&self) -> String {
        format!("{}: {}", self.outcome.kind(), self.outcome.reason())
    }
}

/// The debate was aborted by a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DebateAborted {
    /// Reason given by that person.
    pub reason: String,
}

impl Summarize for DebateAborted {
    fn summary(&self) -> String {
        short(&self.reason)
    }
}

/// Outcome of a debate that ended by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DebateOutcome {
    /// The participants settled the question: they agreed in words on the crux, accepted a proposal, or came to one side
    /// of every dispute.
    Settled {
        /// The agreement.
        reason: String,
    },
    /// Nothing new came. Not a sign of agreement.
    Exhausted {
        /// The rule of the engine that applied.
        reason: String,
    },
    /// A limit was reached. Never convergence.
    Limit {
        /// Name of the limit: a field of `limits` in the opening event or an option of the engine.
        limit: String,
        /// Explanation of the limit.
        reason: String,
    },
    /// The debate could not continue, because too few participants were left.
    Stalled {
        /// The participants, and why they are missing.
        reason: String,
    },
    /// Effects on which the debate depended failed and were abandoned.
    Failed {
        /// The effects, and why they were abandoned.
        reason: String,
    },
}

impl DebateOutcome {
    /// Returns the outcome's wire name: `settled`, `exhausted`, `limit`, `stalled` or `failed`.
    pub fn kind(&self) -> &'static str {
        match self {
            DebateOutcome::Settled { .. } => "settled",
            DebateOutcome::Exhausted { .. } => "exhausted",
            DebateOutcome::Limit { .. } => "limit",
            DebateOutcome::Stalled { .. } => "stalled",
            DebateOutcome::Failed { .. } => "failed",
        }
    }

    /// Returns the explanation for people.
    pub fn reason(&self) -> &str {
        match self {
            DebateOutcome::Settled { reason }
            | DebateOutcome::Exhausted { reason }
            | DebateOutcome::Limit { reason, .. }
            | DebateOutcome::Stalled { reason }
            | DebateOutcome::Failed { reason } => reason,
        }
    }
}

/// Joins the ids of participants with commas.
pub fn names(participants: &[Persona]) -> String {
    let names: Vec<&str> = participants.iter().map(|persona| persona.id.as_str()).collect();
    names.join(", ")
}

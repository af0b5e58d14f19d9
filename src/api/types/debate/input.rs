//! GraphQL input types of debates, forks and the list of debates.

use async_graphql::{ID, InputObject, Result};
use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::api::ids::parse_optional_id;
use crate::api::types::scalars::{DebateStatus, Long, RegimeKind};
use crate::service::fork::ForkRequest;
use crate::service::service::OpenDebate;
use faultline_core::events::lifecycle::DebateLimits;

/// Settings of a new debate.
#[derive(InputObject)]
pub struct StartDebateInput {
    /// Topic; at most 2000 bytes.
    pub topic: String,
    /// Name of the engine.
    #[graphql(default_with = "String::from(\"graph\")")]
    pub engine: String,
    /// Ids of the personas, in speaking order.
    pub personas: Vec<ID>,
    /// Options of the engine that differ from the defaults.
    pub options: Option<Value>,
    /// Seed of its random choices; random by default. The same seed, personas and corpus produce the same offline
    /// debate.
    pub seed: Option<Long>,
    /// Name of the provider; by default the preferred one.
    pub provider: Option<String>,
    /// Limits on costs and length.
    pub limits: Option<LimitsInput>,
    /// Id for the debate, chosen by the client. A repeated call with the same id fails with a conflict and opens no
    /// second debate.
    pub id: Option<ID>,
}

/// Changes made by a fork. Omitted settings keep their values.
#[derive(InputObject, Default)]
pub struct ForkInput {
    /// Ids of the participants from here on, in speaking order. Earlier turns of omitted participants remain.
    pub personas: Option<Vec<ID>>,
    /// Options of the engine to change; the others keep their values.
    pub options: Option<Value>,
    /// Seed of its random choices.
    pub seed: Option<Long>,
    /// Name of the provider.
    pub provider: Option<String>,
    /// Limits that differ from those of the original debate. A fork has its own budget, which starts unspent.
    pub limits: Option<LimitsInput>,
    /// Id for the fork, chosen by the client. A repeated call with the same id fails with a conflict and creates no
    /// second fork.
    pub id: Option<ID>,
}

/// Limits of a debate. Reaching a limit ends the debate with the outcome `limit`, except that `attempts` ends one task
/// only.
#[derive(InputObject, Default)]
pub struct LimitsInput {
    /// Number of attempts at one task before it is abandoned.
    pub attempts: Option<u32>,
    /// Number of requests to a provider.
    pub calls: Option<u32>,
    /// Number of tokens read and written.
    pub tokens: Option<Long>,
    /// Cost in millionths of a US dollar.
    pub cost_micros: Option<Long>,
    /// Number of turns taken by participants.
    pub turns: Option<u32>,
    /// Duration in seconds, without pauses.
    pub seconds: Option<u32>,
}

/// Conditions on listed debates.
#[derive(InputObject, Default)]
pub struct DebateFilter {
    /// Only debates with this status.
    pub status: Option<DebateStatus>,
    /// Only debates run by this engine.
    pub engine: Option<String>,
    /// Only debates in which this persona takes part.
    pub persona: Option<ID>,
    /// Only debates whose topic contains this text, ignoring case.
    pub search: Option<String>,
    /// Only debates with this model provider.
    pub provider: Option<String>,
    /// Only debates with this overall state.
    pub regime: Option<RegimeKind>,
    /// Only debates opened at this time or later.
    pub opened_after: Option<DateTime<Utc>>,
    /// Only debates opened before this time.
    pub opened_before: Option<DateTime<Utc>>,
}

impl LimitsInput {
    fn over(self, defaults: DebateLimits) -> DebateLimits {
        DebateLimits {
            attempts: self.attempts.unwrap_or(defaults.attempts),
            losses: defaults.losses,
            calls: self.calls.unwrap_or(defaults.calls),
            tokens: self.tokens.map_or(defaults.tokens, |tokens| tokens.0),
            cost_micros: self.cost_micros.map_or(defaults.cost_micros, |micros| micros.0),
            turns: self.turns.unwrap_or(defaults.turns),
            seconds: self.seconds.unwrap_or(defaults.seconds),
        }
    }
}

impl StartDebateInput {
    /// Converts the input to the service's command.
    ///
    /// # Errors
    /// `INVALID` if the chosen id is not a debate id.
    pub fn into_open_debate(self) -> Result<OpenDebate> {
        Ok(OpenDebate {
            topic: self.topic,
            engine: self.engine,
            personas: self.personas.into_iter().map(|id| id.0).collect(),
            options: self.options.unwrap_or_default(),
            limits: self.limits.unwrap_or_default().over(DebateLimits::default()),
            seed: self.seed.map(|seed| seed.0),
            provider: self.provider,
            id: parse_optional_id(self.id.as_ref())?,
        })
    }
}

impl ForkInput {
    /// Converts the input to the service's command; `before` are the limits of the original debate.
    ///
    /// # Errors
    /// `INVALID` if the chosen id is not a debate id.
    pub fn into_fork(self, before: DebateLimits) -> Result<ForkRequest> {
        Ok(ForkRequest {
            personas: self.personas.map(|ids| ids.into_iter().map(|id| id.0).collect()),
            options: self.options.unwrap_or_default(),
            limits: self.limits.map(|limits| limits.over(before)),
            seed: self.seed.map(|seed| seed.0),
            provider: self.provider,
            id: parse_optional_id(self.id.as_ref())?,
        })
    }
}

//! Inputs and payloads of the mutations that open debates: `startDebate`, `forkDebate` and `redistillDebate`.

use async_graphql::{Enum, ID, InputObject, Result, SimpleObject};
use serde_json::Value;

use crate::api::ids::parse_optional_id;
use crate::api::types::debate::debate::Debate;
use crate::api::types::scalars::{Long, Seed};
use faultline_core::events::lifecycle::DebateLimits;
use faultline_service::derived::fork::ForkRequest;
use faultline_service::derived::redistill::RedistillRequest;
use faultline_service::service::OpenDebate;

/// Input of `startDebate`: topic, participants and settings.
#[derive(InputObject)]
pub struct StartDebateInput {
    /// Topic; at most 2000 bytes.
    pub topic: String,
    /// Name of the engine.
    #[graphql(default_with = "String::from(\"graph\")")]
    pub engine: String,
    /// Ids of the personas, in speaking order. `pro` and `con` are sides without a character, for providers with a model.
    pub persona_ids: Vec<ID>,
    /// Options of the engine that differ from the defaults.
    pub options: Option<Value>,
    /// Seed of its random choices; random by default. The same seed, personas and corpus produce the same offline
    /// debate.
    pub seed: Option<Seed>,
    /// Name of the provider; by default the preferred one.
    pub provider: Option<String>,
    /// Models of participants; those who are not listed are answered by the provider's own.
    pub models: Option<Vec<ParticipantModelInput>>,
    /// Limits on costs and length.
    pub limits: Option<LimitsInput>,
    /// Id for the debate, chosen by the client. A repeated call with the same id fails with a conflict and opens no
    /// second debate.
    pub id: Option<ID>,
}

/// Input of `forkDebate`: the debate, and the settings to change. Omitted settings keep their values.
#[derive(InputObject)]
pub struct ForkDebateInput {
    /// Id of the debate to fork.
    pub debate_id: ID,
    /// Last version to share; by default everything except the debate's end.
    pub at: Option<i64>,
    /// Ids of the participants from here on, in speaking order. Earlier turns of omitted participants remain.
    pub persona_ids: Option<Vec<ID>>,
    /// Options of the engine to change; the others keep their values.
    pub options: Option<Value>,
    /// Seed of its random choices.
    pub seed: Option<Seed>,
    /// Name of the provider.
    pub provider: Option<String>,
    /// Models of participants. If omitted, participants keep theirs, unless the provider changes.
    pub models: Option<Vec<ParticipantModelInput>>,
    /// Limits that differ from those of the original debate. A fork has its own budget, which starts unspent.
    pub limits: Option<LimitsInput>,
    /// Id for the fork, chosen by the client. A repeated call with the same id fails with a conflict and creates no
    /// second fork.
    pub id: Option<ID>,
}

/// Engine whose clerk distils a talk anew.
#[derive(Enum, Clone, Copy, PartialEq, Eq)]
pub enum RedistillClerk {
    /// That of `disputes`: questions, stances and reasons.
    Disputes,
    /// That of `dialogue`: arguments and attacks.
    Dialogue,
}

/// Input of `redistillDebate`: the debate whose talk is taken, and the clerk.
#[derive(InputObject)]
pub struct RedistillDebateInput {
    /// Id of the debate.
    pub debate_id: ID,
    /// Last version whose turns are taken; by default the latest.
    pub at: Option<i64>,
    /// Engine whose clerk reads the talk.
    #[graphql(default_with = "RedistillClerk::Disputes")]
    pub clerk: RedistillClerk,
    /// Further options of the engine `baseline`.
    pub options: Option<Value>,
    /// Seed of the random choices; by default that of the debate.
    pub seed: Option<Seed>,
    /// Name of the provider; by default that of the debate.
    pub provider: Option<String>,
    /// Limits that differ from the defaults.
    pub limits: Option<LimitsInput>,
    /// Id for the new debate, chosen by the client. A repeated call with the same id fails with a conflict and opens no
    /// second debate.
    pub id: Option<ID>,
}

/// Model of one participant.
#[derive(InputObject)]
pub struct ParticipantModelInput {
    /// Id of the persona.
    pub persona_id: ID,
    /// Name of the model at the provider; at most 200 bytes.
    pub model: String,
}

fn chosen(models: Vec<ParticipantModelInput>) -> Vec<(String, String)> {
    models.into_iter().map(|it| (it.persona_id.0, it.model)).collect()
}

/// Result of `startDebate`.
#[derive(SimpleObject)]
pub struct StartDebatePayload {
    /// The new debate.
    pub debate: Debate,
}

/// Result of `forkDebate`.
#[derive(SimpleObject)]
pub struct ForkDebatePayload {
    /// The new debate.
    pub debate: Debate,
}

/// Result of `redistillDebate`.
#[derive(SimpleObject)]
pub struct RedistillDebatePayload {
    /// The new debate.
    pub debate: Debate,
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
            personas: self.persona_ids.into_iter().map(|id| id.0).collect(),
            options: self.options.unwrap_or_default(),
            limits: self.limits.unwrap_or_default().over(DebateLimits::default()),
            seed: self.seed.map(|seed| seed.0),
            provider: self.provider,
            models: self.models.map(chosen).unwrap_or_default(),
            id: parse_optional_id(self.id.as_ref())?,
        })
    }
}

impl ForkDebateInput {
    /// Converts the input to the service's command; `before` are the limits of the original debate.
    ///
    /// # Errors
    /// `INVALID` if the chosen id is not a debate id.
    pub fn into_fork(self, before: DebateLimits) -> Result<ForkRequest> {
        Ok(ForkRequest {
            personas: self.persona_ids.map(|ids| ids.into_iter().map(|id| id.0).collect()),
            options: self.options.unwrap_or_default(),
            limits: self.limits.map(|limits| limits.over(before)),
            seed: self.seed.map(|seed| seed.0),
            provider: self.provider,
            models: self.models.map(chosen),
            id: parse_optional_id(self.id.as_ref())?,
        })
    }
}

impl RedistillDebateInput {
    /// Converts the input to the service's command, up to the version `at` of the debate.
    ///
    /// # Errors
    /// `INVALID` if the chosen id is not a debate id.
    pub fn into_redistill(self, at: Option<i64>) -> Result<RedistillRequest> {
        let clerk = match self.clerk {
            RedistillClerk::Disputes => "disputes",
            RedistillClerk::Dialogue => "dialogue",
        };
        Ok(RedistillRequest {
            at,
            clerk: Some(clerk.to_owned()),
            options: self.options.unwrap_or_default(),
            limits: self.limits.unwrap_or_default().over(DebateLimits::default()),
            seed: self.seed.map(|seed| seed.0),
            provider: self.provider,
            id: parse_optional_id(self.id.as_ref())?,
        })
    }
}

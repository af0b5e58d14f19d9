//! What clients ask for.

use async_graphql::{ID, InputObject};
use serde_json::Value;

use crate::events::ids::{DebateId, Misnamed};
use crate::events::lifecycle::Limits;

use crate::api::types::scalars::{DebateStatus, Long};
use crate::desk::desk::Asked;
use crate::desk::fork::Fork;

/// What a debate is to be opened with.
#[derive(InputObject)]
pub struct StartDebateInput {
    /// What is to be debated; at most 2000 bytes.
    pub topic: String,
    /// The engine's name.
    #[graphql(default_with = "String::from(\"graph\")")]
    pub engine: String,
    /// Personas, in speaking order.
    pub personas: Vec<ID>,
    /// The engine's options, as far as they differ from the defaults.
    pub options: Option<Value>,
    /// The seed of its choices, drawn where none is given. The same seed, personas and corpus give the same offline
    /// debate.
    pub seed: Option<Long>,
    /// The provider's name; the preferred one where none is given.
    pub provider: Option<String>,
    /// What it may spend.
    pub limits: Option<LimitsInput>,
    /// A name for the debate, chosen by the client: asking twice then opens it once, and the second time is a conflict.
    pub id: Option<ID>,
}

/// What a fork changes. What is not given stays as it was.
#[derive(InputObject, Default)]
pub struct ForkInput {
    /// Who takes part from here on, in speaking order. Whoever is not named any more has said what it said.
    pub personas: Option<Vec<ID>>,
    /// Options of the engine to be set; the others keep their values.
    pub options: Option<Value>,
    /// The seed of its choices.
    pub seed: Option<Long>,
    /// The provider's name.
    pub provider: Option<String>,
    /// What it may spend, where that differs from the origin's limits. A fork's purse is its own and begins full.
    pub limits: Option<LimitsInput>,
    /// A name for the fork, chosen by the client: asking twice then makes it once, and the second time is a conflict.
    pub id: Option<ID>,
}

/// What a debate may spend. Reaching one ends it with the outcome `limit`.
#[derive(InputObject, Default)]
pub struct LimitsInput {
    /// How often one question is asked before it is abandoned.
    pub attempts: Option<u32>,
    /// Requests to a provider.
    pub calls: Option<u32>,
    /// Tokens read and written.
    pub tokens: Option<Long>,
    /// Money in millionths of a US dollar.
    pub cost_micros: Option<Long>,
    /// Turns taken by participants.
    pub turns: Option<u32>,
    /// Seconds, pauses not counted.
    pub seconds: Option<u32>,
}

/// Which debates to list.
#[derive(InputObject, Default)]
pub struct DebateFilter {
    /// Only these.
    pub status: Option<DebateStatus>,
    /// Only those run by this engine.
    pub engine: Option<String>,
    /// Only those in which this persona takes part.
    pub persona: Option<ID>,
    /// Only those whose topic holds this text, whatever its case.
    pub search: Option<String>,
}

impl LimitsInput {
    fn over(self, defaults: Limits) -> Limits {
        Limits {
            attempts: self.attempts.unwrap_or(defaults.attempts),
            losses: defaults.losses,
            calls: self.calls.unwrap_or(defaults.calls),
            tokens: self.tokens.map_or(defaults.tokens, |it| it.0),
            cost_micros: self.cost_micros.map_or(defaults.cost_micros, |it| it.0),
            turns: self.turns.unwrap_or(defaults.turns),
            seconds: self.seconds.unwrap_or(defaults.seconds),
        }
    }
}

impl StartDebateInput {
    /// The same, as the desk is asked.
    ///
    /// # Errors
    /// [`Misnamed`] where the name chosen is no debate id.
    pub fn asked(self) -> Result<Asked, Misnamed> {
        Ok(Asked {
            topic: self.topic,
            engine: self.engine,
            personas: self.personas.into_iter().map(|it| it.0).collect(),
            options: self.options.unwrap_or_default(),
            limits: self.limits.unwrap_or_default().over(Limits::default()),
            seed: self.seed.map(|it| it.0),
            provider: self.provider,
            id: self.id.map(|it| it.parse::<DebateId>()).transpose()?,
        })
    }
}

impl ForkInput {
    /// The same, as the desk is asked; `before` are the origin's limits.
    ///
    /// # Errors
    /// [`Misnamed`] where the name chosen is no debate id.
    pub fn wanted(self, before: Limits) -> Result<Fork, Misnamed> {
        Ok(Fork {
            personas: self.personas.map(|ids| ids.into_iter().map(|it| it.0).collect()),
            options: self.options.unwrap_or_default(),
            limits: self.limits.map(|it| it.over(before)),
            seed: self.seed.map(|it| it.0),
            provider: self.provider,
            id: self.id.map(|it| it.parse::<DebateId>()).transpose()?,
        })
    }
}

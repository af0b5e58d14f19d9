//! Models behind Anthropic's Messages API.
//!
//! No sampling parameter is sent: newer versions of the API refuse them. The instructions are marked for the provider's
//! cache, and the schema goes along as `output_config.format`; where a model refuses it, it is laid beside the prompt.

use reqwest::header::{HeaderMap, HeaderValue};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::events::receipt::{Answer, Failure, FailureKind, Usage};
use crate::kernel::effect::Ask;
use crate::kernel::prompt::Prompt;
use crate::providers::http::{Calls, Reply, Untaken, Wire, base_url, with_schema};
use crate::providers::ports::{Model, Pending};
use crate::providers::prices::Prices;
use crate::providers::setback::quote;
use crate::providers::settings::{ConfigError, Patience, Secret, TierModel, TierModels};

const NAME: &str = "anthropic";

/// The API's own address.
pub const ANTHROPIC_BASE: &str = "https://api.anthropic.com";
/// The version of the API that is spoken where no other is set.
pub const ANTHROPIC_VERSION: &str = "2023-06-01";
/// Tokens granted for thinking where no other number is set: current models think unless told otherwise.
pub const ANTHROPIC_THINKING_TOKENS: u32 = 8_000;

/// What [`Anthropic`] is made from.
#[derive(Clone, Debug)]
pub struct AnthropicConfig {
    /// Where the API is, without `/v1`.
    pub base: String,
    /// The `anthropic-version`, a date.
    pub version: String,
    /// The API key.
    pub key: Secret,
    /// The models. An effort is sent as `output_config.effort`.
    pub models: TierModels,
    /// How long is waited.
    pub patience: Patience,
    /// What the models cost.
    pub prices: Prices,
}

impl AnthropicConfig {
    /// The API's own address and the defaults of everything else.
    pub fn new(key: Secret, deep: impl Into<String>, quick: impl Into<String>) -> Self {
        AnthropicConfig {
            base: ANTHROPIC_BASE.into(),
            version: ANTHROPIC_VERSION.into(),
            key,
            models: TierModels {
                deep: TierModel::new(deep, ANTHROPIC_THINKING_TOKENS),
                quick: TierModel::new(quick, ANTHROPIC_THINKING_TOKENS),
            },
            patience: Patience::default(),
            prices: Prices::default(),
        }
    }
}

/// Models behind the Messages API.
#[derive(Debug)]
pub struct Anthropic {
    wire: Wire,
    models: TierModels,
    prices: Prices,
    untaken: Untaken,
}

impl Anthropic {
    /// A provider by its settings. Calls nobody.
    ///
    /// # Errors
    /// [`ConfigError`] where the key is empty, the base URL is none, a model has no name, or key or version do not fit
    /// into a header.
    pub fn new(config: AnthropicConfig) -> Result<Self, ConfigError> {
        let AnthropicConfig { base, version, key, models, patience, prices } = config;
        if key.is_empty() {
            return Err(ConfigError::NoKey { provider: NAME });
        }
        let refused = |what| ConfigError::Header { provider: NAME, what };
        let mut headers = HeaderMap::new();
        headers.insert("x-api-key", key.header("").ok_or_else(|| refused("API key"))?);
        let version = HeaderValue::from_str(version.trim()).map_err(|_| refused("version"))?;
        headers.insert("anthropic-version", version);
        let url = base_url(NAME, &base, &["v1"], &["messages"])?;
        let wire = Wire::new(NAME, url, headers, Some(key), patience, &models)?;
        Ok(Anthropic { wire, models, prices, untaken: Untaken::default() })
    }

    async fn answer(&self, ask: &Ask) -> Result<Answer, Failure> {
        let model = self.models.of(ask.tier);
        let name = ask.prompt.schema_name;
        let mut calls = self.wire.calls(ask);
        let enforced = !self.untaken.has(model, name);
        let reply = match calls.post(&body(&ask.prompt, model, enforced)).await {
            Err(setback) if enforced && setback.refuses(Untaken::NAMES) => {
                calls.leave_out(setback);
                let reply = calls.post(&body(&ask.prompt, model, false)).await.map_err(|it| calls.failure(it))?;
                self.untaken.note(model, name);
                reply
            }
            other => other.map_err(|it| calls.failure(it))?,
        };
        self.read(&calls, model, reply)
    }

    fn read(&self, calls: &Calls<'_>, model: &TierModel, reply: Reply<Message>) -> Result<Answer, Failure> {
        let Reply { body, request_id } = reply;
        let told = body.model.filter(|it| !it.is_empty()).unwrap_or_else(|| model.name.clone());
        let mut usage = body.usage.normal();
        usage.cost_micros = self.prices.cost_of_either(&usage, &told, &model.name);
        let text: String = body.content.into_iter().filter(|it| it.kind == "text").map(|it| it.text).collect();
        let answer = calls.answer(&told, text, usage, request_id.or(body.id));
        let stop = body.stop_reason.unwrap_or_default();
        match stop.as_str() {
            "max_tokens" | "model_context_window_exceeded" => {
                Err(answer.cut_off(&stop, body.usage.output_tokens_details.thinking_tokens))
            }
            "refusal" => Err(answer.declined(&body.stop_details.unwrap_or_default().explanation.unwrap_or_default())),
            "tool_use" | "pause_turn" => {
                Err(answer.failure(FailureKind::Unreadable, &format!("the reply is not text, it stopped for `{stop}`")))
            }
            _ => answer.with_text(),
        }
    }
}

//! Provider for models behind Anthropic's Messages API.
//!
//! Sends no sampling parameters, because newer versions of the API reject them. The system instructions are marked for
//! the provider's prompt cache. The reply schema is sent as `output_config.format`; if a model rejects it, the schema
//! is put into the prompt instead.

use reqwest::header::{HeaderMap, HeaderValue};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call_error::{cut_off, failure, quote, with_text};
use crate::http::{Calls, HttpReply, Wire, base_url, extended};
use crate::ports::{Model, Pending};
use crate::prices::Prices;
use crate::schemas::{Untaken, with_schema};
use crate::settings::{ApiKey, CallTimeouts, ConfigError, TierModel, TierModels};
use faultline_core::events::receipt::{Failure, FailureKind, ProviderAnswer, Usage};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::prompt::Prompt;

const NAME: &str = "anthropic";

/// Default base URL of the API.
pub const ANTHROPIC_BASE: &str = "https://api.anthropic.com";
/// Default version of the API.
pub const ANTHROPIC_VERSION: &str = "2023-06-01";
/// Default token budget for thinking; current models think by default.
pub const ANTHROPIC_THINKING_TOKENS: u32 = 8_000;

/// Configuration of [`Anthropic`].
#[derive(Clone, Debug)]
pub struct AnthropicConfig {
    /// Base URL of the API, without `/v1`.
    pub base: String,
    /// Value of the `anthropic-version` header, a date.
    pub version: String,
    /// API key.
    pub key: ApiKey,
    /// Models per tier. An effort is sent as `output_config.effort`.
    pub models: TierModels,
    /// Put the schema into the prompt in any case, for servers that accept `output_config` without enforcing it.
    pub schema_in_prompt: bool,
    /// Timeouts and backoff.
    pub patience: CallTimeouts,
    /// Prices of the models.
    pub prices: Prices,
}

impl AnthropicConfig {
    /// Returns a configuration with the default base URL and defaults for everything else.
    pub fn new(key: ApiKey, deep: impl Into<String>, quick: impl Into<String>) -> Self {
        AnthropicConfig {
            base: ANTHROPIC_BASE.into(),
            version: ANTHROPIC_VERSION.into(),
            key,
            models: TierModels {
                deep: TierModel::new(deep, ANTHROPIC_THINKING_TOKENS),
                quick: TierModel::new(quick, ANTHROPIC_THINKING_TOKENS),
            },
            schema_in_prompt: false,
            patience: CallTimeouts::default(),
            prices: Prices::default(),
        }
    }
}

/// Provider for models behind the Messages API.
#[derive(Debug)]
pub struct Anthropic {
    wire: Wire,
    models: TierModels,
    prices: Prices,
    schema_in_prompt: bool,
    untaken: Untaken,
}

impl Anthropic {
    /// Builds a provider from its configuration, without any network call.
    ///
    /// # Errors
    /// [`ConfigError`] if the key is empty, the base URL is invalid, a model has no name, or the key or version
    /// contains characters that a header cannot carry.
    pub fn new(config: AnthropicConfig) -> Result<Self, ConfigError> {
        let AnthropicConfig { base, version, key, models, schema_in_prompt, patience, prices } = config;
        if key.is_empty() {
            return Err(ConfigError::NoKey { provider: NAME });
        }
        let refused = |what| ConfigError::Header { provider: NAME, what };
        let mut headers = HeaderMap::new();
        headers.insert("x-api-key", key.header("").ok_or_else(|| refused("API key"))?);
        let version = HeaderValue::from_str(version.trim()).map_err(|_| refused("version"))?;
        headers.insert("anthropic-version", version);
        let url = base_url(NAME, &base)?;
        let is_versioned = url.path().trim_end_matches('/').ends_with("/v1");
        let url = extended(url, if is_versioned { &["messages"] } else { &["v1", "messages"] });
        let wire = Wire::new(NAME, url, headers, Some(key), patience, &models.by_tier())?;
        Ok(Anthropic { wire, models, prices, schema_in_prompt, untaken: Untaken::default() })
    }

    async fn answer(&self, ask: &EffectAttempt) -> Result<ProviderAnswer, Failure> {
        let model = self.models.of(ask.tier);
        let name = ask.prompt.schema_name;
        let mut calls = self.wire.calls(ask);
        let enforced = !self.untaken.has(model, name);
        let reply = match calls.post(&self.body(&ask.prompt, model, enforced)).await {
            Err(setback) if enforced && setback.refuses(Untaken::NAMES) => {
                calls.leave_out(setback);
                let reply =
                    calls.post(&self.body(&ask.prompt, model, false)).await.map_err(|error| calls.failure(error))?;
                self.untaken.note(model, name);
                reply
            }
            other => other.map_err(|error| calls.failure(error))?,
        };
        self.read(&calls, model, reply)
    }

    fn read(
        &self,
        calls: &Calls<'_>,
        model: &TierModel,
        reply: HttpReply<Response>,
    ) -> Result<ProviderAnswer, Failure> {
        let HttpReply { body, request_id } = reply;
        let told = model.called(body.model);
        let mut usage = body.usage.normal();
        usage.cost_micros = self.prices.cost_of_either(&usage, &told, &model.name);
        let text =
            body.content.into_iter().filter(|block| block.kind == "text").map(|block| block.text).collect::<String>();
        let answer = calls.answer(&told, text, usage, request_id.or(body.id));
        let stop = body.stop_reason.unwrap_or_default();
        match stop.as_str() {
            "max_tokens" | "model_context_window_exceeded" => {
                Err(cut_off(&answer, &stop, body.usage.output_tokens_details.unwrap_or_default().thinking_tokens))
            }
            "refusal" => {
                let StopDetails { category, explanation } = body.stop_details.unwrap_or_default();
                let reason = explanation.or(category).unwrap_or_default();
                Err(failure(&answer, FailureKind::Declined, &format!("refused, saying {}", quote(&reason))))
            }
            "tool_use" | "pause_turn" => Err(failure(
                &answer,
                FailureKind::Unreadable,
                &format!("did not reply and stopped for {}", quote(&stop)),
            )),
            _ => with_text(answer),
        }
    }

    fn body(&self, prompt: &Prompt, model: &TierModel, enforced: bool) -> Value {
        let in_prompt = self.schema_in_prompt || !enforced;
        let text = if in_prompt { with_schema(prompt) } else { prompt.text.clone() };
        let mut body = json!({
            "model": model.name,
            "max_tokens": prompt.max_tokens.saturating_add(model.thinking_tokens),
            "messages": [{ "role": "user", "content": text }],
        });
        // The API rejects an empty text block.
        if !prompt.system.trim().is_empty() {
            body["system"] =
                json!([{ "type": "text", "text": prompt.system, "cache_control": { "type": "ephemeral" } }]);
        }
        if enforced {
            body["output_config"]["format"] = json!({ "type": "json_schema", "schema": prompt.schema });
        }
        if let Some(effort) = &model.effort {
            body["output_config"]["effort"] = json!(effort);
        }
        body
    }
}

impl Model for Anthropic {
    fn name(&self) -> &str {
        NAME
    }

    fn about(&self) -> String {
        format!("{} at {}", self.models, self.wire.origin())
    }

    fn complete<'a>(&'a self, ask: &'a EffectAttempt) -> Pending<'a, ProviderAnswer> {
        Box::pin(self.answer(ask))
    }
}

#[derive(Deserialize)]
struct Response {
    id: Option<String>,
    model: Option<String>,
    content: Vec<Block>,
    stop_reason: Option<String>,
    stop_details: Option<StopDetails>,
    #[serde(default)]
    usage: Tokens,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: String,
}

#[derive(Default, Deserialize)]
struct StopDetails {
    category: Option<String>,
    explanation: Option<String>,
}

/// Token counts as the API reports them: `input_tokens` excludes tokens read from or written to the cache.
#[derive(Clone, Copy, Default, Deserialize)]
struct Tokens {
    input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    output_tokens_details: Option<OutputTokens>,
}

#[derive(Clone, Copy, Default, Deserialize)]
struct OutputTokens {
    thinking_tokens: Option<u64>,
}

impl Tokens {
    fn normal(self) -> Usage {
        Usage {
            input_tokens: self.input_tokens.unwrap_or(0),
            cache_read_tokens: self.cache_read_input_tokens.unwrap_or(0),
            cache_write_tokens: self.cache_creation_input_tokens.unwrap_or(0),
            output_tokens: self.output_tokens.unwrap_or(0),
            cost_micros: 0,
        }
    }
}

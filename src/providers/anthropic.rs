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
use crate::providers::http::{Calls, Reply, Wire, base_url, extended};
use crate::providers::ports::{Model, Pending};
use crate::providers::prices::Prices;
use crate::providers::schemas::{Untaken, with_schema};
use crate::providers::setback::{cut_off, failure, quote, with_text};
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
    /// Lay the schema beside the prompt in any case: for servers that take `output_config` and do not enforce it.
    pub schema_in_prompt: bool,
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
            schema_in_prompt: false,
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
    schema_in_prompt: bool,
    untaken: Untaken,
}

impl Anthropic {
    /// A provider by its settings. Calls nobody.
    ///
    /// # Errors
    /// [`ConfigError`] where the key is empty, the base URL is none, a model has no name, or key or version do not fit
    /// into a header.
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

    async fn answer(&self, ask: &Ask) -> Result<Answer, Failure> {
        let model = self.models.of(ask.tier);
        let name = ask.prompt.schema_name;
        let mut calls = self.wire.calls(ask);
        let enforced = !self.untaken.has(model, name);
        let reply = match calls.post(&self.body(&ask.prompt, model, enforced)).await {
            Err(setback) if enforced && setback.refuses(Untaken::NAMES) => {
                calls.leave_out(setback);
                let reply = calls.post(&self.body(&ask.prompt, model, false)).await.map_err(|it| calls.failure(it))?;
                self.untaken.note(model, name);
                reply
            }
            other => other.map_err(|it| calls.failure(it))?,
        };
        self.read(&calls, model, reply)
    }

    fn read(&self, calls: &Calls<'_>, model: &TierModel, reply: Reply<Response>) -> Result<Answer, Failure> {
        let Reply { body, request_id } = reply;
        let told = model.called(body.model);
        let mut usage = body.usage.normal();
        usage.cost_micros = self.prices.cost_of_either(&usage, &told, &model.name);
        let text = body.content.into_iter().filter(|it| it.kind == "text").map(|it| it.text).collect::<String>();
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
                &format!("did not reply but stopped for {}", quote(&stop)),
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
        // An empty text block is refused.
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

    fn complete<'a>(&'a self, ask: &'a Ask) -> Pending<'a, Answer> {
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

/// Tokens as the API counts them: what was read from the cache or written to it is no part of the input.
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

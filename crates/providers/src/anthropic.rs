//! Provider for models behind Anthropic's Messages API.
//!
//! Sends no sampling parameters, because newer versions of the API reject them. The system instructions, and the part of
//! the request that all speakers share, are marked for the provider's prompt cache. The reply schema is sent as `output_config.format`; if a model rejects it, the schema
//! is put into the prompt instead. If a server refuses to stream, replies are requested whole.

use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Value, json};

use crate::call_error::{CallError, cut_off, estimated_tokens, failure, quote, with_text};
use crate::http::{Calls, HttpReply, Wire, base_url, extended};
use crate::message::{Message, MessageStream, StopDetails};
use crate::pacing::ProviderLimits;
use crate::ports::{ChoosableModels, DraftSink, Model, ModelTraits, Pending};
use crate::prices::Prices;
use crate::schemas::{RejectedSchemas, Remembered, with_schema};
use crate::settings::{ApiKey, CallTimeouts, ConfigError, TierModel, TierModels};
use faultline_core::events::receipt::{Failure, FailureKind, ProviderAnswer};
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
    pub timeouts: CallTimeouts,
    /// Limits of the server or account.
    pub limits: ProviderLimits,
    /// Prices of the models.
    pub prices: Prices,
    /// Models that can be chosen for participants.
    pub choosable: ChoosableModels,
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
            timeouts: CallTimeouts::default(),
            limits: ProviderLimits::default(),
            prices: Prices::default(),
            choosable: ChoosableModels::Any,
        }
    }
}

/// Provider for models behind the Messages API.
#[derive(Debug)]
pub struct Anthropic {
    wire: Wire,
    limits: ProviderLimits,
    models: TierModels,
    prices: Prices,
    choosable: ChoosableModels,
    schema_in_prompt: bool,
    rejected: RejectedSchemas,
    /// Models whose server refuses to stream.
    unstreamed: Remembered,
}

/// Variable parts of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
struct RequestForm {
    enforced: bool,
    streams: bool,
}

impl RequestForm {
    /// Returns the request to try after a refusal: without the part that was refused.
    fn simpler(self, error: &CallError) -> Option<RequestForm> {
        if self.streams && error.refuses_word("stream") {
            return Some(RequestForm { streams: false, ..self });
        }
        (self.enforced && error.refuses(RejectedSchemas::NAMES)).then_some(RequestForm { enforced: false, ..self })
    }
}

impl Anthropic {
    /// Builds a provider from its configuration, without any network call.
    ///
    /// # Errors
    /// [`ConfigError`] if the key is empty, the base URL is invalid, a model has no name, or the key or version
    /// contains characters that a header cannot carry.
    pub fn new(config: AnthropicConfig) -> Result<Self, ConfigError> {
        let AnthropicConfig { base, version, key, models, schema_in_prompt, timeouts, limits, prices, choosable } =
            config;
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
        let wire = Wire::new(NAME, url, headers, Some(key), timeouts, &models.by_tier())?.within(&limits);
        let (rejected, unstreamed) = (RejectedSchemas::default(), Remembered::default());
        Ok(Anthropic { wire, limits, models, prices, choosable, schema_in_prompt, rejected, unstreamed })
    }

    async fn answer(&self, ask: &EffectAttempt, drafts: Option<&dyn DraftSink>) -> Result<ProviderAnswer, Failure> {
        let model = self.models.answering(ask);
        let model = &*model;
        let name = ask.prompt.schema_name;
        let drafts = drafts.filter(|_| !self.unstreamed.has(&model.name));
        let known = RequestForm { enforced: !self.rejected.has(model, name), streams: drafts.is_some() };
        let mut form = known;
        let mut calls = self.wire.calls(ask, model, &self.prices);
        let reply = loop {
            let body = self.body(&ask.prompt, model, form);
            let called = match drafts.filter(|_| form.streams) {
                Some(drafts) => calls.stream::<MessageStream>(&body, drafts).await,
                None => calls.send(&body).await,
            };
            let error = match called {
                Ok(reply) => break reply,
                Err(error) => error,
            };
            form = match form.simpler(&error) {
                Some(simpler) => simpler,
                None => return Err(calls.failure(error)),
            };
            calls.leave_out(error);
        };
        if form.enforced {
            self.rejected.note_accepted();
        } else if known.enforced {
            self.rejected.note(model, name);
        }
        if form.streams != known.streams {
            self.unstreamed.note(&model.name);
        }
        let outcome = self.read(&calls, model, reply);
        calls.settle(&outcome).await;
        outcome
    }

    fn read(&self, calls: &Calls<'_>, model: &TierModel, reply: HttpReply<Message>) -> Result<ProviderAnswer, Failure> {
        let HttpReply { body, request_id } = reply;
        let (told, text, stop) = (model.called(body.model.clone()), body.text(), body.stop_reason.unwrap_or_default());
        let answer = calls.answer(&told, text, body.usage.normal(), request_id.or(body.id));
        match stop.as_str() {
            "max_tokens" | "model_context_window_exceeded" => {
                Err(cut_off(&answer, &stop, body.usage.thinking_tokens()))
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

    fn body(&self, prompt: &Prompt, model: &TierModel, form: RequestForm) -> Value {
        let in_prompt = self.schema_in_prompt || !form.enforced;
        let (shared, own) = prompt.parts();
        let own = if in_prompt { with_schema(&own, prompt) } else { own };
        let content = if shared.trim().is_empty() { json!(own) } else { json!([cached(&shared), block(&own)]) };
        let mut body = json!({
            "model": model.name,
            "messages": [{ "role": "user", "content": content }],
        });
        // The API rejects an empty text block.
        if !prompt.system.trim().is_empty() {
            body["system"] = json!([cached(&prompt.system)]);
        }
        if form.streams {
            body["stream"] = json!(true);
        }
        if form.enforced {
            body["output_config"]["format"] = json!({ "type": "json_schema", "schema": prompt.schema });
        }
        if let Some(effort) = &model.effort {
            body["output_config"]["effort"] = json!(effort);
        }
        let read = estimated_tokens(&body.to_string());
        body["max_tokens"] = json!(self.limits.granted(&model.name, prompt.max_tokens, model.thinking_tokens, read));
        body
    }
}

fn block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// Text up to which the provider caches what it has read.
fn cached(text: &str) -> Value {
    json!({ "type": "text", "text": text, "cache_control": { "type": "ephemeral" } })
}

impl Model for Anthropic {
    fn name(&self) -> &str {
        NAME
    }

    fn about(&self) -> String {
        format!("{} at {}", self.models, self.wire.origin())
    }

    fn choosable(&self) -> ChoosableModels {
        self.choosable.clone()
    }

    fn traits(&self) -> ModelTraits {
        ModelTraits { is_remote: true, enforces_schemas: self.rejected.enforced(), context: self.limits.context }
    }

    fn keeps_time(&self) -> bool {
        true
    }

    fn complete<'a>(&'a self, ask: &'a EffectAttempt) -> Pending<'a, ProviderAnswer> {
        Box::pin(self.answer(ask, None))
    }

    fn stream<'a>(&'a self, ask: &'a EffectAttempt, drafts: &'a dyn DraftSink) -> Pending<'a, ProviderAnswer> {
        Box::pin(self.answer(ask, Some(drafts)))
    }
}

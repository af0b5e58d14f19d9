//! Provider for models behind Chat Completions: `OpenAI` and compatible servers such as Ollama, vLLM and llama.cpp.
//!
//! Servers differ in the parameters that they accept. If one rejects the name of the token limit, the other name is
//! tried once; if one rejects `response_format`, the schema is put into the prompt instead. The parameters that a model
//! accepts are remembered for the next question. No sampling parameters are sent.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde_json::{Value, json};

use crate::call_error::{CallError, cut_off, failure, quote, with_text};
use crate::completion::{Completion, Content};
use crate::http::{Calls, HttpReply, Wire, base_url, extended};
use crate::ports::{Model, Pending};
use crate::prices::Prices;
use crate::schemas::{Untaken, with_schema};
use crate::settings::{ApiKey, CallTimeouts, ConfigError, TierModel, TierModels};
use faultline_core::events::receipt::{Failure, FailureKind, ProviderAnswer};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::prompt::Prompt;

const NAME: &str = "openai";

/// Default base URL of the API.
pub const OPENAI_BASE: &str = "https://api.openai.com/v1";

/// Configuration of [`OpenAi`].
#[derive(Clone, Debug)]
pub struct OpenAiConfig {
    /// Base URL of the API, with its version: `http://127.0.0.1:11434/v1`. `/v1` is added to a URL without a path.
    pub base: String,
    /// API key, if the server requires one.
    pub key: Option<ApiKey>,
    /// Models per tier. An effort is sent as `reasoning_effort`.
    pub models: TierModels,
    /// Name of the token limit in the first request. Some servers, Ollama among them, silently ignore the name that
    /// they do not know and generate without a limit.
    pub limit: TokenLimit,
    /// Put the schema into the prompt in any case, for servers that accept `response_format` without enforcing it.
    pub schema_in_prompt: bool,
    /// Timeouts and backoff.
    pub patience: CallTimeouts,
    /// Prices of the models.
    pub prices: Prices,
}

impl OpenAiConfig {
    /// Returns a configuration for a server and two models without a token budget for thinking, with defaults for
    /// everything else.
    pub fn new(base: impl Into<String>, deep: impl Into<String>, quick: impl Into<String>) -> Self {
        OpenAiConfig {
            base: base.into(),
            key: None,
            models: TierModels { deep: TierModel::new(deep, 0), quick: TierModel::new(quick, 0) },
            limit: TokenLimit::default(),
            schema_in_prompt: false,
            patience: CallTimeouts::default(),
            prices: Prices::default(),
        }
    }
}

/// Name of the parameter that limits the generated tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenLimit {
    /// `max_completion_tokens`, the current name.
    #[default]
    MaxCompletionTokens,
    /// `max_tokens`, the older name.
    MaxTokens,
}

impl TokenLimit {
    /// Name in a request.
    pub fn field(self) -> &'static str {
        match self {
            TokenLimit::MaxCompletionTokens => "max_completion_tokens",
            TokenLimit::MaxTokens => "max_tokens",
        }
    }

    /// Returns the other name.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            TokenLimit::MaxCompletionTokens => TokenLimit::MaxTokens,
            TokenLimit::MaxTokens => TokenLimit::MaxCompletionTokens,
        }
    }
}

/// Provider for models behind Chat Completions.
#[derive(Debug)]
pub struct OpenAi {
    wire: Wire,
    models: TierModels,
    prices: Prices,
    limit: TokenLimit,
    schema_in_prompt: bool,
    untaken: Untaken,
    /// Names of the token limit that differ from the configured one, by model.
    limits: Mutex<BTreeMap<String, TokenLimit>>,
}

/// Variable parameters of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Manner {
    limit: TokenLimit,
    enforced: bool,
}

impl OpenAi {
    /// Builds a provider from its configuration, without any network call.
    ///
    /// # Errors
    /// [`ConfigError`] if the base URL is invalid, a model has no name, or a header cannot carry the key.
    pub fn new(config: OpenAiConfig) -> Result<Self, ConfigError> {
        let OpenAiConfig { base, key, models, limit, schema_in_prompt, patience, prices } = config;
        let key = key.filter(|key| !key.is_empty());
        let mut headers = HeaderMap::new();
        if let Some(key) = &key {
            let header = key.header("Bearer ").ok_or(ConfigError::Header { provider: NAME, what: "API key" })?;
            headers.insert(AUTHORIZATION, header);
        }
        let url = base_url(NAME, &base)?;
        let is_bare = url.path().trim_matches('/').is_empty();
        let url = extended(url, if is_bare { &["v1", "chat", "completions"] } else { &["chat", "completions"] });
        let wire = Wire::new(NAME, url, headers, key, patience, &models.by_tier())?;
        let (untaken, limits) = (Untaken::default(), Mutex::default());
        Ok(OpenAi { wire, models, prices, limit, schema_in_prompt, untaken, limits })
    }

    async fn answer(&self, ask: &EffectAttempt) -> Result<ProviderAnswer, Failure> {
        let model = self.models.of(ask.tier);
        let name = ask.prompt.schema_name;
        let known = Manner { limit: self.limit_of(model), enforced: !self.untaken.has(model, name) };
        let mut manner = known;
        let mut calls = self.wire.calls(ask);
        let reply = loop {
            let setback = match calls.post(&self.body(&ask.prompt, model, manner)).await {
                Ok(reply) => break reply,
                Err(setback) => setback,
            };
            manner = match simpler(manner, known, &setback) {
                Some(simpler) => simpler,
                None => return Err(calls.failure(setback)),
            };
            calls.leave_out(setback);
        };
        if manner.limit != known.limit {
            self.remember_limit(model, manner.limit);
        }
        if manner.enforced != known.enforced {
            self.untaken.note(model, name);
        }
        self.read(&calls, &ask.prompt, model, manner, reply)
    }

    fn read(
        &self,
        calls: &Calls<'_>,
        prompt: &Prompt,
        model: &TierModel,
        manner: Manner,
        reply: HttpReply<Completion>,
    ) -> Result<ProviderAnswer, Failure> {
        let Completion { id, model: told, choices, usage: tokens, error } = reply.body;
        let told = model.called(told);
        let tokens = tokens.unwrap_or_default();
        let mut usage = tokens.normal();
        usage.cost_micros = self.prices.cost_of_either(&usage, &told, &model.name);
        if usage.output_tokens > u64::from(granted(prompt, model)) {
            // The server ignored the limit; it may know only the other name.
            self.remember_limit(model, manner.limit.other());
        }
        let mut answer = calls.answer(&told, String::new(), usage, reply.request_id.or(id));
        let Some(choice) = choices.into_iter().next() else {
            let what =
                format!("sent no reply, saying {}", quote(&error.map(|error| error.to_string()).unwrap_or_default()));
            return Err(failure(&answer, FailureKind::Unavailable, &what));
        };
        if let Some(refusal) = choice.message.refusal.filter(|refusal| !refusal.trim().is_empty()) {
            return Err(failure(&answer, FailureKind::Declined, &format!("refused, saying {}", quote(&refusal))));
        }
        answer.text = choice.message.content.map(Content::text).unwrap_or_default();
        let finish = choice.finish_reason.unwrap_or_default();
        let stopped = format!("stopped for {}", quote(&finish));
        match finish.as_str() {
            "length" => Err(cut_off(&answer, &finish, tokens.thought())),
            "content_filter" => Err(failure(&answer, FailureKind::Declined, &stopped)),
            "tool_calls" | "function_call" => Err(failure(&answer, FailureKind::Unreadable, &stopped)),
            "error" | "abort" => Err(failure(&answer, FailureKind::Unavailable, &stopped)),
            _ => with_text(answer),
        }
    }

    fn body(&self, prompt: &Prompt, model: &TierModel, manner: Manner) -> Value {
        let in_prompt = self.schema_in_prompt || !manner.enforced;
        let text = if in_prompt { with_schema(prompt) } else { prompt.text.clone() };
        let mut messages = vec![json!({ "role": "user", "content": text })];
        if !prompt.system.trim().is_empty() {
            messages.insert(0, json!({ "role": "system", "content": prompt.system }));
        }
        let mut body = json!({ "model": model.name, "messages": messages });
        body[manner.limit.field()] = json!(granted(prompt, model));
        if manner.enforced {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": { "name": prompt.schema_name, "strict": true, "schema": prompt.schema },
            });
        }
        if let Some(effort) = &model.effort {
            body["reasoning_effort"] = json!(effort);
        }
        body
    }

    fn limit_of(&self, model: &TierModel) -> TokenLimit {
        let limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        limits.get(&model.name).copied().unwrap_or(self.limit)
    }

    fn remember_limit(&self, model: &TierModel, limit: TokenLimit) {
        self.limits.lock().unwrap_or_else(PoisonError::into_inner).insert(model.name.clone(), limit);
    }
}

impl Model for OpenAi {
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

/// Total number of tokens that a model may generate, including its thinking.
fn granted(prompt: &Prompt, model: &TierModel) -> u32 {
    prompt.max_tokens.saturating_add(model.thinking_tokens)
}

/// Returns the parameters to try after a refusal. Each parameter of the first attempt is changed at most once.
fn simpler(manner: Manner, first: Manner, setback: &CallError) -> Option<Manner> {
    if manner.limit == first.limit && setback.refuses(&[manner.limit.field()]) {
        return Some(Manner { limit: manner.limit.other(), ..manner });
    }
    (manner.enforced && setback.refuses(Untaken::NAMES)).then_some(Manner { enforced: false, ..manner })
}

//! Provider for models behind Chat Completions: `OpenAI` and compatible servers such as Ollama, vLLM and llama.cpp.
//!
//! Servers differ in the parameters that they accept. If one rejects the name of the token limit, the other name is
//! tried once; if one rejects `response_format`, the schema is put into the prompt instead; if one rejects
//! `stream_options` or `stream`, they are omitted. The parameters that a model accepts are remembered for the next
//! question. No sampling parameters are sent. Tokens that a server does not report are estimated.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde_json::{Value, json};

use crate::call_error::{CallError, PartialReply, cut_off, estimated_tokens, failure, quote, with_text};
use crate::completion::{Completion, CompletionStream, Content, Tokens};
use crate::http::{Calls, HttpReply, Wire, base_url, extended};
use crate::pacing::ProviderLimits;
use crate::ports::{ChoosableModels, DraftSink, Model, ModelTraits, Pending};
use crate::prices::Prices;
use crate::schemas::{MAX_REMEMBERED, RejectedSchemas, Remembered, with_schema};
use crate::settings::{ApiKey, CallTimeouts, ConfigError, TierModel, TierModels};
use faultline_core::events::receipt::{Failure, FailureKind, ProviderAnswer, Usage};
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
    pub timeouts: CallTimeouts,
    /// Limits of the server or account.
    pub limits: ProviderLimits,
    /// Prices of the models.
    pub prices: Prices,
    /// Models that can be chosen for participants.
    pub choosable: ChoosableModels,
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
            timeouts: CallTimeouts::default(),
            limits: ProviderLimits::default(),
            prices: Prices::default(),
            choosable: ChoosableModels::Any,
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
    bounds: ProviderLimits,
    models: TierModels,
    prices: Prices,
    choosable: ChoosableModels,
    limit: TokenLimit,
    schema_in_prompt: bool,
    rejected: RejectedSchemas,
    /// Names of the token limit that differ from the configured one, by model.
    limits: Mutex<BTreeMap<String, TokenLimit>>,
    /// Models whose server rejects `stream_options`.
    uncounted: Remembered,
    /// Models whose server rejects `stream`.
    unstreamed: Remembered,
    /// Models whose server rejects `frequency_penalty`.
    unpenalized: Remembered,
}

/// Variable parameters of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
struct RequestForm {
    limit: TokenLimit,
    enforced: bool,
    streaming: Streaming,
    /// True if repetition is penalized.
    penalized: bool,
}

/// Penalty on words by how often the reply has them, after a reply that only repeated words. `OpenAI` allows -2 to 2.
const FREQUENCY_PENALTY: f64 = 0.5;

/// Form in which a reply is requested.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Streaming {
    /// As a stream that ends with the usage.
    Counted,
    /// As a stream.
    Plain,
    /// At once.
    Whole,
}

impl OpenAi {
    /// Builds a provider from its configuration, without any network call.
    ///
    /// # Errors
    /// [`ConfigError`] if the base URL is invalid, a model has no name, or a header cannot carry the key.
    pub fn new(config: OpenAiConfig) -> Result<Self, ConfigError> {
        let OpenAiConfig { base, key, models, limit, schema_in_prompt, timeouts, limits: bounds, prices, choosable } =
            config;
        let key = key.filter(|key| !key.is_empty());
        let mut headers = HeaderMap::new();
        if let Some(key) = &key {
            let header = key.header("Bearer ").ok_or(ConfigError::Header { provider: NAME, what: "API key" })?;
            headers.insert(AUTHORIZATION, header);
        }
        let url = base_url(NAME, &base)?;
        let is_bare = url.path().trim_matches('/').is_empty();
        let url = extended(url, if is_bare { &["v1", "chat", "completions"] } else { &["chat", "completions"] });
        let wire = Wire::new(NAME, url, headers, key, timeouts, &models.by_tier())?.within(&bounds);
        let (rejected, limits) = (RejectedSchemas::default(), Mutex::default());
        let (uncounted, unstreamed, unpenalized) = Default::default();
        Ok(OpenAi {
            wire,
            bounds,
            models,
            prices,
            choosable,
            limit,
            schema_in_prompt,
            rejected,
            limits,
            uncounted,
            unstreamed,
            unpenalized,
        })
    }

    async fn answer(&self, ask: &EffectAttempt, drafts: Option<&dyn DraftSink>) -> Result<ProviderAnswer, Failure> {
        let model = self.models.answering(ask);
        let model = &*model;
        let name = ask.prompt.schema_name;
        let streaming = if drafts.is_some() { self.streaming(model) } else { Streaming::Whole };
        let penalized = ask.is_after_repetition && !self.unpenalized.has(&model.name);
        let (limit, enforced) = (self.limit_of(model), !self.rejected.has(model, name));
        let known = RequestForm { limit, enforced, streaming, penalized };
        let mut form = known;
        let mut calls = self.wire.calls(ask, model, &self.prices);
        let (reply, request) = loop {
            let body = self.body(&ask.prompt, model, form);
            let called = match drafts.filter(|_| form.streaming != Streaming::Whole) {
                Some(drafts) => calls.stream::<CompletionStream>(&body, drafts).await,
                None => calls.send(&body).await,
            };
            let error = match called {
                Ok(reply) => break (reply, body),
                Err(error) => error,
            };
            form = match simpler(form, known, &error) {
                Some(simpler) => simpler,
                None => return Err(calls.failure(error)),
            };
            calls.leave_out(error);
        };
        self.remember(model, name, known, form);
        let outcome = self.read(&calls, model, form, (reply, &request));
        calls.settle(&outcome).await;
        outcome
    }

    /// Remembers the parameters that the model accepted, where they differ from those tried first.
    fn remember(&self, model: &TierModel, schema: &'static str, tried: RequestForm, accepted: RequestForm) {
        if accepted.limit != tried.limit {
            self.remember_limit(model, accepted.limit);
        }
        if accepted.enforced {
            self.rejected.note_accepted();
        } else if tried.enforced {
            self.rejected.note(model, schema);
        }
        if tried.penalized && !accepted.penalized {
            self.unpenalized.note(&model.name);
        }
        if accepted.streaming != tried.streaming {
            let refused = if accepted.streaming == Streaming::Plain { &self.uncounted } else { &self.unstreamed };
            refused.note(&model.name);
        }
    }

    fn streaming(&self, model: &TierModel) -> Streaming {
        match (self.unstreamed.has(&model.name), self.uncounted.has(&model.name)) {
            (true, _) => Streaming::Whole,
            (false, true) => Streaming::Plain,
            (false, false) => Streaming::Counted,
        }
    }

    fn read(
        &self,
        calls: &Calls<'_>,
        model: &TierModel,
        form: RequestForm,
        (reply, request): (HttpReply<Completion>, &Value),
    ) -> Result<ProviderAnswer, Failure> {
        let Completion { id, model: told, mut choices, usage: tokens, error } = reply.body;
        let told = model.called(told);
        let text = choices.first_mut().and_then(|choice| choice.message.content.take()).map(Content::text);
        let text = text.unwrap_or_default();
        let usage = match tokens {
            Some(tokens) => tokens.normal(),
            None if choices.is_empty() => Usage::default(),
            None => PartialReply::estimated(request, &text).usage,
        };
        let thought = tokens.and_then(Tokens::thought);
        let granted = request[form.limit.field()].as_u64();
        if granted.is_some_and(|granted| usage.output_tokens > granted) && !usage.estimated {
            // The server ignored the limit; it may know only the other name.
            self.remember_limit(model, form.limit.other());
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
        answer.text = text;
        let finish = choice.finish_reason.unwrap_or_default();
        let stopped = format!("stopped for {}", quote(&finish));
        match finish.as_str() {
            "length" => Err(cut_off(&answer, &finish, thought)),
            "content_filter" => Err(failure(&answer, FailureKind::Declined, &stopped)),
            "tool_calls" | "function_call" => Err(failure(&answer, FailureKind::Unreadable, &stopped)),
            "error" | "abort" => Err(failure(&answer, FailureKind::Unavailable, &stopped)),
            _ => with_text(answer),
        }
    }

    fn body(&self, prompt: &Prompt, model: &TierModel, form: RequestForm) -> Value {
        let in_prompt = self.schema_in_prompt || !form.enforced;
        let text = prompt.joined();
        let text = if in_prompt { with_schema(&text, prompt) } else { text };
        let mut messages = vec![json!({ "role": "user", "content": text })];
        if !prompt.system.trim().is_empty() {
            messages.insert(0, json!({ "role": "system", "content": prompt.system }));
        }
        let mut body = json!({ "model": model.name, "messages": messages });
        if form.streaming != Streaming::Whole {
            body["stream"] = json!(true);
        }
        if form.streaming == Streaming::Counted {
            body["stream_options"] = json!({ "include_usage": true });
        }
        if form.enforced {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": { "name": prompt.schema_name, "strict": true, "schema": prompt.schema },
            });
        }
        if form.penalized {
            body["frequency_penalty"] = json!(FREQUENCY_PENALTY);
        }
        if let Some(effort) = &model.effort {
            body["reasoning_effort"] = json!(effort);
        }
        let read = estimated_tokens(&body.to_string());
        let granted = self.bounds.granted(&model.name, prompt.max_tokens, model.thinking_tokens, read);
        body[form.limit.field()] = json!(granted);
        body
    }

    fn limit_of(&self, model: &TierModel) -> TokenLimit {
        let limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        limits.get(&model.name).copied().unwrap_or(self.limit)
    }

    fn remember_limit(&self, model: &TierModel, limit: TokenLimit) {
        let mut limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        if limits.len() >= MAX_REMEMBERED {
            limits.clear();
        }
        limits.insert(model.name.clone(), limit);
    }
}

impl Model for OpenAi {
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
        ModelTraits { is_remote: true, enforces_schemas: self.rejected.enforced(), context: self.bounds.context }
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

/// Returns the parameters to try after a refusal. Each parameter of the first attempt is changed at most once.
fn simpler(form: RequestForm, first: RequestForm, error: &CallError) -> Option<RequestForm> {
    if form.limit == first.limit && error.refuses(&[form.limit.field()]) {
        return Some(RequestForm { limit: form.limit.other(), ..form });
    }
    if form.penalized && error.refuses(&["frequency_penalty"]) {
        return Some(RequestForm { penalized: false, ..form });
    }
    if form.streaming == Streaming::Counted && error.refuses(&["stream_options", "include_usage"]) {
        return Some(RequestForm { streaming: Streaming::Plain, ..form });
    }
    if form.streaming != Streaming::Whole && error.refuses_word("stream") {
        return Some(RequestForm { streaming: Streaming::Whole, ..form });
    }
    (form.enforced && error.refuses(RejectedSchemas::NAMES)).then_some(RequestForm { enforced: false, ..form })
}

//! Models behind Chat Completions, at their inventor's and at every server that speaks them: Ollama, vLLM, llama.cpp.
//!
//! Servers differ in what they take. Where one refuses the name of the token limit, the other name is tried once; where
//! one refuses `response_format`, the schema is laid beside the prompt instead. What a model was found to take is
//! remembered for the next question. No sampling parameter is sent.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde_json::{Value, json};

use crate::events::receipt::{Answer, Failure, FailureKind};
use crate::kernel::effect::Ask;
use crate::kernel::prompt::Prompt;
use crate::providers::completion::{Completion, Content};
use crate::providers::http::{Calls, Reply, Wire, base_url, extended};
use crate::providers::ports::{Model, Pending};
use crate::providers::prices::Prices;
use crate::providers::schemas::{Untaken, with_schema};
use crate::providers::setback::{Setback, cut_off, failure, quote, with_text};
use crate::providers::settings::{ConfigError, Patience, Secret, TierModel, TierModels};

const NAME: &str = "openai";

/// The API's own address.
pub const OPENAI_BASE: &str = "https://api.openai.com/v1";

/// What [`OpenAi`] is made from.
#[derive(Clone, Debug)]
pub struct OpenAiConfig {
    /// Where the API is, with its version: `http://127.0.0.1:11434/v1`. A bare host is taken to mean `/v1`.
    pub base: String,
    /// The API key, where the server wants one.
    pub key: Option<Secret>,
    /// The models. An effort is sent as `reasoning_effort`.
    pub models: TierModels,
    /// What the token limit is called at first. Some servers, Ollama among them, silently ignore the name they do not
    /// know and write without a limit.
    pub limit: TokenLimit,
    /// Lay the schema beside the prompt in any case: for servers that take `response_format` and do not enforce it.
    pub schema_in_prompt: bool,
    /// How long is waited.
    pub patience: Patience,
    /// What the models cost.
    pub prices: Prices,
}

impl OpenAiConfig {
    /// A server, two models that are granted no tokens for thinking, and the defaults of everything else.
    pub fn new(base: impl Into<String>, deep: impl Into<String>, quick: impl Into<String>) -> Self {
        OpenAiConfig {
            base: base.into(),
            key: None,
            models: TierModels { deep: TierModel::new(deep, 0), quick: TierModel::new(quick, 0) },
            limit: TokenLimit::default(),
            schema_in_prompt: false,
            patience: Patience::default(),
            prices: Prices::default(),
        }
    }
}

/// What a server calls the most tokens that it may write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenLimit {
    /// `max_completion_tokens`, the name of today.
    #[default]
    MaxCompletionTokens,
    /// `max_tokens`, the older name.
    MaxTokens,
}

impl TokenLimit {
    /// The name in a request.
    pub fn field(self) -> &'static str {
        match self {
            TokenLimit::MaxCompletionTokens => "max_completion_tokens",
            TokenLimit::MaxTokens => "max_tokens",
        }
    }

    /// The other name.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            TokenLimit::MaxCompletionTokens => TokenLimit::MaxTokens,
            TokenLimit::MaxTokens => TokenLimit::MaxCompletionTokens,
        }
    }
}

/// Models behind Chat Completions.
#[derive(Debug)]
pub struct OpenAi {
    wire: Wire,
    models: TierModels,
    prices: Prices,
    limit: TokenLimit,
    schema_in_prompt: bool,
    untaken: Untaken,
    /// Models that were found to want a name of the limit, and which.
    limits: Mutex<BTreeMap<String, TokenLimit>>,
}

/// How a request is put.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Manner {
    limit: TokenLimit,
    enforced: bool,
}

impl OpenAi {
    /// A provider by its settings. Calls nobody.
    ///
    /// # Errors
    /// [`ConfigError`] where the base URL is none, a model has no name, or the key does not fit into a header.
    pub fn new(config: OpenAiConfig) -> Result<Self, ConfigError> {
        let OpenAiConfig { base, key, models, limit, schema_in_prompt, patience, prices } = config;
        let key = key.filter(|it| !it.is_empty());
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

    async fn answer(&self, ask: &Ask) -> Result<Answer, Failure> {
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
        reply: Reply<Completion>,
    ) -> Result<Answer, Failure> {
        let Completion { id, model: told, choices, usage: tokens, error } = reply.body;
        let told = model.called(told);
        let tokens = tokens.unwrap_or_default();
        let mut usage = tokens.normal();
        usage.cost_micros = self.prices.cost_of_either(&usage, &told, &model.name);
        if usage.output_tokens > u64::from(granted(prompt, model)) {
            // The limit was ignored: perhaps this server knows it by its other name only.
            self.remember_limit(model, manner.limit.other());
        }
        let mut answer = calls.answer(&told, String::new(), usage, reply.request_id.or(id));
        let Some(choice) = choices.into_iter().next() else {
            let what = format!("sent no reply, saying {}", quote(&error.map(|it| it.to_string()).unwrap_or_default()));
            return Err(failure(&answer, FailureKind::Unavailable, &what));
        };
        if let Some(refusal) = choice.message.refusal.filter(|it| !it.trim().is_empty()) {
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

    fn complete<'a>(&'a self, ask: &'a Ask) -> Pending<'a, Answer> {
        Box::pin(self.answer(ask))
    }
}

/// All tokens that a model may write, its thinking included.
fn granted(prompt: &Prompt, model: &TierModel) -> u32 {
    prompt.max_tokens.saturating_add(model.thinking_tokens)
}

/// The manner to try after a refusal; each part of the manner first tried is given up once.
fn simpler(manner: Manner, first: Manner, setback: &Setback) -> Option<Manner> {
    if manner.limit == first.limit && setback.refuses(&[manner.limit.field()]) {
        return Some(Manner { limit: manner.limit.other(), ..manner });
    }
    (manner.enforced && setback.refuses(Untaken::NAMES)).then_some(Manner { enforced: false, ..manner })
}

//! A chat completion, as servers send it. What they leave out or send as null is absent here.

use serde::Deserialize;
use serde_json::Value;

use crate::events::receipt::Usage;

/// The body of a response.
#[derive(Deserialize)]
pub(super) struct Completion {
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    #[serde(default)]
    pub(super) choices: Vec<Choice>,
    pub(super) usage: Option<Tokens>,
    /// Some relays report their failures with status 200.
    pub(super) error: Option<Value>,
}

/// One of the replies; one is asked for.
#[derive(Deserialize)]
pub(super) struct Choice {
    pub(super) message: Written,
    pub(super) finish_reason: Option<String>,
}

/// What the model wrote, or why it would not.
#[derive(Deserialize)]
pub(super) struct Written {
    pub(super) content: Option<Content>,
    pub(super) refusal: Option<String>,
}

/// What the model wrote: most servers send a string.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Content {
    Text(String),
    Parts(Vec<Part>),
}

/// A part of what the model wrote; parts that are not text are empty here.
#[derive(Deserialize)]
pub(super) struct Part {
    #[serde(default)]
    text: String,
}

impl Content {
    /// The text of all parts.
    pub(super) fn text(self) -> String {
        match self {
            Content::Text(text) => text,
            Content::Parts(parts) => parts.into_iter().map(|it| it.text).collect(),
        }
    }
}

/// Tokens as the API counts them: what was read from the cache or written to it is part of the prompt's.
#[derive(Clone, Copy, Default, Deserialize)]
pub(super) struct Tokens {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptTokens>,
    completion_tokens_details: Option<CompletionTokens>,
}

#[derive(Clone, Copy, Default, Deserialize)]
struct PromptTokens {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

#[derive(Clone, Copy, Default, Deserialize)]
struct CompletionTokens {
    reasoning_tokens: Option<u64>,
}

impl Tokens {
    /// The usage in the terms of a receipt; the price is not known here.
    pub(super) fn normal(self) -> Usage {
        let details = self.prompt_tokens_details.unwrap_or_default();
        let read = details.cached_tokens.unwrap_or(0);
        let written = details.cache_write_tokens.unwrap_or(0);
        let prompt = self.prompt_tokens.unwrap_or(0);
        Usage {
            input_tokens: prompt.saturating_sub(read.saturating_add(written)),
            cache_read_tokens: read,
            cache_write_tokens: written,
            output_tokens: self.completion_tokens.unwrap_or(0),
            cost_micros: 0,
        }
    }

    /// Tokens that went into thinking, where the server says.
    pub(super) fn thought(self) -> Option<u64> {
        self.completion_tokens_details.unwrap_or_default().reasoning_tokens
    }
}

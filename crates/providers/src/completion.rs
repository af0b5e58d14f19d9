//! Chat completion response, as servers send it. Fields that a server omits or sends as null are absent.

use serde::Deserialize;
use serde_json::Value;

use faultline_core::events::receipt::Usage;

/// Body of a response.
#[derive(Deserialize)]
pub(super) struct Completion {
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    #[serde(default)]
    pub(super) choices: Vec<CompletionChoice>,
    pub(super) usage: Option<Tokens>,
    /// Error object: some relays report failures with status 200.
    pub(super) error: Option<Value>,
}

/// One of the generated replies; requests ask for one.
#[derive(Deserialize)]
pub(super) struct CompletionChoice {
    pub(super) message: CompletionMessage,
    pub(super) finish_reason: Option<String>,
}

/// Generated message, or the reason for a refusal.
#[derive(Deserialize)]
pub(super) struct CompletionMessage {
    pub(super) content: Option<Content>,
    pub(super) refusal: Option<String>,
}

/// Content of a message: a string from most servers, a list of parts from others.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Content {
    Text(String),
    Parts(Vec<ContentPart>),
}

/// Part of a message; empty for parts that are not text.
#[derive(Deserialize)]
pub(super) struct ContentPart {
    #[serde(default)]
    text: String,
}

impl Content {
    /// Concatenates the text of all parts.
    pub(super) fn text(self) -> String {
        match self {
            Content::Text(text) => text,
            Content::Parts(parts) => parts.into_iter().map(|part| part.text).collect(),
        }
    }
}

/// Token counts as the API reports them: `prompt_tokens` includes tokens read from or written to the cache.
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
    /// Converts the counts to the usage of a receipt. The cost is filled in elsewhere.
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

    /// Number of tokens used for thinking, if the server reports it.
    pub(super) fn thought(self) -> Option<u64> {
        self.completion_tokens_details.unwrap_or_default().reasoning_tokens
    }
}

//! Chat completion response, as servers send it: whole, or in chunks. Fields that a server omits or sends as null are
//! absent.

use serde::Deserialize;
use serde_json::Value;

use crate::reply_stream::{Applied, ReplyStream};
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

/// Completion that arrives in chunks.
#[derive(Default)]
pub(super) struct CompletionStream {
    id: Option<String>,
    model: Option<String>,
    refusal: String,
    finish_reason: Option<String>,
    usage: Option<Tokens>,
}

/// Chunk of a completion.
#[derive(Deserialize)]
pub(super) struct CompletionChunk {
    id: Option<String>,
    model: Option<String>,
    choices: Option<Vec<ChunkChoice>>,
    usage: Option<Tokens>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct ChunkChoice {
    #[serde(default)]
    index: u32,
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<Content>,
    refusal: Option<String>,
}

impl ReplyStream for CompletionStream {
    type Event = CompletionChunk;
    type Body = Completion;

    fn apply(&mut self, chunk: CompletionChunk) -> Applied {
        if let Some(error) = chunk.error {
            return Applied::Error(error);
        }
        self.id = self.id.take().or(chunk.id);
        self.model = self.model.take().or(chunk.model);
        self.usage = chunk.usage.or(self.usage);
        let Some(choice) = chunk.choices.unwrap_or_default().into_iter().find(|choice| choice.index == 0) else {
            return Applied::Nothing;
        };
        self.finish_reason = choice.finish_reason.or(self.finish_reason.take());
        let Some(delta) = choice.delta else { return Applied::Nothing };
        self.refusal.push_str(&delta.refusal.unwrap_or_default());
        delta.content.map_or(Applied::Nothing, |content| Applied::Text(content.text()))
    }

    fn usage(&self) -> Option<Usage> {
        self.usage.map(Tokens::normal)
    }

    fn model(&self) -> Option<String> {
        self.model.clone()
    }

    fn is_complete(&self) -> bool {
        self.finish_reason.is_some()
    }

    fn body(self, text: String) -> Completion {
        let refusal = Some(self.refusal).filter(|refusal| !refusal.is_empty());
        let message = CompletionMessage { content: Some(Content::Text(text)), refusal };
        let choices = vec![CompletionChoice { message, finish_reason: self.finish_reason }];
        Completion { id: self.id, model: self.model, choices, usage: self.usage, error: None }
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
            ..Usage::default()
        }
    }

    /// Number of tokens used for thinking, if the server reports it.
    pub(super) fn thought(self) -> Option<u64> {
        self.completion_tokens_details.unwrap_or_default().reasoning_tokens
    }
}

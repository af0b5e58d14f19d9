//! Response of Anthropic's Messages API: whole, or as a stream of events.

use serde::Deserialize;
use serde_json::Value;

use crate::reply_stream::{Applied, ReplyStream};
use faultline_core::events::receipt::Usage;

/// Type of the blocks that are shown; others contain thinking or calls of tools.
const TEXT: &str = "text";

/// Body of a response.
#[derive(Deserialize)]
pub(super) struct Message {
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    content: Vec<Block>,
    pub(super) stop_reason: Option<String>,
    pub(super) stop_details: Option<StopDetails>,
    #[serde(default)]
    pub(super) usage: MessageUsage,
}

impl Message {
    /// Returns the text of all blocks that are text.
    pub(super) fn text(&self) -> String {
        self.content.iter().filter(|block| block.kind == TEXT).map(|block| block.text.as_str()).collect()
    }
}

#[derive(Deserialize)]
pub(super) struct Block {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: String,
}

/// Reason of a refusal.
#[derive(Default, Deserialize)]
pub(super) struct StopDetails {
    pub(super) category: Option<String>,
    pub(super) explanation: Option<String>,
}

/// Token counts as the API reports them: `input_tokens` excludes tokens read from or written to the cache.
#[derive(Clone, Copy, Default, Deserialize)]
pub(super) struct MessageUsage {
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

impl MessageUsage {
    /// Converts the counts to the usage of a receipt. The cost is filled in elsewhere.
    pub(super) fn normal(self) -> Usage {
        Usage {
            input_tokens: self.input_tokens.unwrap_or(0),
            cache_read_tokens: self.cache_read_input_tokens.unwrap_or(0),
            cache_write_tokens: self.cache_creation_input_tokens.unwrap_or(0),
            output_tokens: self.output_tokens.unwrap_or(0),
            ..Usage::default()
        }
    }

    /// Number of tokens used for thinking, if the server reports it.
    pub(super) fn thinking_tokens(self) -> Option<u64> {
        self.output_tokens_details.unwrap_or_default().thinking_tokens
    }

    /// Replaces the counts that a later event of a stream reports: each is the total so far.
    fn update(&mut self, later: MessageUsage) {
        self.input_tokens = later.input_tokens.or(self.input_tokens);
        self.cache_read_input_tokens = later.cache_read_input_tokens.or(self.cache_read_input_tokens);
        self.cache_creation_input_tokens = later.cache_creation_input_tokens.or(self.cache_creation_input_tokens);
        self.output_tokens = later.output_tokens.or(self.output_tokens);
        self.output_tokens_details = later.output_tokens_details.or(self.output_tokens_details);
    }
}

/// Message that arrives as a stream of events.
#[derive(Default)]
pub(super) struct MessageStream {
    id: Option<String>,
    model: Option<String>,
    stop_reason: Option<String>,
    stop_details: Option<StopDetails>,
    usage: Option<MessageUsage>,
}

/// Event of a stream; types that are not listed are ignored.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum MessageEvent {
    MessageStart {
        message: StartedMessage,
    },
    ContentBlockStart {
        content_block: Block,
    },
    ContentBlockDelta {
        delta: Block,
    },
    MessageDelta {
        #[serde(default)]
        delta: MessageEnd,
        usage: Option<MessageUsage>,
    },
    MessageStop,
    Error {
        error: Value,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
pub(super) struct StartedMessage {
    id: Option<String>,
    model: Option<String>,
    usage: Option<MessageUsage>,
}

#[derive(Default, Deserialize)]
pub(super) struct MessageEnd {
    stop_reason: Option<String>,
    stop_details: Option<StopDetails>,
}

impl ReplyStream for MessageStream {
    type Event = MessageEvent;
    type Body = Message;

    fn apply(&mut self, event: MessageEvent) -> Applied {
        match event {
            MessageEvent::MessageStart { message } => {
                (self.id, self.model, self.usage) = (message.id, message.model, message.usage);
            }
            MessageEvent::ContentBlockStart { content_block: block } if block.kind == TEXT => {
                return Applied::Text(block.text);
            }
            MessageEvent::ContentBlockDelta { delta } if delta.kind == "text_delta" => {
                return Applied::Text(delta.text);
            }
            MessageEvent::MessageDelta { delta, usage } => {
                self.stop_reason = delta.stop_reason.or(self.stop_reason.take());
                self.stop_details = delta.stop_details.or(self.stop_details.take());
                if let Some(later) = usage {
                    self.usage.get_or_insert_default().update(later);
                }
            }
            MessageEvent::MessageStop => return Applied::End,
            MessageEvent::Error { error } => return Applied::Error(error),
            _ => {}
        }
        Applied::Nothing
    }

    fn usage(&self) -> Option<Usage> {
        self.usage.map(MessageUsage::normal)
    }

    fn model(&self) -> Option<String> {
        self.model.clone()
    }

    fn is_complete(&self) -> bool {
        self.stop_reason.is_some()
    }

    fn body(self, text: String) -> Message {
        Message {
            id: self.id,
            model: self.model,
            content: vec![Block { kind: TEXT.to_owned(), text }],
            stop_reason: self.stop_reason,
            stop_details: self.stop_details,
            usage: self.usage.unwrap_or_default(),
        }
    }
}

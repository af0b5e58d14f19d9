//! Replies that arrive as Server-Sent Events: assembled into the body that the same request has without streaming, so
//! that both are read by the same rules.
//!
//! | the server | result |
//! |------------|--------|
//! | answers with JSON | read as without streaming |
//! | ends the stream before the reply is complete | broke off, as a response that is cut off |
//! | reports an error in the stream | by its code, as an error response |
//! | sends data that is not the expected JSON, an event of more than 1 MiB, or bytes that are not UTF-8 | `Unavailable` |
//! | sends more than [`MAX_STREAM_BYTES`], or a text of more than [`MAX_TEXT_BYTES`] | `Unavailable`; the connection is closed |
//! | sends slowly, or keep-alive comments only | `TimedOut` when the time for the question is over |
//!
//! Events of unknown types are ignored. The key is removed from the text before it is handed on, also where it is split
//! over events.

use std::time::Duration;

use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;

use crate::call_error::{CallError, PartialReply, estimated_tokens, request_id};
use crate::http::{HttpReply, Wire, unusable};
use crate::ports::DraftSink;
use crate::reply_stream::{Applied, ReplyStream};
use crate::streaming::redactor::Redactor;
use crate::streaming::sse::{MAX_EVENT_BYTES, SseError, SseEvent, SseParser};
use faultline_core::events::receipt::{FailureKind, Usage};

/// Maximum size of a stream, in bytes. An event of a few letters takes some hundred bytes.
pub const MAX_STREAM_BYTES: usize = 32 << 20;
/// Maximum size of a reply's text, in bytes: no longer reply is read.
pub const MAX_TEXT_BYTES: usize = 1 << 20;

/// Data with which `OpenAI`'s streams end.
const DONE: &str = "[DONE]";

/// State of one stream.
struct Streaming<'a, S> {
    wire: &'a Wire,
    drafts: &'a dyn DraftSink,
    reply: S,
    text: String,
    redactor: Redactor<'a>,
    /// True once the server has marked the end.
    has_ended: bool,
}

impl Wire {
    /// Sends a request and hands the text of the reply on as it arrives.
    pub(crate) async fn stream<S: ReplyStream>(
        &self,
        request: &Value,
        within: Duration,
        drafts: &dyn DraftSink,
    ) -> Result<HttpReply<S::Body>, CallError> {
        let response = self.send(request, within).await?;
        if !is_event_stream(&response) {
            return self.read_json(response, request).await;
        }
        let request_id = request_id(response.headers(), self.key());
        let (redactor, text, has_ended) = (Redactor::new(self.key()), String::new(), false);
        let mut streaming = Streaming { wire: self, drafts, reply: S::default(), text, redactor, has_ended };
        match streaming.read(response).await {
            Ok(()) => Ok(HttpReply { body: streaming.reply.body(streaming.text), request_id }),
            Err(error) => Err(error.after(streaming.partial(request))),
        }
    }
}

fn is_event_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.to_ascii_lowercase().contains("event-stream"))
}

impl<S: ReplyStream> Streaming<'_, S> {
    async fn read(&mut self, mut response: Response) -> Result<(), CallError> {
        let (mut parser, mut size) = (SseParser::default(), 0);
        loop {
            let chunk = match response.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                // Nothing is missing but the mark of the end.
                Err(_) if self.reply.is_complete() => break,
                Err(error) => return Err(self.wire.broken(error)),
            };
            size += chunk.len();
            if size > MAX_STREAM_BYTES {
                return Err(self.unusable(&format!("of more than {MAX_STREAM_BYTES} bytes (the limit)")));
            }
            parser.feed(&chunk).map_err(|error| self.not_a_stream(&error))?;
            self.apply_all(&mut parser)?;
            if self.has_ended {
                // Whatever a server sends after the end is not waited for.
                break;
            }
        }
        parser.finish().map_err(|error| self.not_a_stream(&error))?;
        self.apply_all(&mut parser)?;
        let held = self.redactor.finish();
        self.write(&held);
        if self.has_ended || self.reply.is_complete() {
            return Ok(());
        }
        let message = format!("broke off: the stream ended after {} bytes of the reply", self.text.len());
        Err(CallError::new(FailureKind::Unavailable, message).worth_another())
    }

    fn apply_all(&mut self, parser: &mut SseParser) -> Result<(), CallError> {
        while let Some(event) = parser.next() {
            if !self.has_ended {
                self.apply(event)?;
            }
        }
        Ok(())
    }

    fn apply(&mut self, SseEvent { name, data }: SseEvent) -> Result<(), CallError> {
        if data.trim() == DONE {
            self.has_ended = true;
            return Ok(());
        }
        if data.trim().is_empty() {
            return Ok(());
        }
        let is_error = name == "error";
        let event = match self.wire.parsed::<S::Event>(&data) {
            Ok(event) => event,
            Err(_) if is_error => return Err(CallError::in_stream(&Value::String(data), self.wire.key())),
            Err(error) => {
                let what = if error.is_data() { "not the expected JSON" } else { "not JSON" };
                let quoted = self.wire.quote(&data);
                return Err(unusable(&format!("that has an event that is {what}"), quoted));
            }
        };
        match self.reply.apply(event) {
            Applied::Nothing if is_error => Err(CallError::in_stream(&Value::String(data), self.wire.key())),
            Applied::Nothing => Ok(()),
            Applied::End => {
                self.has_ended = true;
                Ok(())
            }
            Applied::Error(error) => Err(CallError::in_stream(&error, self.wire.key())),
            Applied::Text(piece) => {
                let safe = self.redactor.push(&piece);
                self.write(&safe);
                if self.text.len() > MAX_TEXT_BYTES {
                    return Err(self.unusable(&format!("with a text of more than {MAX_TEXT_BYTES} bytes (the limit)")));
                }
                Ok(())
            }
        }
    }

    fn write(&mut self, piece: &str) {
        if !piece.is_empty() {
            self.text.push_str(piece);
            self.drafts.write(piece);
        }
    }

    fn unusable(&self, what: &str) -> CallError {
        unusable(what, self.wire.quote(&self.text))
    }

    fn not_a_stream(&self, error: &SseError) -> CallError {
        match error {
            SseError::TooLong => {
                self.unusable(&format!("with an event of more than {MAX_EVENT_BYTES} bytes (the limit)"))
            }
            SseError::NotUtf8 => self.unusable("that is not UTF-8"),
        }
    }

    /// Returns what arrived. Tokens that the server did not report are estimated; a count of output tokens that is
    /// lower than the text suggests was reported before the text was generated.
    fn partial(self, request: &Value) -> PartialReply {
        let model = self.reply.model();
        let Some(mut usage) = self.reply.usage() else {
            return PartialReply { model, ..PartialReply::estimated(request, &self.text) };
        };
        let generated = estimated_tokens(&self.text);
        if usage.output_tokens < generated && !self.reply.is_complete() {
            usage = Usage { output_tokens: generated, estimated: true, ..usage };
        }
        PartialReply { text: self.text, usage, model }
    }
}

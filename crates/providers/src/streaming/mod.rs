//! Replies of models that arrive while they are generated.
//!
//! [`http_stream`] reads a response as Server-Sent Events, which [`sse`] parses; [`redactor`] removes the key from the text
//! before it is handed on.

mod http_stream;
mod redactor;
mod sse;

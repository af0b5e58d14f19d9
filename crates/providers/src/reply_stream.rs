//! Replies that are assembled from the events of a stream, in the wire format of a provider.

use serde::de::DeserializeOwned;
use serde_json::Value;

use faultline_core::events::receipt::Usage;

/// Reply that is assembled from the events of a stream.
pub(super) trait ReplyStream: Default + Send {
    /// Data of an event.
    type Event: DeserializeOwned + Send;
    /// Body of the same reply without streaming.
    type Body: DeserializeOwned + Send;

    /// Applies the next event.
    fn apply(&mut self, event: Self::Event) -> Applied;

    /// Returns the tokens that the server has reported so far; `None` if it has reported none.
    fn usage(&self) -> Option<Usage>;

    /// Returns the name of the model, if the server has reported it.
    fn model(&self) -> Option<String>;

    /// Returns true if the reply is complete.
    fn is_complete(&self) -> bool;

    /// Returns the body with this text.
    fn body(self, text: String) -> Self::Body;
}

/// Effect of an event.
pub(super) enum Applied {
    /// Nothing that is handed on.
    Nothing,
    /// The next piece of the reply's text.
    Text(String),
    /// An error that the server reports.
    Error(Value),
    /// The end of the reply; nothing follows.
    End,
}

//! Request ids, which connect a response, its errors and the log lines about it.
//!
//! A client or proxy may set the id in `x-request-id`. An id that is too long, or contains anything but letters, digits
//! and `-_.`, is replaced, because ids are written to logs. Operations on a WebSocket have the id of its upgrade
//! request.
//!
//! The `request-id` layers of `tower-http` do not replace this file: they accept any id that a client sends, and errors
//! and log lines still need the id of the current task.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use uuid::Uuid;

/// Header with the id, in requests and responses.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Maximum length of an accepted id, in bytes.
pub const MAX_ID_BYTES: usize = 64;

tokio::task_local! {
    static CURRENT: RequestId;
}

/// Id of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(String);

impl RequestId {
    /// Returns the id from the headers if it is acceptable, and a new one otherwise.
    pub fn of(headers: &HeaderMap) -> RequestId {
        let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(|id| is_sane(id));
        RequestId(given.map_or_else(|| Uuid::new_v4().to_string(), str::to_owned))
    }

    /// Returns the id of the request that the current task works for, if any.
    pub fn current() -> Option<RequestId> {
        CURRENT.try_with(Clone::clone).ok()
    }

    /// Runs `work` for this request: within it, [`RequestId::current`] returns this id, and log lines contain it.
    pub async fn scope<T>(self, work: impl Future<Output = T>) -> T {
        use tracing::Instrument;
        // The highest level, so that every log line that passes the filter contains the id.
        let span = tracing::error_span!("request", id = %self.0);
        CURRENT.scope(self, work.instrument(span)).await
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the id as a header value.
    pub fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.0).ok()
    }
}

fn is_sane(id: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=MAX_ID_BYTES).contains(&id.len()) && id.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(REQUEST_ID, HeaderValue::from_bytes(text.as_bytes()).expect("a header"));
        RequestId::of(&headers).0
    }

    #[tokio::test]
    async fn an_acceptable_id_is_used_and_any_other_is_replaced() {
        for sane in ["7", "edge-1.f00_BAR", &*"x".repeat(MAX_ID_BYTES)] {
            assert_eq!(of(sane), sane);
        }
        for other in ["", "a b", "a\"b", "é", "<script>", &*"x".repeat(MAX_ID_BYTES + 1)] {
            assert!(Uuid::parse_str(&of(other)).is_ok(), "{other}");
        }
        assert_eq!(RequestId::current(), None);
        let id = RequestId::of(&HeaderMap::new());
        assert_eq!(id.clone().scope(async { RequestId::current() }).await, Some(id));
    }
}

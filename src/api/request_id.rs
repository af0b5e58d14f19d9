//! The name of a request, by which an answer, its errors and the lines of the log are brought together.
//!
//! A client or a proxy may give it in `x-request-id`; what is too long or holds anything but letters, digits and `-_.` is
//! not taken over, since it would be written into logs. What is asked over one socket bears the name of its upgrade.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use uuid::Uuid;

/// Where it stands in requests and answers.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The longest that is taken over, in bytes.
pub const MAX_ID_BYTES: usize = 64;

tokio::task_local! {
    static CURRENT: RequestId;
}

/// The name of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(String);

impl RequestId {
    /// The name that a request was given, where it is sane; else a new one.
    pub fn of(headers: &HeaderMap) -> RequestId {
        let given = headers.get(REQUEST_ID).and_then(|it| it.to_str().ok()).filter(|it| is_sane(it));
        RequestId(given.map_or_else(|| Uuid::new_v4().to_string(), str::to_owned))
    }

    /// The name of the request that this task works for; `None` where it works for none.
    pub fn current() -> Option<RequestId> {
        CURRENT.try_with(Clone::clone).ok()
    }

    /// Works for this request: its name is the [`RequestId::current`] one and stands in the lines of the log.
    pub async fn scope<T>(self, work: impl Future<Output = T>) -> T {
        use tracing::Instrument;
        // Of the highest level, so that no filter that shows a line leaves out whose it is.
        let span = tracing::error_span!("request", id = %self.0);
        CURRENT.scope(self, work.instrument(span)).await
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// As it stands in an answer.
    pub fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.0).ok()
    }
}

fn is_sane(id: &str) -> bool {
    let fits = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_' | b'.');
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
    async fn a_sane_name_is_taken_over_and_another_is_not() {
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

//! Errors of single provider calls: their cause, whether a retry can help, and the wait that the server requests.

use std::error::Error;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::settings::ApiKey;
use faultline_core::events::receipt::{Failure, FailureKind, ProviderAnswer, Usage};

/// Maximum number of characters of a response that a failure quotes.
pub const MAX_QUOTED_CHARS: usize = 200;

/// Parts of error codes that report exhausted credit or quota: no call succeeds before somebody pays.
const SPENT: &[&str] = &[
    "insufficient_quota",
    "insufficient_credit",
    "insufficient_balance",
    "insufficient_funds",
    "spend_limit",
    "billing",
];
/// Parts of error codes that report a refused prompt.
const FILTERED: &[&str] = &["content_filter", "content_policy", "responsible_ai"];

/// Error of one call.
pub(super) struct CallError {
    /// Kind of the failure if no other call is made.
    pub(super) kind: FailureKind,
    /// Description of the provider's behaviour, as a predicate: `answered 500: "overloaded"`.
    pub(super) message: String,
    /// True if a retry may succeed.
    pub(super) again: bool,
    /// Wait before the next call that the provider requests.
    pub(super) wait: Option<Duration>,
    /// Reply that had arrived in part, or was being generated, when the call failed.
    pub(super) partial: Option<Box<PartialReply>>,
    /// Status and lower-case body of a refusal.
    refusal: Option<(StatusCode, String)>,
}

/// Reply that arrived in part, and the tokens that the provider counts for it.
#[derive(Debug, Default)]
pub(super) struct PartialReply {
    /// Text as far as it arrived.
    pub(super) text: String,
    /// Tokens as far as the provider reported them, else estimated.
    pub(super) usage: Usage,
    /// Name of the model, if the provider reported it.
    pub(super) model: Option<String>,
}

impl PartialReply {
    /// Estimates the tokens of a request and of the text generated for it.
    pub(super) fn estimated(request: &Value, text: &str) -> Self {
        let usage = Usage {
            input_tokens: estimated_tokens(&request.to_string()),
            output_tokens: estimated_tokens(text),
            estimated: true,
            ..Usage::default()
        };
        PartialReply { text: text.to_owned(), usage, model: None }
    }

    /// Adds the next reply that broke off: its tokens are added, its text replaces the earlier one.
    pub(super) fn add(&mut self, next: PartialReply) {
        let usage = self.usage.plus(&next.usage);
        *self = PartialReply { usage, ..next };
    }
}

/// Estimates the tokens of a text: one for each four bytes, which is about right for English.
pub(super) fn estimated_tokens(text: &str) -> u64 {
    text.len().div_ceil(4) as u64
}

/// Returns the tokens that a request grants its reply; 0 if it names no limit.
pub(super) fn granted_tokens(body: &Value) -> u64 {
    let named = |field| body.get(field).and_then(Value::as_u64);
    named("max_completion_tokens").or_else(|| named("max_tokens")).unwrap_or_default()
}

impl CallError {
    /// Creates an error that is not retried.
    pub(super) fn new(kind: FailureKind, message: String) -> Self {
        CallError { kind, message, again: false, wait: None, partial: None, refusal: None }
    }

    /// Returns the error as one after which another call may succeed.
    #[must_use]
    pub(super) fn worth_another(self) -> Self {
        CallError { again: true, ..self }
    }

    /// Returns the error with what had arrived of the reply.
    #[must_use]
    pub(super) fn after(self, partial: PartialReply) -> Self {
        CallError { partial: Some(Box::new(partial)), ..self }
    }

    /// Builds the error that a server reports in the middle of a stream. Its codes are classified like those of a
    /// response; without a telling one the call is retried.
    pub(super) fn in_stream(error: &Value, key: Option<&ApiKey>) -> Self {
        let body = serde_json::json!({ "error": error }).to_string();
        let (codes, _) = explained(&body);
        let is_refused = codes.iter().any(|code| code.contains("invalid_request"));
        let status = if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::INTERNAL_SERVER_ERROR };
        let refused = CallError::refused(status, &HeaderMap::new(), &body, key);
        let message = refused.message.replacen(&format!("answered {}", status.as_u16()), "reported an error", 1);
        CallError { message: format!("{message} in the middle of its reply"), refusal: None, ..refused }
    }

    /// Builds the error of a response with an error status. The key is redacted from all texts before they are cut.
    pub(super) fn refused(status: StatusCode, headers: &HeaderMap, body: &str, key: Option<&ApiKey>) -> Self {
        let (codes, said) = explained(body);
        let codes: Vec<String> = codes.iter().map(|code| scrubbed(code, key)).collect();
        let has = |parts: &[&str]| codes.iter().any(|code| parts.iter().any(|part| code.contains(part)));
        let is_spent = has(SPENT);
        let is_passing = matches!(status.as_u16(), 408 | 409 | 429) || status.is_server_error();
        let again = match header(headers, "x-should-retry") {
            _ if is_spent => false,
            Some("true") => true,
            Some("false") => false,
            _ => is_passing,
        };
        let kind = if !is_spent && (again || is_passing) {
            FailureKind::Unavailable
        } else if !is_spent && has(FILTERED) {
            FailureKind::Declined
        } else {
            FailureKind::Hopeless
        };
        let codes = if codes.is_empty() { String::new() } else { format!(" ({})", cut(&codes.join(", "))) };
        let request = request_id(headers, key).map(|id| format!("; request {}", cut(&id))).unwrap_or_default();
        let message = format!("answered {}{codes}: {}{request}", status.as_u16(), quote(&scrubbed(&said, key)));
        let refusal = Some((status, body.to_lowercase()));
        CallError { kind, message, again, wait: wait_asked_for(headers, Utc::now()), partial: None, refusal }
    }

    /// Builds the error of a response that did not arrive completely within the timeout.
    pub(super) fn broken(error: reqwest::Error, within: Duration, key: Option<&ApiKey>) -> Self {
        if error.is_timeout() && !error.is_connect() {
            let message = format!("did not answer within {} s", within.as_secs_f64());
            return CallError::new(FailureKind::TimedOut, message);
        }
        let what = if error.is_connect() { "could not be reached" } else { "broke off" };
        let error = error.without_url();
        let causes = std::iter::successors(error.source(), |cause: &&dyn Error| (*cause).source());
        let why = causes.fold(error.to_string(), |why, cause| format!("{why}: {cause}"));
        let message = format!("{what}: {}", cut(&scrubbed(&why, key)));
        CallError { again: true, ..CallError::new(FailureKind::Unavailable, message) }
    }

    /// Returns the status of a refusal; `None` for another error.
    pub(super) fn status(&self) -> Option<StatusCode> {
        self.refusal.as_ref().map(|(status, _)| *status)
    }

    /// Returns true if the server refused a part of the request that has one of these names. Names are in lower case.
    pub(super) fn refuses(&self, names: &[&str]) -> bool {
        self.refusal.as_ref().is_some_and(|(status, body)| {
            matches!(status.as_u16(), 400 | 422) && names.iter().any(|name| body.contains(name))
        })
    }

    /// Returns true if the server refused to stream, or a word that requests it. `upstream` is another word.
    pub(super) fn refuses_word(&self, word: &str) -> bool {
        self.refusal.as_ref().is_some_and(|(status, body)| {
            let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
            matches!(status.as_u16(), 400 | 404 | 422 | 501)
                && body.split(|letter| !is_part(letter)).any(|it| it == word)
        })
    }
}

/// Builds the failure of a well-formed response without a usable reply. `what` describes the model's behaviour as a
/// predicate.
pub(super) fn failure(answer: &ProviderAnswer, kind: FailureKind, what: &str) -> Failure {
    let request = answer.request_id.as_deref().map(|id| format!("; request {}", cut(id))).unwrap_or_default();
    let message = format!("{} {what}{request}", cut(&answer.by));
    Failure { answer: Some(Box::new(answer.clone())), ..Failure::new(kind, message) }
}

/// Builds the failure of a truncated reply, with the reason that the provider gives.
pub(super) fn cut_off(answer: &ProviderAnswer, reason: &str, thinking_tokens: Option<u64>) -> Failure {
    let thought = thinking_tokens
        .filter(|tokens| *tokens > 0)
        .map(|tokens| format!(", {tokens} of them for thinking"))
        .unwrap_or_default();
    let what = format!("was cut off ({}) after {} tokens{thought}", cut(reason), answer.usage.output_tokens);
    failure(answer, FailureKind::Truncated, &what)
}

/// Returns the answer if it contains more than white space.
pub(super) fn with_text(answer: ProviderAnswer) -> Result<ProviderAnswer, Failure> {
    if answer.text.trim().is_empty() {
        return Err(failure(&answer, FailureKind::Unreadable, "sent an empty reply"));
    }
    Ok(answer)
}

/// Extracts the error codes and the message of an error body. If the shape is unknown, the message is the whole body.
fn explained(body: &str) -> (Vec<String>, String) {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let at = |path: &str| value.pointer(path).and_then(Value::as_str).map(str::to_owned);
    let mut codes = Vec::new();
    for code in ["/error/type", "/error/code", "/error/details/error_code"].into_iter().filter_map(at) {
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    let said = ["/error/message", "/error", "/message", "/detail", "/detail/error"].into_iter().find_map(at);
    (codes, said.unwrap_or_else(|| body.to_owned()))
}

/// Parses the wait that the provider requests: in milliseconds, in seconds, or until a date by the server's clock.
fn wait_asked_for(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let number = |name| header(headers, name).and_then(|value| value.trim().parse::<f64>().ok());
    if let Some(millis) = number("retry-after-ms") {
        return Duration::try_from_secs_f64(millis / 1_000.0).ok();
    }
    if let Some(seconds) = number("retry-after") {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |name| header(headers, name).and_then(|value| DateTime::parse_from_rfc2822(value).ok());
    let until = date("retry-after")?.with_timezone(&Utc);
    let from = date("date").map_or(now, |date| date.with_timezone(&Utc));
    Some((until - from).to_std().unwrap_or_default())
}

/// Returns the provider's request id, with the key redacted.
pub(super) fn request_id(headers: &HeaderMap, key: Option<&ApiKey>) -> Option<String> {
    header(headers, "request-id").or_else(|| header(headers, "x-request-id")).map(|id| scrubbed(id, key))
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Redacts the key in a foreign text.
pub(super) fn scrubbed(text: &str, key: Option<&ApiKey>) -> String {
    key.map_or_else(|| text.to_owned(), |key| key.scrub(text))
}

/// Formats a foreign text for an error message: shortened and in quotation marks.
pub(super) fn quote(text: &str) -> String {
    if text.trim().is_empty() { "nothing".into() } else { format!("\"{}\"", cut(text)) }
}

/// Puts a foreign text on one line and cuts it to [`MAX_QUOTED_CHARS`] characters.
pub(super) fn cut(text: &str) -> String {
    let words =
        text.split(|letter: char| letter.is_whitespace() || letter.is_control()).filter(|word| !word.is_empty());
    let line = words.take(MAX_QUOTED_CHARS).collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MAX_QUOTED_CHARS {
        return line;
    }
    line.chars().take(MAX_QUOTED_CHARS - 3).chain("...".chars()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn requested_waits_are_parsed_in_every_form() {
        let now = DateTime::parse_from_rfc2822("Wed, 18 Nov 2026 10:00:00 GMT").unwrap().with_timezone(&Utc);
        let wait = |pairs: &[_]| wait_asked_for(&headers(pairs), now).map(|wait| wait.as_millis());
        assert_eq!(wait(&[]), None);
        assert_eq!(wait(&[("retry-after", "2")]), Some(2_000));
        assert_eq!(wait(&[("retry-after-ms", "300"), ("retry-after", "2")]), Some(300));
        assert_eq!(wait(&[("retry-after", "Wed, 18 Nov 2026 10:00:07 GMT")]), Some(7_000));
        assert_eq!(wait(&[("retry-after", "Wed, 18 Nov 2026 09:00:00 GMT")]), Some(0));
        let skewed = [("date", "Wed, 18 Nov 2026 09:00:00 GMT"), ("retry-after", "Wed, 18 Nov 2026 09:00:03 GMT")];
        assert_eq!(wait(&skewed), Some(3_000));
        assert_eq!(wait(&[("retry-after", "soon")]), None);
        assert_eq!(wait(&[("retry-after", "-5")]), None);
    }

    #[test]
    fn refusals_are_classified_by_status_code_and_header() {
        let table: &[(u16, &str, Option<&'static str>, FailureKind, bool)] = &[
            (408, "{}", None, FailureKind::Unavailable, true),
            (409, "{}", None, FailureKind::Unavailable, true),
            (429, r#"{"error":{"type":"rate_limit_error"}}"#, None, FailureKind::Unavailable, true),
            (529, "", None, FailureKind::Unavailable, true),
            (503, "", Some("false"), FailureKind::Unavailable, false),
            (400, "", Some("true"), FailureKind::Unavailable, true),
            (400, "", None, FailureKind::Hopeless, false),
            (302, "", None, FailureKind::Hopeless, false),
            (402, "", None, FailureKind::Hopeless, false),
            (429, r#"{"error":{"code":"insufficient_quota"}}"#, Some("true"), FailureKind::Hopeless, false),
            (
                429,
                r#"{"error":{"type":"rate_limit_error","details":{"error_code":"enforced_spend_limit_reached"}}}"#,
                None,
                FailureKind::Hopeless,
                false,
            ),
            (400, r#"{"error":{"code":"content_filter"}}"#, None, FailureKind::Declined, false),
        ];
        for (status, body, should_retry, kind, again) in table {
            let headers = should_retry.map(|value| headers(&[("x-should-retry", value)])).unwrap_or_default();
            let error = CallError::refused(StatusCode::from_u16(*status).unwrap(), &headers, body, None);
            assert_eq!((error.kind, error.again), (*kind, *again), "{status} {body}");
        }
    }

    #[test]
    fn quotes_are_short_and_on_one_line() {
        assert_eq!(quote(" \n"), "nothing");
        assert_eq!(quote("<html>\r\n\t<b>no\u{7}"), "\"<html> <b>no\"");
        assert_eq!(cut(&"é".repeat(500)).chars().count(), MAX_QUOTED_CHARS);
        assert_eq!(cut(&"a ".repeat(500)).chars().count(), MAX_QUOTED_CHARS);
    }
}

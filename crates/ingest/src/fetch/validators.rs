//! HTTP validators for conditional requests, and `Retry-After`.

use std::time::Duration;

use chrono::{DateTime, NaiveDate, Utc};
use reqwest::header::{ETAG, HeaderMap, HeaderName, LAST_MODIFIED, RETRY_AFTER};

/// Maximum length of a stored validator, in bytes.
const MAX_VALIDATOR_BYTES: usize = 500;

/// Validators of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    /// Value of `ETag`.
    pub etag: Option<String>,
    /// Value of `Last-Modified`.
    pub modified: Option<String>,
}

impl Validators {
    /// Returns the validators of a response; overlong ones are dropped.
    pub fn of(headers: &HeaderMap) -> Validators {
        let of = |name| text(headers, name).filter(|value| value.len() <= MAX_VALIDATOR_BYTES).map(str::to_owned);
        Validators { etag: of(&ETAG), modified: of(&LAST_MODIFIED) }
    }

    /// Date of the last modification according to the server.
    pub fn date(&self) -> Option<NaiveDate> {
        http_date(self.modified.as_deref()?).map(|time| time.date_naive())
    }
}

/// Returns a header's value if it is plain text.
pub fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Parses `Retry-After`, given in seconds or as a date.
pub fn retry_after(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let value = text(headers, &RETRY_AFTER)?.trim();
    let until = || (http_date(value)? - now).to_std().ok().or(Some(Duration::ZERO));
    value.parse().ok().map(Duration::from_secs).or_else(until)
}

fn http_date(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc2822(text.trim()).ok().map(|time| time.with_timezone(&Utc))
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = "2024-05-06T10:00:00Z".parse().unwrap();
        let check = |value: &'static str, wanted: Option<u64>| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(value))]);
            assert_eq!(retry_after(&headers, now), wanted.map(Duration::from_secs), "{value}");
        };
        check("120", Some(120));
        check("Mon, 06 May 2024 10:00:30 GMT", Some(30));
        check("Mon, 06 May 2024 09:00:00 GMT", Some(0));
        check("soon", None);
        check("-1", None);
    }

    #[test]
    fn validators_are_unmodified_and_overlong_ones_dropped() {
        let long = HeaderValue::from_bytes(&[b'x'; 501]).unwrap();
        let modified = HeaderValue::from_static("Mon, 06 May 2024 10:00:30 GMT");
        let found = Validators::of(&HeaderMap::from_iter([(ETAG, long), (LAST_MODIFIED, modified)]));
        assert_eq!((found.etag.as_deref(), found.date()), (None, Some("2024-05-06".parse().unwrap())));
    }
}

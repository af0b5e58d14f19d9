//! HTTP responses to GraphQL requests: media type, status code, and gzip compression when the client accepts it.

use std::io::Write;

use async_graphql::{Response, ServerError, Value};
use axum::http::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, RETRY_AFTER, VARY, WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response as HttpResponse};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use crate::api::admission::persisted::NOT_ALLOWED;
use crate::api::admission::tokens::AccessDenied;
use crate::api::execution::admission;
use crate::api::execution::admission::{FORBIDDEN, is_unexecuted, over_limit, refused};
use crate::api::execution::etag::ETag;
use crate::api::json::response_json;

/// Length from which a body is compressed, in bytes. Compressing a shorter one costs more than it saves.
pub const MIN_COMPRESSED_BYTES: usize = 1_024;

/// Media type of a GraphQL response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaType {
    /// `application/graphql-response+json`: the status code shows whether the request was executed.
    Response,
    /// `application/json`: a well-formed request is answered with 200 even if it was not executed.
    Json,
}

impl MediaType {
    /// Returns the media type as used in `content-type`.
    pub fn name(self) -> &'static str {
        match self {
            MediaType::Response => "application/graphql-response+json",
            MediaType::Json => "application/json",
        }
    }

    /// Negotiates the media type. GraphQL's own type wins if the client accepts it; JSON is the default without an
    /// `accept` header. `None` if the client accepts neither.
    fn negotiate(headers: &HeaderMap) -> Option<MediaType> {
        let mut accepted = list(headers, ACCEPT);
        let mut json = !headers.contains_key(ACCEPT);
        loop {
            match accepted.next().map(essence) {
                Some(it) if it == MediaType::Response.name() => return Some(MediaType::Response),
                Some(it) => json |= [MediaType::Json.name(), "application/*", "*/*", ""].contains(&it.as_str()),
                None => return json.then_some(MediaType::Json),
            }
        }
    }
}

/// Response format that a client negotiated: media type and compression.
#[derive(Clone, Copy, Debug)]
pub struct ResponseFormat {
    media: MediaType,
    packed: bool,
}

impl ResponseFormat {
    /// Reads the response format from the request headers; `None` if the client accepts no supported media type.
    pub fn negotiate(headers: &HeaderMap) -> Option<ResponseFormat> {
        Some(ResponseFormat { media: MediaType::negotiate(headers)?, packed: takes_gzip(headers) })
    }

    /// Returns the media type.
    pub fn media(self) -> MediaType {
        self.media
    }

    /// Builds the HTTP response for an executed or refused request.
    pub fn response(self, response: &Response) -> HttpResponse {
        self.response_with_etag(response, None)
    }

    /// Like [`ResponseFormat::response`], and sets `etag` to `version` if the response has no errors.
    pub fn response_with_etag(self, response: &Response, version: Option<&ETag>) -> HttpResponse {
        if !is_unexecuted(response) {
            return self.write(StatusCode::OK, response_json::json(response), version.filter(|_| response.is_ok()));
        }
        let status = refusal(response);
        // With the legacy media type, a well-formed request is answered with 200: clients rely on it.
        let settled = self.media == MediaType::Json && status == StatusCode::BAD_REQUEST;
        let status = if settled { StatusCode::OK } else { status };
        let mut refused = self.write(status, unexecuted(&response.errors), None);
        let wait = response.errors.first().and_then(retry_after);
        refused.headers_mut().extend(wait.map(|seconds| (RETRY_AFTER, HeaderValue::from(seconds))));
        refused
    }

    /// Builds the HTTP response for a batch of requests.
    pub fn responses(self, responses: &[Response]) -> HttpResponse {
        let json = |response: &Response| {
            if is_unexecuted(response) { unexecuted(&response.errors) } else { response_json::json(response) }
        };
        let parts: serde_json::Result<Vec<Vec<u8>>> = responses.iter().map(json).collect();
        let list = parts.map(|parts| [b"[", parts.join(&b',').as_slice(), b"]"].concat());
        ResponseFormat { media: MediaType::Json, ..self }.write(StatusCode::OK, list, None)
    }

    /// Builds the HTTP response for a request that could not be read.
    pub fn refused(self, status: StatusCode, reason: &str, code: &'static str) -> HttpResponse {
        self.refused_with(status, refused(reason, code))
    }

    /// Builds the HTTP response for a request that was refused with this error.
    pub fn refused_with(self, status: StatusCode, error: ServerError) -> HttpResponse {
        self.write(status, unexecuted(&[error]), None)
    }

    /// Builds a `304 Not Modified` response.
    pub fn unchanged(self, version: &ETag) -> HttpResponse {
        let mut response = StatusCode::NOT_MODIFIED.into_response();
        response.headers_mut().extend(self.headers(Some(version), false));
        response
    }

    fn write(self, status: StatusCode, body: serde_json::Result<Vec<u8>>, version: Option<&ETag>) -> HttpResponse {
        let Ok(body) = body else { return unwritten() };
        let (body, packed) = match self.packed.then(|| pack(&body)).flatten() {
            Some(packed) => (packed, true),
            None => (body, false),
        };
        let kind = match self.media {
            MediaType::Response => "application/graphql-response+json; charset=utf-8",
            MediaType::Json => "application/json; charset=utf-8",
        };
        let mut response = (status, [(CONTENT_TYPE, kind)], body).into_response();
        response.headers_mut().extend(self.headers(version, packed));
        if packed {
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }

    /// Returns the caching headers. A response with a version may be stored, but must be revalidated before each use.
    fn headers(self, version: Option<&ETag>, packed: bool) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
        let cache_control = if version.is_some() { "private, no-cache" } else { "no-store" };
        let tag = version.and_then(|version| HeaderValue::from_str(&version.tag(packed)).ok());
        let fixed = [
            (CACHE_CONTROL, HeaderValue::from_static(cache_control)),
            (VARY, HeaderValue::from_static("accept, accept-encoding, authorization")),
        ];
        fixed.into_iter().chain(tag.map(|tag| (ETAG, tag)))
    }
}

/// Serializes the response to a request that was not executed: `errors` only, without a `data` key.
fn unexecuted(errors: &[ServerError]) -> serde_json::Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Unexecuted<'a> {
        errors: &'a [ServerError],
    }
    serde_json::to_vec(&Unexecuted { errors })
}

/// Returns the status code for a request that was not executed.
fn refusal(response: &Response) -> StatusCode {
    let code = response
        .errors
        .first()
        .and_then(|error| error.extensions.as_ref())
        .and_then(|extensions| extensions.get("code"));
    match code {
        Some(Value::String(it)) if it == FORBIDDEN || it == NOT_ALLOWED => StatusCode::FORBIDDEN,
        _ if response.errors.first().and_then(retry_after).is_some() => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::BAD_REQUEST,
    }
}

/// Returns the seconds after which to retry, if the error states them.
fn retry_after(error: &ServerError) -> Option<u64> {
    match error.extensions.as_ref()?.get(admission::RETRY_AFTER)? {
        Value::Number(it) => it.as_u64(),
        _ => None,
    }
}

/// Builds the response for a caller that was denied access.
pub fn denied(denied: AccessDenied) -> HttpResponse {
    let reason = denied.to_string();
    let (status, error) = match denied {
        AccessDenied::Busy => (StatusCode::SERVICE_UNAVAILABLE, refused(&reason, "UNAUTHENTICATED")),
        AccessDenied::Failures { max } => {
            (StatusCode::TOO_MANY_REQUESTS, over_limit(&reason, "rate_failures", max, None))
        }
        AccessDenied::Missing | AccessDenied::Unknown | AccessDenied::Expired => {
            (StatusCode::UNAUTHORIZED, refused(&reason, "UNAUTHENTICATED"))
        }
    };
    let reply = ResponseFormat { media: MediaType::Json, packed: false };
    let mut response = reply.refused_with(status, error);
    match status {
        StatusCode::UNAUTHORIZED => {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        _ => {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
    }
    response
}

/// Builds the plain-text response for a rate-limited request to an endpoint that does not speak GraphQL.
pub fn throttled(why: &ServerError) -> HttpResponse {
    let mut response = text_response(StatusCode::TOO_MANY_REQUESTS, &why.message);
    response.headers_mut().extend(retry_after(why).map(|seconds| (RETRY_AFTER, HeaderValue::from(seconds))));
    response
}

/// Builds a plain-text response.
pub fn text_response(status: StatusCode, reason: &str) -> HttpResponse {
    (status, [(CONTENT_TYPE, "text/plain; charset=utf-8")], format!("{reason}\n")).into_response()
}

fn unwritten() -> HttpResponse {
    text_response(StatusCode::INTERNAL_SERVER_ERROR, "the response could not be serialized")
}

/// Returns a media type without its parameters, in lower case.
pub fn essence(kind: &str) -> String {
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Splits a comma-separated header into its items.
fn list(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(','))
}

/// Returns true if the client accepts gzip: `accept-encoding` lists it with a weight above 0.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let weight = |item: &str| {
        let given = item
            .split(';')
            .nth(1)
            .and_then(|parameter| parameter.trim().strip_prefix("q=")?.trim().parse::<f32>().ok());
        given.unwrap_or(1.0)
    };
    list(headers, ACCEPT_ENCODING).any(|encoding| essence(encoding) == "gzip" && weight(encoding) > 0.0)
}

/// Compresses a body with gzip; `None` if it is too short to benefit.
fn pack(body: &[u8]) -> Option<Vec<u8>> {
    if body.len() < MIN_COMPRESSED_BYTES {
        return None;
    }
    let mut packer = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
    packer.write_all(body).ok()?;
    packer.finish().ok().filter(|packed| packed.len() < body.len())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn the_media_type_is_negotiated() {
        let cases = [
            (None, Some(MediaType::Json)),
            (Some(""), Some(MediaType::Json)),
            (Some("*/*"), Some(MediaType::Json)),
            (Some("application/json"), Some(MediaType::Json)),
            (Some("application/json, application/graphql-response+json"), Some(MediaType::Response)),
            (Some("Application/GraphQL-Response+JSON; charset=utf-8"), Some(MediaType::Response)),
            (Some("text/html,application/xhtml+xml,*/*;q=0.8"), Some(MediaType::Json)),
            (Some("text/html"), None),
            (Some("application/jsonx"), None),
        ];
        for (accept, expected) in cases {
            let mut headers = HeaderMap::new();
            if let Some(accept) = accept {
                headers.insert(ACCEPT, HeaderValue::from_static(accept));
            }
            assert_eq!(MediaType::negotiate(&headers), expected, "{accept:?}");
        }
    }

    #[test]
    fn gzip_is_used_if_listed_with_a_positive_weight() {
        for (given, expected) in [
            (None, false),
            (Some("gzip"), true),
            (Some("br, GZIP;q=0.5"), true),
            (Some("gzip;q=0"), false),
            (Some("gzip; q=0.0, br"), false),
            (Some("deflate, br"), false),
        ] {
            let mut headers = HeaderMap::new();
            headers.extend(given.map(|encoding| (ACCEPT_ENCODING, HeaderValue::from_static(encoding))));
            assert_eq!(takes_gzip(&headers), expected, "{given:?}");
        }
    }

    #[test]
    fn compressed_bodies_round_trip() {
        let body = b"{\"data\":null}".repeat(MIN_COMPRESSED_BYTES / 8);
        let packed = pack(&body).expect("a body that shrinks");
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&*packed).read_to_end(&mut unpacked).expect("gzip");
        assert_eq!(unpacked, body);
        assert!(pack(&body[..MIN_COMPRESSED_BYTES - 1]).is_none() && pack(&body[..MIN_COMPRESSED_BYTES]).is_some());
    }
}

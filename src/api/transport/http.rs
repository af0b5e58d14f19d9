//! GraphQL over HTTP: JSON only, no mutations by GET, and conditional requests by entity tag.
//!
//! | status | when |
//! |---|---|
//! | 200 | the request was executed, even if single fields failed |
//! | 304 | a GET whose `if-none-match` contains the current [`ETag`] |
//! | 400 | the request could not be read; or was not executed, if the client accepts GraphQL's own media type |
//! | 401, 403 | the caller is not authenticated; or is not permitted to do this |
//! | 405 | a mutation or subscription came by GET |
//! | 406 | the client accepts neither media type |
//! | 408, 413 | the body did not arrive in time; or is too large |
//! | 415 | the content type is not `application/json` |
//! | 429 | the caller exceeded its rate limit |

use std::collections::BTreeMap;
use std::time::Duration;

use async_graphql::Executor;
use async_graphql::parser::types::OperationType;
use axum::body::{Body as HttpBody, Bytes, to_bytes};
use axum::extract::Query;
use axum::http::header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::Response as HttpResponse;
use tokio::time::timeout;

use crate::api::execution::admission::{AdmissionExecutor, over_limit, refusal_response, refused, wants_cost};
use crate::api::execution::etag::ETag;
use crate::api::transport::http_response::{ResponseFormat, essence, text_response};
use crate::api::transport::request::{RequestBody, from_json, from_parameters};
use crate::limits::ApiLimits;
use faultline_store::log::log::Log;

/// Handles a POST request.
pub async fn post(api: &AdmissionExecutor<impl Executor>, headers: &HeaderMap, body: HttpBody) -> HttpResponse {
    let Some(reply) = ResponseFormat::negotiate(headers) else { return unacceptable() };
    // Browsers send only forms and plain text cross-origin without a preflight request; neither is accepted here.
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if essence(kind) != "application/json" {
        return text_response(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported content type; send application/json");
    }
    let body = match whole(headers, body, api.limits()).await {
        Ok(body) => body,
        Err((status, reason)) => {
            let ApiLimits { body_bytes, send_seconds, .. } = **api.limits();
            let error = match status {
                StatusCode::PAYLOAD_TOO_LARGE => over_limit(&reason, "body_bytes", body_bytes, None),
                StatusCode::REQUEST_TIMEOUT => over_limit(&reason, "send_seconds", send_seconds, None),
                _ => refused(&reason, "INVALID"),
            };
            return reply.refused_with(status, error);
        }
    };
    match from_json(&body, api.limits().batch) {
        Ok(RequestBody::One(request)) => reply.response(&api.execute(*request).await),
        Ok(RequestBody::Batch(requests)) => {
            let mut responses = Vec::with_capacity(requests.len());
            for request in requests {
                responses.push(api.execute(request).await);
            }
            reply.responses(&responses)
        }
        Err(reason) => reply.refused(StatusCode::BAD_REQUEST, &reason, "INVALID"),
    }
}

/// Handles a GET request, which must be a query. If a log is given, conditional requests are supported.
pub async fn get(
    api: &AdmissionExecutor<impl Executor>,
    log: Option<&Log>,
    headers: &HeaderMap,
    uri: &Uri,
) -> HttpResponse {
    let Some(reply) = ResponseFormat::negotiate(headers) else { return unacceptable() };
    let parameters = match Query::<BTreeMap<String, String>>::try_from_uri(uri) {
        Ok(Query(parameters)) => parameters,
        Err(_) => return reply.refused(StatusCode::BAD_REQUEST, "the URL's query string is malformed", "INVALID"),
    };
    let mut request = match from_parameters(parameters) {
        Ok(request) => request,
        Err(reason) => return reply.refused(StatusCode::BAD_REQUEST, &reason, "INVALID"),
    };
    let operation = match api.admit(&mut request) {
        Ok(operation) => operation,
        Err(error) => return reply.response(&refusal_response(error)),
    };
    if operation.is(OperationType::Mutation) || operation.is(OperationType::Subscription) {
        let mut refused = text_response(StatusCode::METHOD_NOT_ALLOWED, "only queries may be sent by GET; use POST");
        refused.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        return refused;
    }
    let version = match log.filter(|_| !wants_cost(&request)) {
        Some(log) => ETag::of(api, log, &request, &operation, reply.media().name()).await,
        None => None,
    };
    match version {
        Some(version) if version.is_known(headers) => reply.unchanged(&version),
        version => {
            let response = api.run(request, &operation).await;
            reply.response_with_etag(&response, version.as_ref())
        }
    }
}

/// Reads the whole body, within the limits on size and time.
///
/// # Errors
/// Status and reason: 413 if the body is too large, 408 if it does not arrive in time, 400 if it ends early.
pub async fn whole(headers: &HeaderMap, body: HttpBody, limits: &ApiLimits) -> Result<Bytes, (StatusCode, String)> {
    let ApiLimits { body_bytes, send_seconds, .. } = *limits;
    let too_long = || (StatusCode::PAYLOAD_TOO_LARGE, format!("the request body is larger than {body_bytes} bytes"));
    let declared =
        headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()).and_then(|text| text.parse::<usize>().ok());
    if declared.is_some_and(|length| length > body_bytes) {
        return Err(too_long());
    }
    match timeout(Duration::from_secs(send_seconds as u64), to_bytes(body, body_bytes)).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(error)) if has_length_limit(&error) => Err(too_long()),
        Ok(Err(_)) => Err((StatusCode::BAD_REQUEST, "the request body ended early".to_owned())),
        Err(_) => Err((StatusCode::REQUEST_TIMEOUT, format!("the body did not arrive within {send_seconds} s"))),
    }
}

fn has_length_limit(error: &axum::Error) -> bool {
    std::error::Error::source(error).is_some_and(|source| source.to_string().contains("length limit"))
}

fn unacceptable() -> HttpResponse {
    text_response(StatusCode::NOT_ACCEPTABLE, "accept application/graphql-response+json or application/json")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use async_graphql::{EmptySubscription, Object, Schema};
    use axum::http::header::ACCEPT;

    use super::*;
    use crate::api::execution::response_order::FieldTypes;

    struct Query;

    #[Object]
    impl Query {
        async fn one(&self, #[graphql(default = 1)] of: i32) -> async_graphql::Result<i32> {
            if of == 1 { Ok(1) } else { Err("only one".into()) }
        }
    }

    struct Mutation;

    #[Object]
    impl Mutation {
        async fn change(&self) -> i32 {
            2
        }
    }

    fn api_within(limits: ApiLimits) -> AdmissionExecutor<impl Executor> {
        let api = Schema::new(Query, Mutation, EmptySubscription);
        let field_types = Arc::new(FieldTypes::new(&api.sdl()));
        AdmissionExecutor::within(limits.into(), api, field_types, None)
    }

    fn api() -> AdmissionExecutor<impl Executor> {
        api_within(ApiLimits::default())
    }

    fn headers(kind: &'static str, accept: &'static str) -> HeaderMap {
        let pairs = [(CONTENT_TYPE, kind), (ACCEPT, accept)].into_iter().filter(|(_, value)| !value.is_empty());
        pairs.map(|(name, value)| (name, HeaderValue::from_static(value))).collect()
    }

    async fn read(response: HttpResponse) -> (u16, String) {
        let status = response.status().as_u16();
        let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.expect("a body");
        (status, String::from_utf8_lossy(&body).into_owned())
    }

    #[tokio::test]
    async fn post_requests_conform_to_the_specification() {
        let (json, own) = ("application/json", "application/graphql-response+json");
        let cases = [
            (json, "", r#"{"query":"{ one }"}"#, 200, r#"{"data":{"one":1}}"#),
            ("Application/JSON; charset=utf-8", own, r#"{"query":"{ one }"}"#, 200, r#"{"data":{"one":1}}"#),
            (json, own, r#"{"query":"mutation { change }"}"#, 200, r#"{"data":{"change":2}}"#),
            (json, own, r#"{"query":"{ one(of: 2) }"}"#, 200, r#"{"data":null,"errors":[{"message":"only one""#),
            (json, own, r#"{"query":"{ two }"}"#, 400, r#"{"errors":[{"message":"Unknown field"#),
            (json, json, r#"{"query":"{ two }"}"#, 200, r#"{"errors":[{"message":"Unknown field"#),
            (json, own, r#"{"query":"{ one("}"#, 400, r#"{"errors":[{"message":"the query cannot be parsed"#),
            (json, json, r#"{"query":7}"#, 400, r#"{"errors":[{"message":"`query` must be a string""#),
            (json, json, "{", 400, r#"{"errors":[{"message":"the request body is not valid JSON"#),
            (json, "text/html", r#"{"query":"{ one }"}"#, 406, "accept "),
            ("", "", r#"{"query":"mutation { change }"}"#, 415, "unsupported content type"),
            ("text/plain", "", r#"{"query":"mutation { change }"}"#, 415, "unsupported content type"),
            ("multipart/form-data; boundary=a", "", "--a--", 415, "unsupported content type"),
        ];
        for (kind, accept, body, status, begin) in cases {
            let (got, text) = read(post(&api(), &headers(kind, accept), HttpBody::from(body)).await).await;
            assert!(got == status && text.starts_with(begin), "{kind} {accept} {body}: {got} {text}");
        }
    }

    #[tokio::test]
    async fn get_requests_only_execute_queries() {
        let cases = [
            ("query=%7Bone%7D", 200, r#"{"data":{"one":1}}"#),
            ("query=query%20A%7Bone%7D%20mutation%20B%7Bchange%7D&operationName=A", 200, r#"{"data":{"one":1}}"#),
            ("query=query%20A%7Bone%7D%20mutation%20B%7Bchange%7D&operationName=B", 405, "only queries"),
            ("query=mutation%7Bchange%7D", 405, "only queries"),
            ("query=query(%24x:Int)%7Bone(of:%24x)%7D&variables=%7B%22x%22:1%7D", 200, r#"{"data":{"one":1}}"#),
            ("query=%7Bone%7D&variables=1", 400, r#"{"errors":[{"message":"`variables` must be an object""#),
            ("query=%7Bone", 200, r#"{"errors":[{"message":"the query cannot be parsed"#),
            ("", 400, r#"{"errors":[{"message":"`query` is missing""#),
        ];
        for (query, status, begin) in cases {
            let uri = format!("/graphql?{query}").parse().expect("a path");
            let response = get(&api(), None, &HeaderMap::new(), &uri).await;
            assert_eq!(response.headers().contains_key(ALLOW), status == 405);
            let (got, text) = read(response).await;
            assert!(got == status && text.starts_with(begin), "{query}: {got} {text}");
        }
    }

    #[tokio::test]
    async fn a_request_body_is_limited_in_size_and_time() {
        let body = r#"{"query":"{ one }"}"#;
        let ask = async |limits: ApiLimits, body: HttpBody, length: Option<usize>| {
            let mut headers = headers("application/json", "");
            headers.extend(length.map(|length| (CONTENT_LENGTH, HeaderValue::from(length))));
            read(post(&api_within(limits), &headers, body).await).await
        };
        let within = |body_bytes: usize| ApiLimits { body_bytes, ..ApiLimits::default() };
        assert_eq!(ask(within(body.len()), body.into(), Some(body.len())).await.0, 200);
        for length in [None, Some(body.len())] {
            let (status, text) = ask(within(body.len() - 1), body.into(), length).await;
            assert!(status == 413 && text.contains("than 18 bytes") && text.contains("LIMIT"), "{status} {text}");
        }
        let slow = HttpBody::from_stream(async_graphql::futures_util::stream::pending::<Result<Bytes, axum::Error>>());
        let (status, text) = ask(ApiLimits { send_seconds: 1, ..ApiLimits::default() }, slow, None).await;
        assert!(status == 408 && text.contains("did not arrive within 1 s"), "{status} {text}");
    }

    #[tokio::test]
    async fn a_batch_of_requests_gets_a_list_of_responses() {
        let (one, two) = (r#"{"query":"{ one }"}"#, r#"{"query":"{ two }"}"#);
        let api = api_within(ApiLimits { batch: 2, ..ApiLimits::default() });
        let ask = async |body: String| read(post(&api, &headers("application/json", ""), body.into()).await).await;
        let (status, text) = ask(format!("[{one},{two}]")).await;
        assert!(status == 200 && text.starts_with(r#"[{"data":{"one":1}},{"errors":[{"message":"Unknown"#), "{text}");
        assert_eq!(ask(format!("[{one},{two},{one}]")).await.0, 400);
    }

    #[tokio::test]
    async fn a_rate_limited_response_states_when_to_retry() {
        let api = api_within(ApiLimits { rate_address: 1, ..ApiLimits::default() });
        let api = api.for_address(Some([10, 0, 0, 1].into()));
        let body = r#"{"query":"{ one }"}"#;
        let mut statuses = Vec::new();
        for _ in 0..3 {
            let response = post(&api, &headers("application/json", ""), body.into()).await;
            let after = response.headers().get("retry-after").map(|value| value.to_str().expect("text").to_owned());
            statuses.push((response.status().as_u16(), after));
        }
        assert_eq!(statuses, [(200, None), (200, None), (429, Some("1".to_owned()))]);
    }
}

//! GraphQL over HTTP: one operation a request, JSON only, no change by GET.

use async_graphql::parser::parse_query;
use async_graphql::parser::types::OperationType;
use async_graphql::{Executor, Request, Response, ServerError};
use axum::body::Bytes;
use axum::http::header::{ACCEPT, ALLOW, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response as HttpResponse};

use crate::api::guard::scan;

/// The longest request, in bytes: query, variables and all.
pub const MAX_BODY_BYTES: usize = 256 * 1024;

const GRAPHQL_RESPONSE: &str = "application/graphql-response+json";
const JSON: &str = "application/json";

/// Answers a POST.
pub async fn post(api: &impl Executor, headers: &HeaderMap, body: &Bytes) -> HttpResponse {
    let kind = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    // A browser sends nothing but forms and plain text to strangers without asking first: those change nothing here.
    if !kind.split(';').next().is_some_and(|it| it.trim().eq_ignore_ascii_case(JSON)) {
        return plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send application/json");
    }
    match serde_json::from_slice::<Request>(body) {
        Ok(request) => answer(headers, api.execute(request).await),
        Err(error) => malformed(headers, &format!("the body is no GraphQL request: {error}")),
    }
}

/// Answers a GET: queries only.
pub async fn get(api: &impl Executor, headers: &HeaderMap, query: &str) -> HttpResponse {
    let request = match async_graphql::http::parse_query_string(query) {
        Ok(request) => request,
        Err(error) => return malformed(headers, &format!("the query string is no GraphQL request: {error}")),
    };
    if scan(&request.query).is_ok() && is_more_than_query(&request) {
        let mut refused = plain(StatusCode::METHOD_NOT_ALLOWED, "only queries may be sent by GET; send this by POST");
        refused.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        return refused;
    }
    answer(headers, api.execute(request).await)
}

/// Whether what would be executed is no query. What cannot be parsed is left to the executor to refuse.
fn is_more_than_query(request: &Request) -> bool {
    parse_query(&request.query).is_ok_and(|document| {
        document.operations.iter().any(|(name, operation)| {
            let meant = match (&request.operation_name, name) {
                (Some(wanted), Some(name)) => wanted == name.as_str(),
                _ => true,
            };
            meant && operation.node.ty != OperationType::Query
        })
    })
}

fn malformed(headers: &HeaderMap, reason: &str) -> HttpResponse {
    let mut error = ServerError::new(reason, None);
    error.extensions.get_or_insert_default().set("code", "INVALID");
    let response = Response::from_errors(vec![error]);
    write(headers, StatusCode::BAD_REQUEST, &response)
}

/// A request that was not executed at all is a bad one, where the client reads GraphQL's own media type.
fn answer(headers: &HeaderMap, response: Response) -> HttpResponse {
    let refused = response.is_err() && response.data == async_graphql::Value::Null;
    let status = if refused && wants_graphql_response(headers) { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    write(headers, status, &response)
}

fn write(headers: &HeaderMap, status: StatusCode, response: &Response) -> HttpResponse {
    let kind = if wants_graphql_response(headers) { GRAPHQL_RESPONSE } else { JSON };
    match serde_json::to_vec(response) {
        Ok(body) => (status, [(CONTENT_TYPE, format!("{kind}; charset=utf-8"))], body).into_response(),
        Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "the response could not be written"),
    }
}

fn wants_graphql_response(headers: &HeaderMap) -> bool {
    headers.get(ACCEPT).and_then(|it| it.to_str().ok()).is_some_and(|it| it.contains(GRAPHQL_RESPONSE))
}

fn plain(status: StatusCode, reason: &'static str) -> HttpResponse {
    (status, [(CONTENT_TYPE, "text/plain; charset=utf-8")], format!("{reason}\n")).into_response()
}

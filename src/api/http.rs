//! GraphQL over HTTP: one operation a request, JSON only, no change by GET.
//!
//! | answered with | when |
//! |---|---|
//! | 200 | it was executed, whatever became of single fields |
//! | 400 | it could not be read; or not executed, where the client takes GraphQL's own media type |
//! | 401, 403 | nobody known asks; or one who may not do this |
//! | 405 | it is no query and came by GET |
//! | 406 | the client takes neither media type |
//! | 415 | it is not `application/json` |

use std::collections::BTreeMap;

use async_graphql::parser::types::OperationType;
use async_graphql::{Executor, Request, Response, ServerError};
use axum::body::Bytes;
use axum::extract::Query;
use axum::http::header::{ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE, VARY, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response as HttpResponse};
use serde::Serialize;

use crate::api::guard::{FORBIDDEN, admit, is_unexecuted};
use crate::api::request::{from_json, from_parameters};
use crate::api::tokens::Denied;

/// The longest request, in bytes: query, variables and all.
pub const MAX_BODY_BYTES: usize = 256 * 1024;

/// In what a client wants to read the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Media {
    /// `application/graphql-response+json`, where the status says whether the request was executed.
    Response,
    /// `application/json`, where a request that could be read is answered with 200.
    Json,
}

/// Answers a POST.
pub async fn post(api: &impl Executor, headers: &HeaderMap, body: &Bytes) -> HttpResponse {
    let Some(media) = Media::wanted(headers) else { return unacceptable() };
    // A browser sends nothing but forms and plain text to strangers without asking first: those change nothing here.
    let kind = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    if essence(kind) != Media::Json.name() {
        return plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send application/json");
    }
    match from_json(body) {
        Ok(request) => answer(media, &api.execute(request).await),
        Err(reason) => malformed(media, &reason),
    }
}

/// Answers a GET: queries only.
pub async fn get(api: &impl Executor, headers: &HeaderMap, uri: &Uri) -> HttpResponse {
    let Some(media) = Media::wanted(headers) else { return unacceptable() };
    let parameters = match Query::<BTreeMap<String, String>>::try_from_uri(uri) {
        Ok(Query(parameters)) => parameters,
        Err(_) => return malformed(media, "the query string cannot be read"),
    };
    let mut request = match from_parameters(parameters) {
        Ok(request) => request,
        Err(reason) => return malformed(media, &reason),
    };
    if is_more_than_query(&mut request) {
        let mut refused = plain(StatusCode::METHOD_NOT_ALLOWED, "only queries may be sent by GET; send this by POST");
        refused.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        return refused;
    }
    answer(media, &api.execute(request).await)
}

/// Whether what would be executed is no query. What cannot be admitted is left to the executor to refuse.
fn is_more_than_query(request: &mut Request) -> bool {
    admit(request).is_ok_and(|it| it.is(OperationType::Mutation) || it.is(OperationType::Subscription))
}

fn malformed(media: Media, reason: &str) -> HttpResponse {
    let mut error = ServerError::new(reason, None);
    error.extensions.get_or_insert_default().set("code", "INVALID");
    write(media, StatusCode::BAD_REQUEST, &Unexecuted { errors: &[error] })
}

fn answer(media: Media, response: &Response) -> HttpResponse {
    match (is_unexecuted(response), media) {
        (false, _) => write(media, StatusCode::OK, response),
        (true, Media::Response) => write(media, refusal(response), &Unexecuted { errors: &response.errors }),
        (true, Media::Json) => write(media, StatusCode::OK, &Unexecuted { errors: &response.errors }),
    }
}

/// The status of a request that was not executed.
fn refusal(response: &Response) -> StatusCode {
    let code = response.errors.first().and_then(|it| it.extensions.as_ref()).and_then(|it| it.get("code"));
    if code == Some(&FORBIDDEN.into()) { StatusCode::FORBIDDEN } else { StatusCode::BAD_REQUEST }
}

/// Answers somebody who is not let in.
pub fn denied(denied: Denied) -> HttpResponse {
    let mut error = ServerError::new(denied.to_string(), None);
    error.extensions.get_or_insert_default().set("code", "UNAUTHENTICATED");
    let busy = denied == Denied::Busy;
    let status = if busy { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::UNAUTHORIZED };
    let mut response = write(Media::Json, status, &Unexecuted { errors: &[error] });
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// What is answered where nothing was executed: no data, not even null.
#[derive(Serialize)]
struct Unexecuted<'a> {
    errors: &'a [ServerError],
}

fn write(media: Media, status: StatusCode, body: &impl Serialize) -> HttpResponse {
    let Ok(body) = serde_json::to_vec(body) else {
        return plain(StatusCode::INTERNAL_SERVER_ERROR, "the response could not be written");
    };
    let kind = format!("{}; charset=utf-8", media.name());
    (status, [(CONTENT_TYPE, kind.as_str()), (CACHE_CONTROL, "no-store"), (VARY, "accept")], body).into_response()
}

impl Media {
    fn name(self) -> &'static str {
        match self {
            Media::Response => "application/graphql-response+json",
            Media::Json => "application/json",
        }
    }

    /// What the client takes, GraphQL's own type first; JSON where it does not say; `None` where it takes neither.
    fn wanted(headers: &HeaderMap) -> Option<Media> {
        let mut accepted =
            headers.get_all(ACCEPT).iter().filter_map(|it| it.to_str().ok()).flat_map(|it| it.split(','));
        let mut json = !headers.contains_key(ACCEPT);
        loop {
            match accepted.next().map(essence) {
                Some(it) if it == Media::Response.name() => return Some(Media::Response),
                Some(it) => json |= [Media::Json.name(), "application/*", "*/*", ""].contains(&it.as_str()),
                None => return json.then_some(Media::Json),
            }
        }
    }
}

/// A media type without its parameters.
fn essence(kind: &str) -> String {
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn unacceptable() -> HttpResponse {
    plain(StatusCode::NOT_ACCEPTABLE, "accept application/graphql-response+json or application/json")
}

fn plain(status: StatusCode, reason: &'static str) -> HttpResponse {
    (status, [(CONTENT_TYPE, "text/plain; charset=utf-8")], format!("{reason}\n")).into_response()
}

#[cfg(test)]
mod tests {
    use async_graphql::{EmptySubscription, Object, Schema};

    use super::*;
    use crate::api::guard::Guarded;

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

    fn api() -> impl Executor {
        let api = Schema::new(Query, Mutation, EmptySubscription);
        let sdl = api.sdl();
        Guarded::new(api, &sdl)
    }

    fn headers(kind: &'static str, accept: &'static str) -> HeaderMap {
        let pairs = [(CONTENT_TYPE, kind), (ACCEPT, accept)].into_iter().filter(|(_, it)| !it.is_empty());
        pairs.map(|(name, it)| (name, HeaderValue::from_static(it))).collect()
    }

    async fn told(response: HttpResponse) -> (u16, String) {
        let status = response.status().as_u16();
        let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.expect("a body");
        (status, String::from_utf8_lossy(&body).into_owned())
    }

    #[tokio::test]
    async fn posts_are_answered_as_the_specification_wants() {
        let (json, own) = ("application/json", "application/graphql-response+json");
        let cases = [
            (json, "", r#"{"query":"{ one }"}"#, 200, r#"{"data":{"one":1}}"#),
            ("Application/JSON; charset=utf-8", own, r#"{"query":"{ one }"}"#, 200, r#"{"data":{"one":1}}"#),
            (json, own, r#"{"query":"mutation { change }"}"#, 200, r#"{"data":{"change":2}}"#),
            (json, own, r#"{"query":"{ one(of: 2) }"}"#, 200, r#"{"data":null,"errors":[{"message":"only one""#),
            (json, own, r#"{"query":"{ two }"}"#, 400, r#"{"errors":[{"message":"Unknown field"#),
            (json, json, r#"{"query":"{ two }"}"#, 200, r#"{"errors":[{"message":"Unknown field"#),
            (json, own, r#"{"query":"{ one("}"#, 400, r#"{"errors":[{"message":"the query cannot be read"#),
            (json, json, r#"{"query":7}"#, 400, r#"{"errors":[{"message":"query has to be a string""#),
            (json, json, "{", 400, r#"{"errors":[{"message":"the request is no JSON"#),
            (json, "text/html", r#"{"query":"{ one }"}"#, 406, "accept "),
            ("", "", r#"{"query":"mutation { change }"}"#, 415, "send application/json"),
            ("text/plain", "", r#"{"query":"mutation { change }"}"#, 415, "send application/json"),
            ("multipart/form-data; boundary=a", "", "--a--", 415, "send application/json"),
        ];
        for (kind, accept, body, status, begin) in cases {
            let (got, text) =
                told(post(&api(), &headers(kind, accept), &Bytes::from_static(body.as_bytes())).await).await;
            assert!(got == status && text.starts_with(begin), "{kind} {accept} {body}: {got} {text}");
        }
    }

    #[tokio::test]
    async fn gets_change_nothing() {
        let cases = [
            ("query=%7Bone%7D", 200, r#"{"data":{"one":1}}"#),
            ("query=query%20A%7Bone%7D%20mutation%20B%7Bchange%7D&operationName=A", 200, r#"{"data":{"one":1}}"#),
            ("query=query%20A%7Bone%7D%20mutation%20B%7Bchange%7D&operationName=B", 405, "only queries"),
            ("query=mutation%7Bchange%7D", 405, "only queries"),
            ("query=query(%24x:Int)%7Bone(of:%24x)%7D&variables=%7B%22x%22:1%7D", 200, r#"{"data":{"one":1}}"#),
            ("query=%7Bone%7D&variables=1", 400, r#"{"errors":[{"message":"variables has to be an object""#),
            ("query=%7Bone", 200, r#"{"errors":[{"message":"the query cannot be read"#),
            ("", 400, r#"{"errors":[{"message":"query is missing""#),
        ];
        for (query, status, begin) in cases {
            let uri = format!("/graphql?{query}").parse().expect("a path");
            let response = get(&api(), &HeaderMap::new(), &uri).await;
            assert_eq!(response.headers().contains_key(ALLOW), status == 405);
            let (got, text) = told(response).await;
            assert!(got == status && text.starts_with(begin), "{query}: {got} {text}");
        }
    }

    #[test]
    fn the_media_type_is_negotiated() {
        let cases = [
            (None, Some(Media::Json)),
            (Some(""), Some(Media::Json)),
            (Some("*/*"), Some(Media::Json)),
            (Some("application/json"), Some(Media::Json)),
            (Some("application/json, application/graphql-response+json"), Some(Media::Response)),
            (Some("Application/GraphQL-Response+JSON; charset=utf-8"), Some(Media::Response)),
            (Some("text/html,application/xhtml+xml,*/*;q=0.8"), Some(Media::Json)),
            (Some("text/html"), None),
            (Some("application/jsonx"), None),
        ];
        for (accept, expected) in cases {
            let mut headers = HeaderMap::new();
            if let Some(accept) = accept {
                headers.insert(ACCEPT, HeaderValue::from_static(accept));
            }
            assert_eq!(Media::wanted(&headers), expected, "{accept:?}");
        }
    }
}

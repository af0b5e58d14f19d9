//! Every request passes here, whatever transport it came by: scanned, parsed, weighed, executed within a time.
//!
//! | refused | because | by |
//! |---|---|---|
//! | too long, too many tokens, too deep | the parser has no limits | [`scan`] |
//! | fragments that spread fragments | validation would expand them all | [`weigh`] |
//! | several fields in a subscription | each would be a stream of its own | [`weigh`] |
//! | too deep, too complex | execution would take too long | the schema |
//! | a change by a reader | its token does not allow it | [`Role`] |
//! | too slow | somebody else waits | [`PATIENCE`] |
//!
//! What passes is parsed once: the document goes along with the request. What comes back is put into shape.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_graphql::futures_util::stream::{self, BoxStream, StreamExt};
use async_graphql::parser::types::OperationType;
use async_graphql::{Data, Executor, Request, Response, ServerError};
use metrics::{counter, histogram};
use tokio::time::timeout;

use crate::api::scan::scan;
use crate::api::shape::{Operation, Shapes};
use crate::api::shown::Shown;
use crate::api::tokens::Role;
use crate::api::weigh::weigh;

/// The code of what a role does not allow.
pub const FORBIDDEN: &str = "FORBIDDEN";
/// How long a query or mutation may take.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A schema behind the guard.
#[derive(Clone)]
pub struct Guarded<E> {
    api: E,
    role: Role,
    shapes: Arc<Shapes>,
    patience: Duration,
}

impl<E: Executor> Guarded<E> {
    /// Puts a guard before a schema, of which the text is given too. It lets everybody do everything, until it is told for
    /// whom it stands.
    pub fn new(api: E, sdl: &str) -> Guarded<E> {
        Guarded { api, role: Role::Admin, shapes: Arc::new(Shapes::new(sdl)), patience: PATIENCE }
    }

    /// The same guard, for somebody of this role.
    pub fn for_role(self, role: Role) -> Guarded<E> {
        Guarded { role, ..self }
    }

    /// Scans, parses and weighs a request, and asks whether this role may make it.
    fn admit(&self, request: &mut Request) -> Result<Operation, ServerError> {
        let operation = admit(request)?;
        if operation.is(OperationType::Mutation) && self.role < Role::Writer {
            return Err(refused("this token may read; to change something takes one of the role writer", FORBIDDEN));
        }
        Ok(operation)
    }

    async fn execute_admitted(&self, request: Request, operation: &Operation) -> Response {
        let kind = if operation.is(OperationType::Mutation) { "mutation" } else { "query" };
        let began = Instant::now();
        let response = match timeout(self.patience, self.api.execute(request.data(Shown::default()))).await {
            Ok(response) => told(self.shapes.shape(operation, response)),
            Err(_) => {
                let reason = format!("the request took longer than {} s and was given up", PATIENCE.as_secs());
                Response::from_errors(vec![refused(&reason, "LIMIT")])
            }
        };
        histogram!("faultline_graphql_request_duration_seconds", "kind" => kind).record(began.elapsed());
        count(kind, &response);
        response
    }
}

impl<E: Executor> Executor for Guarded<E> {
    async fn execute(&self, mut request: Request) -> Response {
        match self.admit(&mut request) {
            Ok(operation) => self.execute_admitted(request.data(self.role), &operation).await,
            Err(error) => turned_away(error),
        }
    }

    /// One response for a query or a mutation; many for a subscription.
    fn execute_stream(&self, mut request: Request, data: Option<Arc<Data>>) -> BoxStream<'static, Response> {
        let own = self.clone();
        let admitted = self.admit(&mut request);
        let request = request.data(self.role);
        match admitted {
            Ok(operation) if operation.is(OperationType::Subscription) => {
                let responses = self.api.execute_stream(request, data);
                let response = move |it| {
                    let response = told(own.shapes.shape(&operation, it));
                    count("subscription", &response);
                    response
                };
                responses.map(response).boxed()
            }
            Ok(operation) => stream::once(async move { own.execute_admitted(request, &operation).await }).boxed(),
            Err(error) => stream::once(async move { turned_away(error) }).boxed(),
        }
    }
}

/// Scans, parses and weighs a request; what it is then. The parsed document stays with it.
///
/// # Errors
/// Why it is not to be executed.
pub fn admit(request: &mut Request) -> Result<Operation, ServerError> {
    scan(&request.query).map_err(|it| refused(&it.to_string(), "LIMIT"))?;
    let name = request.operation_name.clone();
    let document = request.parsed_query()?;
    weigh(document).map_err(|it| refused(&it.to_string(), it.code()))?;
    Ok(Operation::new(document.clone(), name))
}

/// Whether a request was refused before anything of it was executed.
pub fn is_unexecuted(response: &Response) -> bool {
    response.data == async_graphql::Value::Null
        && response.errors.iter().all(|it| it.path.is_empty())
        && response.is_err()
}

fn turned_away(error: ServerError) -> Response {
    counter!("faultline_graphql_refused_total").increment(1);
    told(Response::from_errors(vec![error]))
}

fn count(kind: &'static str, response: &Response) {
    let outcome = if response.is_ok() { "ok" } else { "error" };
    counter!("faultline_graphql_requests_total", "kind" => kind, "outcome" => outcome).increment(1);
}

fn refused(reason: &str, code: &'static str) -> ServerError {
    let mut error = ServerError::new(reason, None);
    error.extensions.get_or_insert_default().set("code", code);
    error
}

/// The library's own errors in our words: each with a code, and none with the query in it.
fn told(mut response: Response) -> Response {
    for error in &mut response.errors {
        if error.message.trim_start().starts_with("-->") {
            let reason = error.message.rsplit("= ").next().unwrap_or_default().trim();
            error.message = format!("the query cannot be read: {reason}");
        }
        let extensions = error.extensions.get_or_insert_default();
        if extensions.get("code").is_none() {
            let is_limit = LIMITS.iter().any(|it| error.message.starts_with(it));
            extensions.set("code", if is_limit { "LIMIT" } else { "INVALID" });
        }
    }
    response
}

/// How the library's errors begin that speak of limits.
const LIMITS: &[&str] =
    &["Query is too complex", "Query is nested too deep", "The recursion depth", "The number of directives"];

#[cfg(test)]
mod tests {
    use async_graphql::{EmptyMutation, EmptySubscription, Object, Schema};

    use super::*;

    struct Query;

    #[Object]
    impl Query {
        async fn one(&self) -> i32 {
            1
        }

        async fn slow(&self) -> i32 {
            std::future::pending::<()>().await;
            2
        }
    }

    async fn ask(query: &str) -> String {
        let api = Schema::build(Query, EmptyMutation, EmptySubscription).limit_depth(4).finish();
        let sdl = api.sdl();
        let api = Guarded { patience: Duration::from_millis(50), ..Guarded::new(api, &sdl) };
        let answered = api.execute(Request::new(query)).await;
        let streamed = api.execute_stream(Request::new(query), None).next().await.expect("a response");
        let [answered, streamed] = [answered, streamed].map(|it| serde_json::to_string(&it).expect("JSON"));
        assert_eq!(answered, streamed, "both ways alike");
        answered
    }

    #[tokio::test]
    async fn whatever_is_refused_has_a_code_and_says_why() {
        let cases = [
            ("{ one }", r#"{"data":{"one":1}}"#),
            ("{ slow }", r#""code":"LIMIT""#),
            ("{ slow }", "30 s"),
            ("{ two }", r#""code":"INVALID""#),
            ("{ one(", r#""message":"the query cannot be read: expected"#),
            ("{ one(", r#""code":"INVALID""#),
            ("{ one @skip(if: [[[[[[[[[[", "cannot be read"),
            ("", "cannot be read"),
            ("query A { one } query B { one }", r#""code":"INVALID""#),
        ];
        for (query, expected) in cases {
            let got = ask(query).await;
            assert!(got.contains(expected), "{query}: {got}");
        }
        assert!(ask(&"{a(b:[".repeat(500)).await.contains(r#""code":"LIMIT""#));
        assert!(ask("{ __schema { types { fields { type { name } } } } }").await.contains(r#""code":"LIMIT""#));
    }
}

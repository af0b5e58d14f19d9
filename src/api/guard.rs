//! Every request passes here, whatever transport it came by: paid for, named, scanned, parsed, weighed, executed within a
//! time.
//!
//! | refused | because | by |
//! |---|---|---|
//! | too many in a second | somebody else asks too | [`Rates`] |
//! | by a name that is not known, or not on the list | there is no text | [`Persisted`] |
//! | variables too long | they would be read once more for each field | [`Limits`] |
//! | too long, too many tokens, too deep | the parser has no limits | [`scan`] |
//! | fragments that spread fragments | validation would expand them all | [`weigh`] |
//! | several fields in a subscription | each would be a stream of its own | [`weigh`] |
//! | too deep, too complex | execution would take too long | the schema |
//! | a change by a reader | its token does not allow it | [`Role`] |
//! | the schema, where it is not told | it is switched off | [`Limits`] |
//! | too slow | somebody else waits | [`Limits`] |
//!
//! What passes is parsed once: the document goes along with the request. What comes back is put into shape.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_graphql::futures_util::stream::{self, BoxStream, StreamExt};
use async_graphql::parser::types::OperationType;
use async_graphql::{Data, Executor, Request, Response, ServerError, Value, Variables};
use metrics::counter;
use tokio::time::timeout;
use tracing::Instrument;

use crate::api::documents::{Document, Documents};
use crate::api::error::{ERASED, exceeded};
use crate::api::folds::{FoldingEvents, Folds};
use crate::api::observe::{executed_in, executing};
use crate::api::persisted::{Allowed, Persisted};
use crate::api::plain::AtOnce;
use crate::api::rate::{Payer, Rates};
use crate::api::request_id::RequestId;
use crate::api::role::Role;
use crate::api::scan::scan;
use crate::api::shape::{Operation, Shapes};
use crate::api::shown::Shown;
use crate::api::tokens::Holder;
use crate::api::types::versions::Versions;
use crate::api::weigh::weigh;
use crate::desk::audit::Actor;
use crate::limits::Limits;

/// The code of what a role does not allow.
pub const FORBIDDEN: &str = "FORBIDDEN";
/// The extension of a request that wants to know what it costs, and that of the answer which says so.
pub const COST: &str = "cost";
/// The extension of an error that says after how many seconds to come back.
pub const RETRY_AFTER: &str = "retryAfter";

/// A schema behind the guard.
#[derive(Clone)]
pub struct Guarded<E> {
    api: E,
    /// The same, which tells what a request costs; it is slower, since it is asked at every field.
    costing: Option<E>,
    holder: Holder,
    address: Option<IpAddr>,
    rules: Arc<Rules>,
    patience: Duration,
}

/// What holds for all requests of a service.
struct Rules {
    limits: Arc<Limits>,
    shapes: Shapes,
    documents: Documents,
    rates: Rates,
    persisted: Persisted,
    folding: FoldingEvents,
}

impl<E: Executor> Guarded<E> {
    /// Puts a guard before a schema, of which the text is given too. It lets everybody do everything within the usual
    /// limits, until it is told for whom it stands.
    pub fn new(api: E, sdl: &str) -> Guarded<E> {
        Guarded::within(Arc::default(), api, sdl, None)
    }

    /// Puts a guard before a schema, which keeps these limits, and lets only these operations pass where they are given.
    pub fn within(limits: Arc<Limits>, api: E, sdl: &str, allowed: Option<Allowed>) -> Guarded<E> {
        let patience = Duration::from_secs(limits.seconds as u64);
        let (rates, persisted) = (Rates::new(&limits), Persisted::new(allowed, &limits));
        let documents = Documents::default();
        let folding = FoldingEvents::new(limits.folding_events);
        let rules = Rules { limits, shapes: Shapes::new(sdl), documents, rates, persisted, folding };
        Guarded { api, costing: None, holder: Role::Admin.into(), address: None, rules: Arc::new(rules), patience }
    }

    /// The same guard, which can say what a request costs: this schema's library analyzes.
    pub fn with_costing(self, costing: E) -> Guarded<E> {
        Guarded { costing: Some(costing), ..self }
    }

    /// The same guard, for whoever holds this token.
    pub fn for_holder(self, holder: Holder) -> Guarded<E> {
        Guarded { holder, ..self }
    }

    /// The same guard, for somebody of this role.
    pub fn for_role(self, role: Role) -> Guarded<E> {
        self.for_holder(role.into())
    }

    /// The same guard, for whoever asks from this address.
    pub fn for_address(self, address: Option<IpAddr>) -> Guarded<E> {
        Guarded { address, ..self }
    }

    /// Whether it stands for somebody who showed an admin's token. Where no tokens are asked for everybody may do everything,
    /// and yet what is switched off is off for everybody.
    fn is_keeper(&self) -> bool {
        self.holder.role == Role::Admin && self.holder.token.is_some()
    }

    /// The name under which changes are recorded.
    fn actor(&self) -> Actor {
        self.holder.token.as_ref().map_or_else(Actor::unnamed, |it| Actor::token(&it.name))
    }

    /// The limits that it keeps.
    pub fn limits(&self) -> &Arc<Limits> {
        &self.rules.limits
    }

    /// The shapes of the schema.
    pub fn shapes(&self) -> &Shapes {
        &self.rules.shapes
    }

    /// Takes one operation from the buckets of whoever asks. [`Guarded::admit`] does so by itself; this is for what is
    /// asked without passing there.
    ///
    /// # Errors
    /// `LIMIT`, and in `retryAfter` the seconds to wait.
    pub fn charge(&self) -> Result<(), ServerError> {
        let payers = [self.holder.token.as_ref().map(|it| Payer::Token(it.id)), self.address.map(Payer::at)];
        let payers: Vec<Payer> = payers.into_iter().flatten().collect();
        self.rules.rates.take(&payers, Instant::now()).map_err(|wait| {
            counter!("faultline_graphql_throttled_total").increment(1);
            let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
            let mut error = refused(&format!("too many operations a second; come back in {seconds} s"), "LIMIT");
            error.extensions.get_or_insert_default().set(RETRY_AFTER, seconds);
            error
        })
    }

    /// Lets a request pass, or says why not. It has its text and its document then.
    ///
    /// # Errors
    /// Why it is not to be executed.
    pub fn admit(&self, request: &mut Request) -> Result<Operation, ServerError> {
        self.charge()?;
        let Rules { limits, persisted, .. } = &*self.rules;
        let (asked, limit) = (n_bytes(&request.variables), limits.variable_bytes);
        if asked > limit {
            return Err(over_limit(
                &format!("the variables have more than {limit} bytes"),
                "variable_bytes",
                limit,
                Some(asked),
            ));
        }
        let role = self.holder.role;
        let named = persisted.resolve(request, self.is_keeper()).map_err(|it| refused(&it.to_string(), it.code()))?;
        let operation = Operation::of(self.read(request)?, request.operation_name.clone());
        if operation.is(OperationType::Mutation) && role < Role::Writer {
            return Err(refused("this token may read; to change something takes one of the role writer", FORBIDDEN));
        }
        if limits.introspection == 0 && !self.is_keeper() && operation.asks_for_schema() {
            return Err(refused("this service does not tell its schema; it stands in schema.graphql", FORBIDDEN));
        }
        if let Some(name) = named {
            persisted.remember(name, &request.query);
        }
        Ok(operation)
    }

    /// The document of a request's text: as it was read before, or read now within the limits.
    fn read(&self, request: &mut Request) -> Result<Arc<Document>, ServerError> {
        let Rules { limits, documents, .. } = &*self.rules;
        if let Some(known) = documents.find(&request.query) {
            request.set_parsed_query(known.tree.clone());
            return Ok(known);
        }
        scan(&request.query, limits).map_err(|it| {
            let (name, value) = it.limit();
            let asked = (name == "query_bytes").then_some(request.query.len());
            over_limit(&it.to_string(), name, value, asked)
        })?;
        let document = request.parsed_query()?;
        weigh(document, limits).map_err(|it| match it.limit() {
            Some((name, value)) => over_limit(&it.to_string(), name, value, None),
            None => refused(&it.to_string(), "INVALID"),
        })?;
        let document = Arc::new(Document::from(document.clone()));
        documents.keep(&request.query, &document);
        Ok(document)
    }

    /// Executes what was admitted, if it is a query or a mutation.
    pub async fn run(&self, request: Request, operation: &Operation) -> Response {
        let kind = if operation.is(OperationType::Mutation) { "mutation" } else { "query" };
        let (began, name) = (Instant::now(), operation.field());
        // What it cost is counted in the answer's tree.
        let (api, request) = match self.costing.as_ref().filter(|_| wants_cost(&request)) {
            Some(costing) => (costing, request),
            None if operation.is_unmerged() => (&self.api, request.data(AtOnce)),
            None => (&self.api, request),
        };
        let folds = Folds::new(&self.rules.limits, self.rules.folding.clone());
        let request = request.data(self.holder.role).data(self.actor());
        let request = request.data(Shown::default()).data(folds).data(Versions::default());
        let variables = request.variables.clone();
        let executed = api.execute(request).instrument(executing(kind, &name));
        let mut response = match timeout(self.patience, executed).await {
            Ok(response) => told(self.costed(self.rules.shapes.shape(operation, response))),
            Err(_) => {
                let limit = self.rules.limits.seconds;
                let reason = format!("the request took longer than {limit} s and was given up");
                told(Response::from_errors(vec![over_limit(&reason, "seconds", limit, None)]))
            }
        };
        if is_unexecuted(&response)
            && response.errors.iter().any(|it| LIMITS.iter().any(|limit| it.message.starts_with(limit)))
        {
            response = self.refused_with_cost(response, operation, variables).await;
        }
        executed_in(kind, &name, began.elapsed(), is_unexecuted(&response));
        count(kind, &response);
        response
    }

    /// Executes what was admitted, if it is a subscription.
    pub fn follow(
        &self,
        request: Request,
        operation: Arc<Operation>,
        data: Option<Arc<Data>>,
    ) -> BoxStream<'static, Response> {
        let rules = Arc::clone(&self.rules);
        let responses = self.api.execute_stream(request.data(self.holder.role).data(self.actor()), data);
        let response = move |it| {
            let response = told(rules.shapes.shape(&operation, it));
            count("subscription", &response);
            response
        };
        responses.map(response).boxed()
    }

    /// The response to a query that the library refused as too dear or too deep, with what was asked: the other schema refuses
    /// it too, before it executes anything.
    async fn refused_with_cost(&self, response: Response, operation: &Operation, variables: Variables) -> Response {
        match &self.costing {
            Some(costing) => told(costing.execute(operation.request(variables)).await),
            None => response,
        }
    }

    /// The response with what the library analyzed in our words.
    fn costed(&self, mut response: Response) -> Response {
        let Some(Value::Object(found)) = response.extensions.remove("analyzer") else { return response };
        let Limits { cost, depth, .. } = &*self.rules.limits;
        let taken = |name: &str| found.get(name).cloned().unwrap_or_default();
        let told = async_graphql::value!({
            "requested": taken("complexity"), "limit": cost, "depth": taken("depth"), "depthLimit": depth,
            "fields": n_fields(&response.data),
        });
        response.extension(COST, told)
    }
}

impl<E: Executor> Executor for Guarded<E> {
    async fn execute(&self, mut request: Request) -> Response {
        match self.admit(&mut request) {
            Ok(operation) => self.run(request, &operation).await,
            Err(error) => turned_away(error),
        }
    }

    /// One response for a query or a mutation; many for a subscription.
    fn execute_stream(&self, mut request: Request, data: Option<Arc<Data>>) -> BoxStream<'static, Response> {
        let own = self.clone();
        match self.admit(&mut request) {
            Ok(operation) if operation.is(OperationType::Subscription) => {
                self.follow(request, Arc::new(operation), data)
            }
            Ok(operation) => stream::once(async move { own.run(request, &operation).await }).boxed(),
            Err(error) => stream::once(async move { turned_away(error) }).boxed(),
        }
    }
}

/// Whether a request was refused before anything of it was executed.
pub fn is_unexecuted(response: &Response) -> bool {
    response.data == Value::Null && response.errors.iter().all(|it| it.path.is_empty()) && response.is_err()
}

/// The answer to what was not admitted.
pub fn turned_away(error: ServerError) -> Response {
    counter!("faultline_graphql_refused_total").increment(1);
    told(Response::from_errors(vec![error]))
}

/// An error with its code, and what every error bears.
pub fn refused(reason: &str, code: &'static str) -> ServerError {
    let mut error = ServerError::new(reason, None);
    error.extensions.get_or_insert_default().set("code", code);
    marked(&mut error);
    error
}

/// The refusal of more than a limit allows: with the limit's name, its value and, where it was counted, what was asked.
fn over_limit(reason: &str, limit: &'static str, value: usize, asked: Option<usize>) -> ServerError {
    let mut error = exceeded(reason, limit, value, asked);
    marked(&mut error);
    error
}

/// What every error bears beside its code: the request's name; and that it is a refusal, where it is one.
fn marked(error: &mut ServerError) {
    let extensions = error.extensions.get_or_insert_default();
    if let Some(id) = RequestId::current() {
        extensions.set("requestId", id.as_str());
    }
    if matches!(extensions.get("code"), Some(Value::String(it)) if REFUSALS.contains(&it.as_str())) {
        extensions.set(CLASSIFICATION, BAD_REQUEST);
    }
}

/// The codes of what is up to whoever asks: asked otherwise, or later, it is granted.
const REFUSALS: &[&str] = &["INVALID", "NOT_FOUND", "CONFLICT", "LIMIT", "FUTURE_CURSOR", ERASED];
/// The extension by which tools that know none of our codes tell a refusal from a fault, and what it says of a refusal. The
/// words are those of graphql-java and its kin. A fault of ours bears none: of it nothing is told but its id.
const CLASSIFICATION: &str = "classification";
const BAD_REQUEST: &str = "BAD_REQUEST";

fn count(kind: &'static str, response: &Response) {
    let outcome = if response.is_ok() { "ok" } else { "error" };
    counter!("faultline_graphql_requests_total", "kind" => kind, "outcome" => outcome).increment(1);
}

/// Whether a request asks what it costs.
pub fn wants_cost(request: &Request) -> bool {
    matches!(request.extensions.get(COST), Some(Value::Boolean(true)))
}

/// How many fields an answer holds, those of lists' items each.
fn n_fields(data: &Value) -> usize {
    match data {
        Value::Object(fields) => fields.values().map(|it| 1 + n_fields(it)).sum(),
        Value::List(items) => items.iter().map(n_fields).sum(),
        _ => 0,
    }
}

/// How long variables are as JSON, in bytes.
fn n_bytes(variables: &Variables) -> usize {
    struct Counted(usize);
    impl io::Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counted = Counted(0);
    if !variables.is_empty() {
        // None of its values can fail to be written.
        let _written = serde_json::to_writer(&mut counted, variables);
    }
    counted.0
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
            let is_limit = LIMITS.iter().chain(OTHER_LIMITS).any(|it| error.message.starts_with(it));
            extensions.set("code", if is_limit { "LIMIT" } else { "INVALID" });
        }
        marked(error);
    }
    response
}

/// How the library's errors begin that are about cost and depth.
const LIMITS: &[&str] = &["Query is too complex", "Query is nested too deep"];
/// How its errors begin that are about other limits.
const OTHER_LIMITS: &[&str] = &["The recursion depth", "The number of directives"];

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

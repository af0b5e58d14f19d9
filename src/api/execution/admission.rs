//! Admission of requests from every transport: each request is charged, resolved, scanned, parsed, checked against the
//! limits, and executed with a timeout.
//!
//! | refused | because | by |
//! |---|---|---|
//! | too many operations per second | other clients need capacity | [`RateLimiter`] |
//! | unknown id or hash, or not on the allow-list | there is no text to execute | [`PersistedQueries`] |
//! | variables too large | they are read again for each field | [`ApiLimits`] |
//! | query too long, too many tokens, too deep | the parser has no limits | [`scan`] |
//! | fragments that spread fragments | validation expands all of them | [`check_document`] |
//! | several root fields in a subscription | each would be a stream of its own | [`check_document`] |
//! | too deep, too complex | execution would take too long | the schema |
//! | a mutation by a reader | the token does not permit it | [`Role`] |
//! | introspection, if disabled | the operator switched it off | [`ApiLimits`] |
//! | too slow | other requests need capacity | [`ApiLimits`] |
//!
//! An admitted query is parsed once: the document is passed on with the request. Responses are put into the order of
//! the query's fields.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_graphql::async_trait::async_trait;
use async_graphql::futures_util::stream::{self, BoxStream, StreamExt};
use async_graphql::parser::types::OperationType;
use async_graphql::{Data, Executor, Request, Response, ServerError, Value, Variables};
use metrics::counter;
use tokio::time::timeout;
use tracing::Instrument;

use crate::api::admission::document_limits::check_document;
use crate::api::admission::fold_budget::{FoldBudget, ServiceFoldBudget};
use crate::api::admission::persisted::{AllowList, PersistedQueries, PersistedQueryError};
use crate::api::admission::rate::{RateLimitKey, RateLimiter};
use crate::api::admission::token_limits::scan;
use crate::api::admission::tokens::Holder;
use crate::api::error::{ERASED, limit_error};
use crate::api::execution::document_cache::{DocumentCache, ParsedDocument};
use crate::api::execution::field_hints::add_connection_hints;
use crate::api::execution::response_order::{FieldTypes, Operation};
use crate::api::json::direct_json::DirectJsonEnabled;
use crate::api::loading::folded_debates::FoldedDebates;
use crate::api::pinned_generation::PinnedGeneration;
use crate::api::role::Role;
use crate::api::telemetry::instrumentation::{executed_in, executing};
use crate::api::telemetry::request_id::RequestId;
use crate::limits::ApiLimits;
use faultline_service::audit::Actor;

/// Error code for an operation that the caller's role does not permit.
pub const FORBIDDEN: &str = "FORBIDDEN";
/// Name of the request extension that asks for the cost of a query, and of the response extension that contains it.
pub const COST: &str = "cost";
/// Name of the error extension with the seconds after which to retry.
pub const RETRY_AFTER: &str = "retryAfter";

/// A schema behind admission control.
#[derive(Clone)]
pub struct AdmissionExecutor<E> {
    api: E,
    /// Executor that also measures costs. It is slower, since its extension runs for every field.
    costing: Option<E>,
    holder: Holder,
    address: Option<IpAddr>,
    rules: Arc<Rules>,
    limit: Duration,
}

/// State shared by all requests of a service.
struct Rules {
    limits: Arc<ApiLimits>,
    field_types: Arc<FieldTypes>,
    documents: DocumentCache,
    rates: RateLimiter,
    persisted: PersistedQueries,
    folding: ServiceFoldBudget,
}

impl<E: Executor> AdmissionExecutor<E> {
    /// Wraps a schema with these field types. The result permits everything within the default limits until a holder or
    /// role is set.
    pub fn new(api: E, field_types: Arc<FieldTypes>) -> AdmissionExecutor<E> {
        AdmissionExecutor::within(Arc::default(), api, field_types, None)
    }

    /// Wraps a schema with these limits. If `allowed` is given, only its operations are admitted.
    pub fn within(
        limits: Arc<ApiLimits>,
        api: E,
        field_types: Arc<FieldTypes>,
        allowed: Option<AllowList>,
    ) -> AdmissionExecutor<E> {
        let limit = Duration::from_secs(limits.seconds as u64);
        let (rates, persisted) = (RateLimiter::new(&limits), PersistedQueries::new(allowed, &limits));
        let documents = DocumentCache::default();
        let folding = ServiceFoldBudget::new(limits.folding_events);
        let rules = Rules { limits, field_types, documents, rates, persisted, folding };
        AdmissionExecutor {
            api,
            costing: None,
            holder: Role::Admin.into(),
            address: None,
            rules: Arc::new(rules),
            limit,
        }
    }

    /// Sets the schema that measures costs; it has the library's `Analyzer` extension.
    pub fn with_costing(self, costing: E) -> AdmissionExecutor<E> {
        AdmissionExecutor { costing: Some(costing), ..self }
    }

    /// Returns an executor for the holder of this token.
    pub fn for_holder(self, holder: Holder) -> AdmissionExecutor<E> {
        AdmissionExecutor { holder, ..self }
    }

    /// Returns an executor for a caller with this role.
    pub fn for_role(self, role: Role) -> AdmissionExecutor<E> {
        self.for_holder(role.into())
    }

    /// Returns an executor for a caller at this address.
    pub fn for_address(self, address: Option<IpAddr>) -> AdmissionExecutor<E> {
        AdmissionExecutor { address, ..self }
    }

    /// Returns true if the caller presented an admin token. Without tokens every caller may do everything, but features
    /// that are switched off stay off.
    fn is_admin(&self) -> bool {
        self.holder.role == Role::Admin && self.holder.token.is_some()
    }

    /// Returns the name under which changes are recorded.
    fn actor(&self) -> Actor {
        self.holder.token.as_ref().map_or_else(Actor::unnamed, |credential| Actor::token(&credential.name))
    }

    /// Checks whether the caller may change debates in a request that is no operation, and returns the name under which
    /// changes are recorded. With an allow-list, only admins may: such a request is on no list.
    ///
    /// # Errors
    /// `FORBIDDEN` for a reader, and the code of an operation that is not allowed.
    pub fn may_change(&self) -> Result<Actor, ServerError> {
        if self.holder.role < Role::Writer {
            return Err(refused("this token may only read; starting a debate requires the role writer", FORBIDDEN));
        }
        if self.rules.persisted.is_restricted() && !self.is_admin() {
            let error = PersistedQueryError::NotAllowed;
            return Err(refused(&error.to_string(), error.code()));
        }
        Ok(self.actor())
    }

    /// Creates the fold budget of a new request.
    pub fn fold_budget(&self) -> FoldBudget {
        FoldBudget::new(&self.rules.limits, self.rules.folding.clone())
    }

    /// Returns the limits.
    pub fn limits(&self) -> &Arc<ApiLimits> {
        &self.rules.limits
    }

    /// Returns the field types of the schema.
    pub fn field_types(&self) -> &FieldTypes {
        &self.rules.field_types
    }

    /// Takes one operation from the caller's rate limit buckets. [`AdmissionExecutor::admit`] calls this; use it directly only
    /// for requests that do not pass through it.
    ///
    /// # Errors
    /// `LIMIT`, with the seconds to wait in `retryAfter`.
    pub fn charge(&self) -> Result<(), ServerError> {
        let payers = [
            self.holder.token.as_ref().map(|token| RateLimitKey::Token(token.id)),
            self.address.map(RateLimitKey::of_address),
        ];
        let payers: Vec<RateLimitKey> = payers.into_iter().flatten().collect();
        self.rules.rates.take(&payers, Instant::now()).map_err(|exceeded| {
            counter!("faultline_graphql_throttled_total").increment(1);
            let seconds = exceeded.wait.as_secs_f64().ceil().max(1.0) as u64;
            let reason = format!("too many operations per second; retry in {seconds} s");
            let mut error = over_limit(&reason, exceeded.limit, exceeded.rate, None);
            error.extensions.get_or_insert_default().set(RETRY_AFTER, seconds);
            error
        })
    }

    /// Admits a request: resolves its text, parses it and checks the limits and the role.
    ///
    /// # Errors
    /// `LIMIT` if a limit is exceeded, `INVALID` if the query is malformed, `FORBIDDEN` if the role does not permit it,
    /// and the codes of [`PersistedQueries::resolve`].
    pub fn admit(&self, request: &mut Request) -> Result<Operation, ServerError> {
        self.charge()?;
        let Rules { limits, persisted, .. } = &*self.rules;
        let (actual, limit) = (n_bytes(&request.variables), limits.variable_bytes);
        if actual > limit {
            return Err(over_limit(
                &format!("the variables are larger than {limit} bytes"),
                "variable_bytes",
                limit,
                Some(actual),
            ));
        }
        let role = self.holder.role;
        let named =
            persisted.resolve(request, self.is_admin()).map_err(|error| refused(&error.to_string(), error.code()))?;
        let operation = Operation::of(self.read(request)?, request.operation_name.clone());
        if operation.is(OperationType::Mutation) && role < Role::Writer {
            return Err(refused("this token may only read; mutations require the role writer", FORBIDDEN));
        }
        if limits.introspection == 0 && !self.is_admin() && operation.asks_for_schema() {
            return Err(refused("introspection is disabled on this service; see schema.graphql", FORBIDDEN));
        }
        if let Some(name) = named {
            persisted.remember(name, &request.query);
        }
        Ok(operation)
    }

    /// Returns the parsed document of a request, from the cache or parsed now within the limits.
    fn read(&self, request: &mut Request) -> Result<Arc<ParsedDocument>, ServerError> {
        let Rules { limits, documents, .. } = &*self.rules;
        if let Some(known) = documents.find(&request.query) {
            request.set_parsed_query(known.tree.clone());
            return Ok(known);
        }
        scan(&request.query, limits).map_err(|error| {
            let (name, value) = error.limit();
            let actual = (name == "query_bytes").then_some(request.query.len());
            over_limit(&error.to_string(), name, value, actual)
        })?;
        let document = request.parsed_query()?;
        check_document(document, limits).map_err(|error| match error.limit() {
            Some((name, value)) => over_limit(&error.to_string(), name, value, None),
            None => refused(&error.to_string(), "INVALID"),
        })?;
        let document = Arc::new(ParsedDocument::from(document.clone()));
        documents.keep(&request.query, &document);
        Ok(document)
    }

    /// Executes an admitted query or mutation.
    pub async fn run(&self, request: Request, operation: &Operation) -> Response {
        let kind = if operation.is(OperationType::Mutation) { "mutation" } else { "query" };
        let (began, name) = (Instant::now(), operation.field());
        // Costs are counted in the response tree, so the query must not be written as JSON directly.
        let (api, request) = match self.costing.as_ref().filter(|_| wants_cost(&request)) {
            Some(costing) => (costing, request),
            None if operation.is_unmerged() => (&self.api, request.data(DirectJsonEnabled)),
            None => (&self.api, request),
        };
        let folds = self.fold_budget();
        let request = request.data(self.holder.role).data(self.actor());
        let request = request.data(PinnedGeneration::default()).data(folds).data(FoldedDebates::default());
        let variables = request.variables.clone();
        let executed = api.execute(request).instrument(executing(kind, &name));
        let mut response = match timeout(self.limit, executed).await {
            Ok(response) => normalize_errors(self.costed(self.rules.field_types.reorder(operation, response))),
            Err(_) => {
                let limit = self.rules.limits.seconds;
                let reason = format!("the request took longer than {limit} s and was cancelled");
                normalize_errors(Response::from_errors(vec![over_limit(&reason, "seconds", limit, None)]))
            }
        };
        if exceeds_cost(&response) {
            response = self.refused_with_cost(response, operation, variables).await;
        }
        self.rules.add_hints(&mut response, operation);
        executed_in(kind, &name, began.elapsed(), is_unexecuted(&response));
        count(kind, &response);
        response
    }

    /// Executes an admitted subscription.
    pub fn execute_subscription(
        &self,
        request: Request,
        operation: Arc<Operation>,
        data: Option<Arc<Data>>,
    ) -> BoxStream<'static, Response> {
        let (own, variables) = (self.clone(), request.variables.clone());
        let responses = self.api.execute_stream(request.data(self.holder.role).data(self.actor()), data);
        let response = move |it| {
            let (own, operation, variables) = (own.clone(), Arc::clone(&operation), variables.clone());
            async move {
                let mut response = normalize_errors(own.rules.field_types.reorder(&operation, it));
                if exceeds_cost(&response) {
                    response = own.refused_with_cost(response, &operation, variables).await;
                }
                own.rules.add_hints(&mut response, &operation);
                count("subscription", &response);
                response
            }
        };
        responses.then(response).boxed()
    }

    /// Returns the response to a query that the library refused as too complex or too deep, with the measured value:
    /// the costing schema refuses the query too, before it executes anything.
    async fn refused_with_cost(&self, response: Response, operation: &Operation, variables: Variables) -> Response {
        match &self.costing {
            Some(costing) => normalize_errors(costing.execute(operation.request(variables)).await),
            None => response,
        }
    }

    /// Replaces the library's analysis in the response by the `cost` extension.
    fn costed(&self, mut response: Response) -> Response {
        let Some(Value::Object(found)) = response.extensions.remove("analyzer") else { return response };
        let ApiLimits { cost, depth, .. } = &*self.rules.limits;
        let taken = |name: &str| found.get(name).cloned().unwrap_or_default();
        let report = async_graphql::value!({
            "requested": taken("complexity"), "limit": cost, "depth": taken("depth"), "depthLimit": depth,
            "fields": n_fields(&response.data),
        });
        response.extension(COST, report)
    }
}

#[async_trait]
impl<E: Executor> Executor for AdmissionExecutor<E> {
    async fn execute(&self, mut request: Request) -> Response {
        match self.admit(&mut request) {
            Ok(operation) => self.run(request, &operation).await,
            Err(error) => refusal_response(error),
        }
    }

    /// Returns one response for a query or mutation, and a stream of them for a subscription.
    fn execute_stream(&self, mut request: Request, data: Option<Arc<Data>>) -> BoxStream<'static, Response> {
        let own = self.clone();
        match self.admit(&mut request) {
            Ok(operation) if operation.is(OperationType::Subscription) => {
                self.execute_subscription(request, Arc::new(operation), data)
            }
            Ok(operation) => stream::once(async move { own.run(request, &operation).await }).boxed(),
            Err(error) => stream::once(async move { refusal_response(error) }).boxed(),
        }
    }
}

impl Rules {
    /// Adds hints to errors about unknown fields, unless introspection is disabled.
    fn add_hints(&self, response: &mut Response, operation: &Operation) {
        if self.limits.introspection != 0 {
            add_connection_hints(&mut response.errors, operation.document(), &self.field_types);
        }
    }
}

/// Returns true if the library refused the request because of its cost or depth.
fn exceeds_cost(response: &Response) -> bool {
    let is_limit = |error: &ServerError| LIMITS.iter().any(|(_, message)| error.message.starts_with(message));
    is_unexecuted(response) && response.errors.iter().any(is_limit)
}

/// Returns true if the request was refused before any of it was executed.
pub fn is_unexecuted(response: &Response) -> bool {
    response.data == Value::Null && response.errors.iter().all(|error| error.path.is_empty()) && response.is_err()
}

/// Builds the response to a request that was not admitted.
pub fn refusal_response(error: ServerError) -> Response {
    counter!("faultline_graphql_refused_total").increment(1);
    normalize_errors(Response::from_errors(vec![error]))
}

/// Returns an error with a code and the extensions common to all errors.
pub fn refused(reason: &str, code: &'static str) -> ServerError {
    let mut error = ServerError::new(reason, None);
    error.extensions.get_or_insert_default().set("code", code);
    marked(&mut error);
    error
}

/// Returns a `LIMIT` error with the name and the value of the limit, and the actual amount if it was counted.
pub fn over_limit(reason: &str, limit: &'static str, max: usize, actual: Option<usize>) -> ServerError {
    let mut error = limit_error(reason, limit, max, actual);
    marked(&mut error);
    error
}

/// Adds the extensions common to all errors: the request id, and the classification if the error is a refusal.
fn marked(error: &mut ServerError) {
    let extensions = error.extensions.get_or_insert_default();
    if let Some(id) = RequestId::current() {
        extensions.set("requestId", id.as_str());
    }
    if matches!(extensions.get("code"), Some(Value::String(it)) if REFUSALS.contains(&it.as_str())) {
        extensions.set(CLASSIFICATION, BAD_REQUEST);
    }
}

/// Error codes of refusals: errors that the caller can avoid by changing the request or repeating it later.
const REFUSALS: &[&str] = &["INVALID", "NOT_FOUND", "CONFLICT", "LIMIT", "FUTURE_CURSOR", ERASED];
/// Error extension by which tools that do not know these codes distinguish a refusal from a fault, as in graphql-java.
/// Internal faults have no classification.
const CLASSIFICATION: &str = "classification";
const BAD_REQUEST: &str = "BAD_REQUEST";

fn count(kind: &'static str, response: &Response) {
    let outcome = if response.is_ok() { "ok" } else { "error" };
    counter!("faultline_graphql_requests_total", "kind" => kind, "outcome" => outcome).increment(1);
}

/// Returns true if the request asks for its cost.
pub fn wants_cost(request: &Request) -> bool {
    matches!(request.extensions.get(COST), Some(Value::Boolean(true)))
}

/// Counts the fields of a response; fields of list items count once per item.
fn n_fields(data: &Value) -> usize {
    match data {
        Value::Object(fields) => fields.values().map(|value| 1 + n_fields(value)).sum(),
        Value::List(items) => items.iter().map(n_fields).sum(),
        _ => 0,
    }
}

/// Returns the length of the variables as JSON, in bytes.
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
        // Writing to the counter cannot fail.
        let _written = serde_json::to_writer(&mut counted, variables);
    }
    counted.0
}

/// Rewrites the library's errors: each gets a code, and none contains the query text.
fn normalize_errors(mut response: Response) -> Response {
    for error in &mut response.errors {
        if error.message.trim_start().starts_with("-->") {
            let reason = error.message.rsplit("= ").next().unwrap_or_default().trim();
            error.message = format!("the query cannot be parsed: {reason}");
        }
        let extensions = error.extensions.get_or_insert_default();
        if extensions.get("code").is_none() {
            let limit = LIMITS.iter().chain(OTHER_LIMITS).find(|(_, message)| error.message.starts_with(message));
            extensions.set("code", if limit.is_some() { "LIMIT" } else { "INVALID" });
            if let Some((name, _)) = limit {
                extensions.set("limit", *name);
                let max = error.message.trim_end_matches(['`', '.']).rsplit('`').next();
                if let Some(max) = max.and_then(|text| text.parse::<usize>().ok()) {
                    extensions.set("max", max);
                }
            }
        }
        marked(error);
    }
    response
}

/// Limits on cost and depth, with the prefixes of the library's errors.
const LIMITS: &[(&str, &str)] = &[("cost", "Query is too complex"), ("depth", "Query is nested too deep")];
/// Other limits of the library, with the prefixes of its errors.
const OTHER_LIMITS: &[(&str, &str)] =
    &[("recursion", "The recursion depth"), ("directives_per_field", "The number of directives")];

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
        let field_types = Arc::new(FieldTypes::new(&api.sdl()));
        let api = AdmissionExecutor { limit: Duration::from_millis(50), ..AdmissionExecutor::new(api, field_types) };
        let answered = api.execute(Request::new(query)).await;
        let streamed = api.execute_stream(Request::new(query), None).next().await.expect("a response");
        let [answered, streamed] = [answered, streamed].map(|response| serde_json::to_string(&response).expect("JSON"));
        assert_eq!(answered, streamed, "`execute` and `execute_stream` agree");
        answered
    }

    #[tokio::test]
    async fn every_refusal_has_a_code_and_a_reason() {
        let cases = [
            ("{ one }", r#"{"data":{"one":1}}"#),
            ("{ slow }", r#""code":"LIMIT""#),
            ("{ slow }", "30 s"),
            ("{ two }", r#""code":"INVALID""#),
            ("{ one(", r#""message":"the query cannot be parsed: expected"#),
            ("{ one(", r#""code":"INVALID""#),
            ("{ one @skip(if: [[[[[[[[[[", "cannot be parsed"),
            ("", "cannot be parsed"),
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

//! Routes queries to the read replica if it is recent enough for the caller, and to the primary otherwise. Mutations
//! and subscriptions always go to the primary.
//!
//! A query that fails on the replica is executed again on the primary as a whole, which is safe because queries have no
//! effects. A mutation is answered only when the log position that a replica must have replayed to show it is known.

use std::sync::Arc;
use std::time::Duration;

use async_graphql::async_trait::async_trait;
use async_graphql::futures_util::stream::{self, BoxStream, StreamExt};
use async_graphql::parser::types::OperationType;
use async_graphql::{Data, Executor, Name, Request, Response, ServerError, Value};
use tokio::time::timeout;

use crate::api::error::UNAVAILABLE;
use crate::api::execution::session_consistency::seen;
use faultline_service::read_routing::{ReadRouter, ReadServices};

/// Timeout of a query on the replica, after which the primary is used. It is less than the timeout of a request.
pub const REPLICA_TIMEOUT: Duration = Duration::from_secs(10);

/// Executor that chooses the database to read from.
#[derive(Clone)]
pub struct ReplicaExecutor<E> {
    api: E,
    /// In an `Arc` because the executor is cloned for every request and subscription.
    reads: Arc<ReadRouter>,
}

impl<E: Executor> ReplicaExecutor<E> {
    /// Creates an executor over a schema whose own data belong to the primary.
    pub fn new(api: E, reads: ReadRouter) -> ReplicaExecutor<E> {
        ReplicaExecutor { api, reads: Arc::new(reads) }
    }

    /// Returns the read router.
    pub fn reads(&self) -> &ReadRouter {
        &self.reads
    }

    async fn query(&self, mut request: Request) -> Response {
        let Some(readers) = self.reads.replica(seen()).await else {
            let response = self.api.execute(request).await;
            self.reads.note_primary_read().await;
            return response;
        };
        let data = Arc::new(std::mem::take(&mut request.data));
        let again = copy(&request);
        let response = self.ask(over(request, readers), &data);
        match timeout(REPLICA_TIMEOUT, response).await {
            Ok(response) if !is_faulty(&response) => response,
            _ => {
                tracing::warn!("the replica failed a query; retrying on the primary");
                self.reads.failed();
                let response = self.ask(again, &data).await;
                self.reads.note_primary_read().await;
                response
            }
        }
    }

    /// Executes a request with shared data, so that it can be executed again.
    async fn ask(&self, request: Request, data: &Arc<Data>) -> Response {
        let mut responses = self.api.execute_stream(request, Some(Arc::clone(data)));
        responses.next().await.unwrap_or_default()
    }
}

#[async_trait]
impl<E: Executor> Executor for ReplicaExecutor<E> {
    async fn execute(&self, mut request: Request) -> Response {
        if !self.reads.has_replica() {
            return self.api.execute(request).await;
        }
        match kind(&mut request) {
            Some(OperationType::Query) => self.query(request).await,
            Some(OperationType::Mutation) => {
                let response = self.api.execute(request).await;
                // After a failure the client does not know of the change, so it need not be able to read it.
                if is_faulty(&response) {
                    self.reads.note_primary_read().await
                } else {
                    self.reads.note_write().await
                }
                response
            }
            _ => self.api.execute(request).await,
        }
    }

    fn execute_stream(&self, mut request: Request, data: Option<Arc<Data>>) -> BoxStream<'static, Response> {
        if self.reads.has_replica() && kind(&mut request) != Some(OperationType::Subscription) {
            let own = self.clone();
            return stream::once(async move { own.execute(request).await }).boxed();
        }
        self.api.execute_stream(request, data)
    }
}

/// Returns the type of the selected operation; `None` if it is ambiguous or malformed, which the schema then refuses.
fn kind(request: &mut Request) -> Option<OperationType> {
    let name = request.operation_name.clone();
    let document = request.parsed_query().ok()?;
    let is_meant = |own: Option<&Name>| name.is_none() || own.map(Name::as_str) == name.as_deref();
    let mut meant = document.operations.iter().filter(|(own, _)| is_meant(*own));
    match (meant.next(), meant.next()) {
        (Some((_, it)), None) => Some(it.node.ty),
        _ => None,
    }
}

/// Copies a request without its data, which cannot be cloned.
fn copy(request: &Request) -> Request {
    let mut copy = Request::new(request.query.clone()).variables(request.variables.clone());
    copy.operation_name.clone_from(&request.operation_name);
    copy.extensions = request.extensions.clone();
    copy.introspection_mode = request.introspection_mode;
    copy
}

/// Adds the replica's services to the request; they take precedence over those of the schema.
fn over(request: Request, readers: &ReadServices) -> Request {
    let ReadServices { service, views, search } = readers.clone();
    request.data(service).data(views).data(search)
}

/// Returns true if the response contains an internal fault, as opposed to an error of the client.
fn is_faulty(response: &Response) -> bool {
    let faults = [Value::from("INTERNAL"), Value::from(UNAVAILABLE)];
    let code = |error: &ServerError| error.extensions.as_ref().and_then(|extensions| extensions.get("code")).cloned();
    response.errors.iter().filter_map(code).any(|code| faults.contains(&code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operation_type_is_that_of_the_selected_operation() {
        const BOTH: &str = "query A { one } mutation B { two }";
        for (query, name, expected) in [
            ("{ one }", None, Some(OperationType::Query)),
            ("mutation { two }", None, Some(OperationType::Mutation)),
            ("subscription S { three }", None, Some(OperationType::Subscription)),
            (BOTH, Some("A"), Some(OperationType::Query)),
            (BOTH, Some("B"), Some(OperationType::Mutation)),
            (BOTH, Some("C"), None),
            (BOTH, None, None),
            ("{ one", None, None),
        ] {
            let mut request = Request::new(query);
            request.operation_name = name.map(str::to_owned);
            assert_eq!(kind(&mut request), expected, "{query} {name:?}");
        }
    }
}

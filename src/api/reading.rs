//! Puts queries to the replica where that is new enough, and to the primary otherwise; changes and subscriptions always to
//! the primary.
//!
//! A query that the replica fails is put to the primary as a whole: a query changes nothing, so it may be asked twice. A
//! change is answered once it is known what a replica has to have replayed to show it.

use std::sync::Arc;
use std::time::Duration;

use async_graphql::futures_util::stream::{self, BoxStream, StreamExt};
use async_graphql::parser::types::OperationType;
use async_graphql::{Data, Executor, Name, Request, Response, ServerError, Value};
use tokio::time::timeout;

use crate::api::error::UNAVAILABLE;
use crate::api::seen::seen;
use crate::desk::reads::{Readers, Reads};

/// How long the replica may take for an answer; then the primary is asked. Less than a request may take in all.
pub const REPLICA_PATIENCE: Duration = Duration::from_secs(10);

/// A schema that is read where it is best read.
#[derive(Clone)]
pub struct Reading<E> {
    api: E,
    /// Shared: a schema goes along with every request and every subscription.
    reads: Arc<Reads>,
}

impl<E: Executor> Reading<E> {
    /// Over a schema whose own data are the primary's.
    pub fn new(api: E, reads: Reads) -> Reading<E> {
        Reading { api, reads: Arc::new(reads) }
    }

    /// Where it is read.
    pub fn reads(&self) -> &Reads {
        &self.reads
    }

    async fn query(&self, mut request: Request) -> Response {
        let Some(readers) = self.reads.replica(seen()).await else {
            let response = self.api.execute(request).await;
            self.reads.showed().await;
            return response;
        };
        let data = Arc::new(std::mem::take(&mut request.data));
        let again = copy(&request);
        let asked = self.ask(over(request, readers), &data);
        match timeout(REPLICA_PATIENCE, asked).await {
            Ok(response) if !is_faulty(&response) => response,
            _ => {
                tracing::warn!("the replica failed a query; the primary is asked");
                self.reads.failed();
                let response = self.ask(again, &data).await;
                self.reads.showed().await;
                response
            }
        }
    }

    /// Executes a request whose data are kept, so that it can be done again.
    async fn ask(&self, request: Request, data: &Arc<Data>) -> Response {
        let mut responses = self.api.execute_stream(request, Some(Arc::clone(data)));
        responses.next().await.unwrap_or_default()
    }
}

impl<E: Executor> Executor for Reading<E> {
    async fn execute(&self, mut request: Request) -> Response {
        if !self.reads.has_replica() {
            return self.api.execute(request).await;
        }
        match kind(&mut request) {
            Some(OperationType::Query) => self.query(request).await,
            Some(OperationType::Mutation) => {
                let response = self.api.execute(request).await;
                // What a client was not told to be done, it need not see.
                if is_faulty(&response) {
                    self.reads.showed().await
                } else {
                    self.reads.wrote().await
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

/// What is asked for; `None` where that cannot be told, which the schema refuses.
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

/// The request without its data, which can be had once only.
fn copy(request: &Request) -> Request {
    let mut copy = Request::new(request.query.clone()).variables(request.variables.clone());
    copy.operation_name.clone_from(&request.operation_name);
    copy.extensions = request.extensions.clone();
    copy.introspection_mode = request.introspection_mode;
    copy
}

/// What a request carries goes before what the schema has.
fn over(request: Request, readers: &Readers) -> Request {
    let Readers { desk, views, inquiry } = readers.clone();
    request.data(desk).data(views).data(inquiry)
}

/// Whether something of ours failed: not what the client asked for.
fn is_faulty(response: &Response) -> bool {
    let faults = [Value::from("INTERNAL"), Value::from(UNAVAILABLE)];
    let code = |error: &ServerError| error.extensions.as_ref().and_then(|it| it.get("code")).cloned();
    response.errors.iter().filter_map(code).any(|code| faults.contains(&code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_told_by_the_operation_that_is_meant() {
        const BOTH: &str = "query A { one } mutation B { two }";
        for (query, name, wanted) in [
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
            assert_eq!(kind(&mut request), wanted, "{query} {name:?}");
        }
    }
}

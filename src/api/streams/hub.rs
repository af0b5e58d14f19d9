//! Shared execution of subscriptions: identical subscriptions are executed once for all subscribers.
//!
//! | shared | starts | a subscriber too slow for the ring buffer |
//! |---|---|---|
//! | every item: `debateEvents`, `log` | after any position; older items are read separately | reads them separately |
//! | latest item: `debateView`, `projectionProgress` | with the latest item | continues with the latest item |
//! | live: `cruxFound` | with the next item | gets `LAGGED`, and its stream ends |
//!
//! Requests that cannot be shared, such as queries, are executed individually.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_graphql::futures_util::stream::{self, BoxStream, StreamExt};
use async_graphql::parser::types::OperationType;
use async_graphql::{Executor, Request, Response, Variables};
use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};

use crate::api::admission::tokens::Holder;
use crate::api::execution::admission::{AdmissionExecutor, refusal_response};
use crate::api::execution::response_order::Operation;
use crate::api::role::Role;
use crate::api::streams::position::Position;
use crate::api::streams::rendered::RenderedResponse;
use crate::api::streams::resume_point::ResumePoint;
use crate::api::streams::subscription_key::{SharedSubscription, Sharing, SubscriptionKey};
use crate::api::telemetry::request_id::RequestId;
use crate::limits::ApiLimits;
use faultline_service::catch_up::{CatchUpStream, Source, Until};
use faultline_service::compute::ComputeShare;
use faultline_service::read_ahead::{ConnectionReads, read_ahead};
use faultline_service::shared_stream::{Item, ItemStream, Received, SharedStreams, Subscriber};

/// One in this many responses has its delay measured.
const TIMED: u64 = 32;

/// Caller of a request.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Token holder, with the permissions.
    pub holder: Holder,
    /// Address of the client.
    pub address: Option<IpAddr>,
}

/// Request that passed admission control.
pub struct Admitted<E> {
    api: AdmissionExecutor<E>,
    role: Role,
    request: Request,
    operation: Operation,
}

impl<E> Admitted<E> {
    /// Returns true for a mutation.
    pub fn is_mutation(&self) -> bool {
        self.operation.is(OperationType::Mutation)
    }
}

/// Running operation.
pub struct RunningOperation {
    /// Stream of responses.
    pub stream: BoxStream<'static, RenderedResponse>,
    /// True for a query or mutation, which has exactly one response.
    pub once: bool,
}

/// Executes subscriptions, each distinct one once for all its subscribers.
pub struct Hub<E> {
    api: AdmissionExecutor<E>,
    shared: Arc<SharedStreams<SubscriptionKey, Position, RenderedResponse>>,
}

impl<E: Clone> Clone for Hub<E> {
    fn clone(&self) -> Hub<E> {
        Hub { api: self.api.clone(), shared: Arc::clone(&self.shared) }
    }
}

impl<E: Executor> Hub<E> {
    /// Creates a hub that executes through `api`.
    pub fn new(api: AdmissionExecutor<E>) -> Hub<E> {
        Hub { api, shared: Arc::default() }
    }

    /// Returns the limits on requests.
    pub fn limits(&self) -> &ApiLimits {
        self.api.limits()
    }

    /// Admits a request of a caller.
    ///
    /// # Errors
    /// An [`RunningOperation`] stream that contains the refusal.
    pub fn admit(&self, caller: Caller, mut request: Request) -> Result<Admitted<E>, RunningOperation> {
        let role = caller.holder.role;
        let api = self.api.clone().for_holder(caller.holder).for_address(caller.address);
        match api.admit(&mut request) {
            Ok(operation) => Ok(Admitted { api, role, request, operation }),
            Err(error) => {
                let refusal = RenderedResponse::new(Position::Nowhere, &refusal_response(error));
                Err(RunningOperation { stream: stream::iter([refusal]).boxed(), once: true })
            }
        }
    }

    /// Executes an admitted request. `last` is the position that a reconnecting client has received; `reads` are the
    /// reads of its connection. Items that are read for this client alone are read in a task that does not wait for its
    /// socket.
    pub fn open(&self, admitted: Admitted<E>, last: Option<&str>, reads: &ConnectionReads) -> RunningOperation {
        let Admitted { api, role, mut request, operation } = admitted;
        if !operation.is(OperationType::Subscription) {
            let answer = async move { RenderedResponse::new(Position::Nowhere, &api.run(request, &operation).await) };
            return RunningOperation { stream: detached(stream::once(answer).boxed(), reads), once: true };
        }
        let subscription = match SharedSubscription::read(&mut request, role, last) {
            Ok(Some(subscription)) => subscription,
            Ok(None) => {
                let stream = api
                    .execute_subscription(request, Arc::new(operation), None)
                    .map(|response| RenderedResponse::new(Position::Nowhere, &response))
                    .boxed();
                return RunningOperation { stream: detached(stream, &ConnectionReads::default()), once: false };
            }
            Err(reason) => {
                let refusal = RenderedResponse::error(Position::Nowhere, &reason, "INVALID");
                return RunningOperation { stream: stream::iter([refusal]).boxed(), once: false };
            }
        };
        let SharedSubscription { key, field, sharing, after } = subscription;
        let variables = std::mem::take(&mut request.variables);
        let source = Arc::new(SubscriptionSource { api, key: key.clone(), variables, sharing });
        let stream = match sharing {
            Sharing::Every => {
                let following = CatchUpStream::new(&self.shared, key, source, after).within(reads.clone());
                following.items().map(|item| item.value).boxed()
            }
            Sharing::Newest | Sharing::Live => {
                let reader = self.shared.open_at(&key, Position::Nowhere, move || source.live(Position::Nowhere));
                match sharing {
                    Sharing::Newest => {
                        let next = |mut subscriber: Subscriber<Position, RenderedResponse>| async move {
                            subscriber.newest().await.map(|item| (item.value, subscriber))
                        };
                        stream::unfold(reader.subscribe_newest(), next).boxed()
                    }
                    _ => stream::unfold(Some(reader.subscribe_live()), |subscriber| async move {
                        let mut subscriber = subscriber?;
                        match subscriber.next().await {
                            Received::Item(item) => Some((item.value, Some(subscriber))),
                            Received::Over => None,
                            Received::Lost => Some((lagged(), None)),
                        }
                    })
                    .boxed(),
                }
            }
        };
        let mut counted = Counted::new(field);
        RunningOperation { stream: stream.inspect(move |response| counted.count(response)).boxed(), once: false }
    }
}

/// Executes responses in a separate task, with the request id and compute share of the caller.
fn detached(
    responses: BoxStream<'static, RenderedResponse>,
    reads: &ConnectionReads,
) -> BoxStream<'static, RenderedResponse> {
    let (id, share) = (RequestId::current(), ComputeShare::current().unwrap_or_default());
    let scoped = stream::unfold(responses, move |mut responses| {
        let (id, share) = (id.clone(), share.clone());
        async move {
            let next = share.scope(responses.next());
            let next = match id {
                Some(id) => id.scope(next).await,
                None => next.await,
            };
            next.map(|response| (response, responses))
        }
    });
    read_ahead(scoped.boxed(), reads.clone(), |response| response.body.len())
}

fn lagged() -> RenderedResponse {
    let reason = "the client is too slow and missed items: query them, and subscribe again";
    RenderedResponse::error(Position::Nowhere, reason, "LAGGED")
}

/// Subscription that is executed once for all who share it. Every subscriber keeps a reference for reading older items
/// on its own, so it contains the query text, which is parsed on execution, and no syntax tree.
struct SubscriptionSource<E> {
    api: AdmissionExecutor<E>,
    key: SubscriptionKey,
    variables: Variables,
    sharing: Sharing,
}

impl<E: Executor> SubscriptionSource<E> {
    fn run(&self, after: Position, until: Option<Until<Position>>) -> ItemStream<Position, RenderedResponse> {
        let resume_point = ResumePoint::new(after.clone(), until);
        let mut request = Request::new(&self.key.query).variables(self.variables.clone()).data(resume_point.clone());
        request.operation_name.clone_from(&self.key.operation);
        let document = match request.parsed_query() {
            Ok(document) => document.clone(),
            Err(error) => {
                let value = RenderedResponse::new(after.clone(), &Response::from_errors(vec![error]));
                let bytes = value.body.len();
                return stream::iter([Item { position: after, bytes, last: true, value }]).boxed();
            }
        };
        let operation = Arc::new(Operation::new(document, self.key.operation.clone()));
        let mut position = after;
        let item = move |response| {
            if let Some(reported) = resume_point.take_reported() {
                position = reported;
            }
            let value = RenderedResponse::new(position.clone(), &response);
            Item {
                position: position.clone(),
                bytes: value.body.len() + size_of::<RenderedResponse>(),
                last: value.refused.is_some(),
                value,
            }
        };
        self.api.execute_subscription(request, operation, None).map(item).boxed()
    }
}

impl<E: Executor> Source<Position, RenderedResponse> for SubscriptionSource<E> {
    fn range(&self, after: Position, until: Until<Position>) -> ItemStream<Position, RenderedResponse> {
        self.run(after, Some(until))
    }

    fn live(&self, after: Position) -> ItemStream<Position, RenderedResponse> {
        let items = self.run(after, None);
        if self.sharing != Sharing::Newest {
            return items;
        }
        // A response that equals the previous one is not sent again.
        let mut previous = None::<Arc<str>>;
        items
            .filter(move |item| {
                let is_news = previous.as_ref() != Some(&item.value.body);
                previous = Some(Arc::clone(&item.value.body));
                std::future::ready(is_news)
            })
            .boxed()
    }
}

/// Metrics of one stream: counts its responses, and the open streams.
struct Counted {
    streams: Gauge,
    responses: Counter,
    delay: Histogram,
    n_responses: u64,
}

impl Counted {
    fn new(field: &'static str) -> Counted {
        let streams = gauge!("faultline_streams", "operation" => field);
        streams.increment(1);
        Counted {
            streams,
            responses: counter!("faultline_stream_events_total"),
            delay: histogram!("faultline_stream_delay_seconds", "operation" => field),
            n_responses: 0,
        }
    }

    fn count(&mut self, response: &RenderedResponse) {
        self.responses.increment(1);
        if self.n_responses.is_multiple_of(TIMED) {
            let delay: Duration = response.at.elapsed();
            self.delay.record(delay);
        }
        self.n_responses += 1;
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.streams.decrement(1);
    }
}

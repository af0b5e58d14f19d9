//! One execution for all who subscribe to the same.
//!
//! | shared | begins | who is too slow for the ring |
//! |---|---|---|
//! | every item: `debateEvents`, `log` | behind any place: the part before the ring is executed for the reader alone | has the missing part executed for him alone |
//! | the newest: `debateView`, `projectionProgress` | with the newest | goes on with the newest |
//! | live: `cruxFound` | with what comes next | is told `LAGGED`, and that is the end |
//!
//! What cannot be shared, such as queries, is executed as it comes.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_graphql::futures_util::stream::{self, BoxStream, StreamExt};
use async_graphql::parser::types::OperationType;
use async_graphql::{Executor, Request, Response, Variables};
use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};

use crate::api::guard::{Guarded, turned_away};
use crate::api::request_id::RequestId;
use crate::api::role::Role;
use crate::api::shape::Operation;
use crate::api::streams::place::Place;
use crate::api::streams::reach::Reach;
use crate::api::streams::told::Told;
use crate::api::streams::wanted::{Key, Sharing, Wanted};
use crate::api::tokens::Holder;
use crate::desk::compute::ComputeShare;
use crate::desk::follow::{Following, Source, Upto};
use crate::desk::read_ahead::{ConnectionReads, read_ahead};
use crate::desk::relay::{Item, Items, Relays, Taken, Tap};
use crate::limits::Limits;

/// Of so many responses one is timed.
const TIMED: u64 = 32;

/// Who asks.
#[derive(Clone, Debug)]
pub struct Visitor {
    /// What it may do.
    pub holder: Holder,
    /// From where it came.
    pub address: Option<IpAddr>,
}

/// A request that may be executed.
pub struct Admitted<E> {
    api: Guarded<E>,
    role: Role,
    request: Request,
    operation: Operation,
}

impl<E> Admitted<E> {
    /// Whether it changes something.
    pub fn changes(&self) -> bool {
        self.operation.is(OperationType::Mutation)
    }
}

/// What somebody asked for, under way.
pub struct Opened {
    /// Its responses.
    pub stream: BoxStream<'static, Told>,
    /// Whether there is one response and no more: a query or a mutation.
    pub once: bool,
}

/// Executes subscriptions, each once for all who ask the same.
pub struct Hub<E> {
    api: Guarded<E>,
    shared: Arc<Relays<Key, Place, Told>>,
}

impl<E: Clone> Clone for Hub<E> {
    fn clone(&self) -> Hub<E> {
        Hub { api: self.api.clone(), shared: Arc::clone(&self.shared) }
    }
}

impl<E: Executor> Hub<E> {
    /// Executes by this.
    pub fn new(api: Guarded<E>) -> Hub<E> {
        Hub { api, shared: Arc::default() }
    }

    /// The limits that are kept.
    pub fn limits(&self) -> &Limits {
        self.api.limits()
    }

    /// Lets a request of a visitor pass, or has the refusal told.
    ///
    /// # Errors
    /// What is told instead.
    pub fn admit(&self, visitor: Visitor, mut request: Request) -> Result<Admitted<E>, Opened> {
        let role = visitor.holder.role;
        let api = self.api.clone().for_holder(visitor.holder).for_address(visitor.address);
        match api.admit(&mut request) {
            Ok(operation) => Ok(Admitted { api, role, request, operation }),
            Err(error) => {
                let told = Told::new(Place::Nowhere, &turned_away(error));
                Err(Opened { stream: stream::iter([told]).boxed(), once: true })
            }
        }
    }

    /// Executes what was admitted. `last` is the place that a client had come to before it was cut off; `reads` are those of
    /// its connection. What has to be read for this client alone is read in a task that does not wait for its socket.
    pub fn open(&self, admitted: Admitted<E>, last: Option<&str>, reads: &ConnectionReads) -> Opened {
        let Admitted { api, role, mut request, operation } = admitted;
        if !operation.is(OperationType::Subscription) {
            let answer = async move { Told::new(Place::Nowhere, &api.run(request, &operation).await) };
            return Opened { stream: detached(stream::once(answer).boxed(), reads), once: true };
        }
        let wanted = match Wanted::read(&mut request, role, last) {
            Ok(Some(wanted)) => wanted,
            Ok(None) => {
                let stream =
                    api.follow(request, Arc::new(operation), None).map(|it| Told::new(Place::Nowhere, &it)).boxed();
                return Opened { stream: detached(stream, &ConnectionReads::default()), once: false };
            }
            Err(reason) => {
                let told = Told::error(Place::Nowhere, &reason, "INVALID");
                return Opened { stream: stream::iter([told]).boxed(), once: false };
            }
        };
        let Wanted { key, field, sharing, from } = wanted;
        let variables = std::mem::take(&mut request.variables);
        let shape = Arc::new(Shape { api, key: key.clone(), variables, sharing });
        let stream = match sharing {
            Sharing::Every => {
                let following = Following::new(&self.shared, key, shape, from).within(reads.clone());
                following.items().map(|it| it.value).boxed()
            }
            Sharing::Newest | Sharing::Live => {
                let source = Arc::clone(&shape);
                let reader = self.shared.open_at(&key, Place::Nowhere, move || source.live(Place::Nowhere));
                match sharing {
                    Sharing::Newest => {
                        let next =
                            |mut tap: Tap<Place, Told>| async move { tap.newest().await.map(|it| (it.value, tap)) };
                        stream::unfold(reader.tap_newest(), next).boxed()
                    }
                    _ => stream::unfold(Some(reader.tap_live()), |tap| async move {
                        let mut tap = tap?;
                        match tap.next().await {
                            Taken::Item(item) => Some((item.value, Some(tap))),
                            Taken::Over => None,
                            Taken::Lost => Some((lagged(), None)),
                        }
                    })
                    .boxed(),
                }
            }
        };
        let mut counted = Counted::new(field);
        Opened { stream: stream.inspect(move |it| counted.tell(it)).boxed(), once: false }
    }
}

/// Executes in a task of its own, under the name of this request.
fn detached(responses: BoxStream<'static, Told>, reads: &ConnectionReads) -> BoxStream<'static, Told> {
    let (id, share) = (RequestId::current(), ComputeShare::current().unwrap_or_default());
    let scoped = stream::unfold(responses, move |mut responses| {
        let (id, share) = (id.clone(), share.clone());
        async move {
            let next = share.scope(responses.next());
            let next = match id {
                Some(id) => id.scope(next).await,
                None => next.await,
            };
            next.map(|told| (told, responses))
        }
    });
    read_ahead(scoped.boxed(), reads.clone(), |told| told.body.len())
}

fn lagged() -> Told {
    let reason = "what was found meanwhile is not kept any more: ask for it, and subscribe again";
    Told::error(Place::Nowhere, reason, "LAGGED")
}

/// What is executed once for all who share it. Each of them keeps one as long as it follows, for what it may have to read
/// by itself: so it holds the text, which is parsed when it is executed, and no tree.
struct Shape<E> {
    api: Guarded<E>,
    key: Key,
    variables: Variables,
    sharing: Sharing,
}

impl<E: Executor> Shape<E> {
    fn run(&self, from: Place, upto: Option<Upto<Place>>) -> Items<Place, Told> {
        let reach = Reach::new(from.clone(), upto);
        let mut request = Request::new(&self.key.query).variables(self.variables.clone()).data(reach.clone());
        request.operation_name.clone_from(&self.key.operation);
        let document = match request.parsed_query() {
            Ok(document) => document.clone(),
            Err(error) => {
                let value = Told::new(from.clone(), &Response::from_errors(vec![error]));
                let bytes = value.body.len();
                return stream::iter([Item { place: from, bytes, last: true, value }]).boxed();
            }
        };
        let operation = Arc::new(Operation::new(document, self.key.operation.clone()));
        let mut at = from;
        let item = move |response| {
            if let Some(place) = reach.marked() {
                at = place;
            }
            let told = Told::new(at.clone(), &response);
            Item {
                place: at.clone(),
                bytes: told.body.len() + size_of::<Told>(),
                last: told.refused.is_some(),
                value: told,
            }
        };
        self.api.follow(request, operation, None).map(item).boxed()
    }
}

impl<E: Executor> Source<Place, Told> for Shape<E> {
    fn stretch(&self, from: Place, upto: Upto<Place>) -> Items<Place, Told> {
        self.run(from, Some(upto))
    }

    fn live(&self, from: Place) -> Items<Place, Told> {
        let items = self.run(from, None);
        if self.sharing != Sharing::Newest {
            return items;
        }
        // What looks as it did is no news.
        let mut before = None::<Arc<str>>;
        items
            .filter(move |it| {
                let is_news = before.as_ref() != Some(&it.value.body);
                before = Some(Arc::clone(&it.value.body));
                std::future::ready(is_news)
            })
            .boxed()
    }
}

/// Counts what one stream tells, and itself as long as it is there.
struct Counted {
    streams: Gauge,
    told: Counter,
    delay: Histogram,
    n_told: u64,
}

impl Counted {
    fn new(field: &'static str) -> Counted {
        let streams = gauge!("faultline_streams", "operation" => field);
        streams.increment(1);
        Counted {
            streams,
            told: counter!("faultline_stream_events_total"),
            delay: histogram!("faultline_stream_delay_seconds", "operation" => field),
            n_told: 0,
        }
    }

    fn tell(&mut self, told: &Told) {
        self.told.increment(1);
        if self.n_told.is_multiple_of(TIMED) {
            let delay: Duration = told.at.elapsed();
            self.delay.record(delay);
        }
        self.n_told += 1;
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.streams.decrement(1);
    }
}

//! Read routing: sends queries to the primary, or to a replica that is recent enough for the reader.
//!
//! A request is routed as a whole, so that its parts are consistent with each other. If the replica fails, the request
//! is repeated on the primary.

use metrics::counter;

use crate::cross_debate_search::CrossDebateSearch;
use crate::service::DebateService;
use faultline_store::replica::replica::Replica;
use faultline_store::replica::replica_state::ReplicaPosition;
use faultline_store::views::views::Views;

/// Query services over one server.
#[derive(Clone)]
pub struct ReadServices {
    /// Debates and their events.
    pub service: DebateService,
    /// Stored views, for lists.
    pub views: Views,
    /// Searches across debates.
    pub search: CrossDebateSearch,
}

/// Router between the primary and an optional replica.
#[derive(Clone)]
pub struct ReadRouter {
    primary: ReadServices,
    replica: Option<(Replica, ReadServices)>,
}

impl ReadRouter {
    /// Creates a router over the primary and an optional replica.
    pub fn new(primary: ReadServices, replica: Option<Replica>) -> ReadRouter {
        let over = |replica: Replica| {
            let ReadServices { service, search, .. } = &primary;
            let readers = ReadServices {
                service: service.reading_from_replica(replica.log()),
                views: replica.views(),
                search: search.reading(replica.views(), replica.library()),
            };
            (replica, readers)
        };
        let replica = replica.map(over);
        ReadRouter { primary, replica }
    }

    /// Returns the replica's services if there is a replica and it shows everything that this process wrote or knows
    /// of, and everything up to `seen`. Waits briefly for the replica to catch up.
    pub async fn replica(&self, seen: Option<ReplicaPosition>) -> Option<&ReadServices> {
        let (replica, readers) = self.replica.as_ref()?;
        let is_new_enough = replica.is_new_enough(seen.unwrap_or_default()).await;
        counter!("faultline_reads_total", "from" => if is_new_enough { "replica" } else { "primary" }).increment(1);
        is_new_enough.then_some(readers)
    }

    /// Returns services that show everything recorded up to now by any process.
    pub async fn now(&self) -> &ReadServices {
        self.note_write().await;
        self.replica(None).await.unwrap_or(&self.primary)
    }

    /// Position that later reads must reach to see what this process has shown so far; `None` without a replica.
    pub fn shown_position(&self) -> Option<ReplicaPosition> {
        self.replica.as_ref().map(|(replica, _)| replica.required_position())
    }

    /// Returns whether there is a replica.
    pub fn has_replica(&self) -> bool {
        self.replica.is_some()
    }

    /// Records that a client changed something, so that later reads must show it.
    pub async fn note_write(&self) {
        if let Some((replica, _)) = &self.replica {
            replica.record_write().await;
        }
    }

    /// Records that a client was shown data of the primary, so that later reads show no less.
    pub async fn note_primary_read(&self) {
        if let Some((replica, _)) = &self.replica {
            replica.record_primary_read().await;
        }
    }

    /// Records that a read from the replica failed.
    pub fn failed(&self) {
        if let Some((replica, _)) = &self.replica {
            counter!("faultline_reads_total", "from" => "failover").increment(1);
            replica.request_check();
        }
    }
}

//! Where what is read is read from: the primary, or a replica that shows everything the reader may expect to see.
//!
//! A question is put to one of the two as a whole, so that what is answered together is of one moment's make. A replica
//! that fails is no answer: the question is put to the primary then.

use metrics::counter;

use crate::desk::desk::Desk;
use crate::desk::inquiry::Inquiry;
use crate::store::replica::{Reached, Replica};
use crate::store::views::Views;

/// Whoever answers questions, over one server.
#[derive(Clone)]
pub struct Readers {
    /// Debates, and their events.
    pub desk: Desk,
    /// Lists.
    pub views: Views,
    /// What is asked across debates.
    pub inquiry: Inquiry,
}

/// Where questions go.
#[derive(Clone)]
pub struct Reads {
    primary: Readers,
    replica: Option<(Replica, Readers)>,
}

impl Reads {
    /// Over the primary, and a replica where there is one.
    pub fn new(primary: Readers, replica: Option<Replica>) -> Reads {
        let over = |replica: Replica| {
            let Readers { desk, inquiry, .. } = &primary;
            let readers = Readers {
                desk: desk.reading(replica.log()),
                views: replica.views(),
                inquiry: inquiry.reading(replica.views(), replica.library()),
            };
            (replica, readers)
        };
        let replica = replica.map(over);
        Reads { primary, replica }
    }

    /// Whoever reads the replica, if there is one and it shows everything that was done, told or heard of in this process,
    /// and what somebody has seen elsewhere; waits for that a moment.
    pub async fn replica(&self, seen: Option<Reached>) -> Option<&Readers> {
        let (replica, readers) = self.replica.as_ref()?;
        let is_new_enough = replica.is_new_enough(seen.unwrap_or_default()).await;
        counter!("faultline_reads_total", "from" => if is_new_enough { "replica" } else { "primary" }).increment(1);
        is_new_enough.then_some(readers)
    }

    /// Whoever shows everything that was done up to now, in whatever process.
    pub async fn now(&self) -> &Readers {
        self.wrote().await;
        self.replica(None).await.unwrap_or(&self.primary)
    }

    /// What was done, told or heard of in this process by now; none where there is no choice.
    pub fn shown(&self) -> Option<Reached> {
        self.replica.as_ref().map(|(replica, _)| replica.shown())
    }

    /// Whether there is a choice.
    pub fn has_replica(&self) -> bool {
        self.replica.is_some()
    }

    /// Takes note that somebody changed something: whoever reads next has to see it.
    pub async fn wrote(&self) {
        if let Some((replica, _)) = &self.replica {
            replica.wrote().await;
        }
    }

    /// Takes note that somebody was shown the primary: whoever reads next is not shown less.
    pub async fn showed(&self) {
        if let Some((replica, _)) = &self.replica {
            replica.showed().await;
        }
    }

    /// Takes note that the replica did not answer as it should.
    pub fn failed(&self) {
        if let Some((replica, _)) = &self.replica {
            counter!("faultline_reads_total", "from" => "failover").increment(1);
            replica.suspect();
        }
    }
}

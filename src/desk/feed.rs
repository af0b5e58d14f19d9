//! A debate's events from any version on: history, then live, until the debate has ended.

use std::time::Duration;
use std::vec::IntoIter;

use metrics::{counter, gauge};

use crate::desk::desk::{Desk, DeskError};
use crate::events::event::Recorded;
use crate::events::ids::DebateId;
use crate::kernel::engine::{Refusal, RefusalKind};
use crate::store::fault::Fault;
use crate::store::follower::Follower;
use crate::store::tail::Tail;

/// How long a stream waits before it looks again for a debate, where the database is away for a moment.
const WAITS: [Duration; 4] =
    [Duration::from_millis(50), Duration::from_millis(200), Duration::from_millis(800), Duration::from_secs(2)];

/// A debate's events, one after the other. Ends after the debate's last.
#[derive(Debug)]
pub struct Feed {
    /// `None` once there is nothing more to come.
    follower: Option<Follower>,
    page: IntoIter<Recorded>,
    _counted: Counted,
}

/// Counts as a stream under way for as long as it is there.
#[derive(Debug)]
struct Counted;

impl Counted {
    fn new() -> Counted {
        gauge!("faultline_streams").increment(1);
        Counted
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        gauge!("faultline_streams").decrement(1);
    }
}

impl Desk {
    /// A debate's events after a version; 0 for all of them.
    ///
    /// # Errors
    /// [`DeskError::Refused`] where there is no such debate, or it has no such version yet.
    pub async fn feed(&self, tail: &Tail, debate: DebateId, after: i64) -> Result<Feed, DeskError> {
        let Some(newest) = self.newest(debate).await? else {
            return Err(Refusal::new(RefusalKind::NotFound, format!("there is no debate {debate}")).into());
        };
        let head = newest.version;
        if after < 0 || after > head {
            let reason = format!("after is {after}; debate {debate} has versions 1 to {head}, and 0 is before all");
            return Err(Refusal::invalid(reason).into());
        }
        // Whoever has the last event of a debate that is over would wait for ever.
        let is_over = newest.event.is_last() && after == head;
        let follower = (!is_over).then(|| Follower::of_debate(self.log(), tail, debate, after));
        Ok(Feed { follower, page: Vec::new().into_iter(), _counted: Counted::new() })
    }

    /// A debate's newest event. A connection that was cut is no reason to refuse a stream that would outlive its being cut.
    async fn newest(&self, debate: DebateId) -> Result<Option<Recorded>, Fault> {
        for wait in WAITS {
            match self.log().newest(debate).await {
                Err(fault) if fault.is_transient() => tokio::time::sleep(wait).await,
                read => return read,
            }
        }
        self.log().newest(debate).await
    }
}

impl Feed {
    /// The next event; waits while there is none. `None` after the debate's last, and after a fault.
    pub async fn next(&mut self) -> Option<Result<Recorded, Fault>> {
        loop {
            if let Some(recorded) = self.page.next() {
                if recorded.event.is_last() {
                    self.follower = None;
                    self.page = Vec::new().into_iter();
                }
                counter!("faultline_stream_events_total").increment(1);
                return Some(Ok(recorded));
            }
            match self.follower.as_mut()?.next().await {
                Ok(events) => self.page = events.into_iter(),
                Err(fault) => {
                    self.follower = None;
                    return Some(Err(fault));
                }
            }
        }
    }

    /// Whether nothing more will come.
    pub fn is_over(&self) -> bool {
        self.follower.is_none()
    }
}

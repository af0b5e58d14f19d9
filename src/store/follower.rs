//! Read forward from a place, then wait: history and live are the same read.
//!
//! Projector, supervisor, runners and subscriptions are all this. A follower keeps its place and nothing else; wakes only
//! tell it when to look again.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::events::event::Recorded;
use crate::events::ids::DebateId;
use crate::store::backoff::Backoff;
use crate::store::fault::Fault;
use crate::store::lanes::{Cursor, Heads};
use crate::store::log::Log;
use crate::store::tail::Tail;
use crate::store::wakes::DebateWatch;

/// Events of one debate in a page.
pub const DEBATE_PAGE: i64 = 500;
/// Events of the whole log in a page.
pub const LOG_PAGE: i64 = 2_000;
/// How long one read may take before the connection counts as lost.
const READ_PATIENCE: Duration = Duration::from_secs(60);

/// Reads a debate or the whole log from a place, without gap or repeat, for ever.
#[derive(Debug)]
pub struct Follower {
    log: Log,
    place: Place,
    /// The most events that are read at once.
    page: i64,
    backoff: Backoff,
    /// Found behind the page that was given out last.
    damage: Option<Fault>,
    /// The share of the pool that it reads with; `None` for all of it.
    share: Option<Arc<Semaphore>>,
    /// Keeps the wakes coming.
    _tail: Tail,
}

#[derive(Debug)]
enum Place {
    Debate { debate: DebateId, after: i64, watch: DebateWatch, dry: bool },
    Log { cursor: Cursor, heads: watch::Receiver<Heads>, begun: bool },
}

impl Follower {
    /// Follows one debate from behind a version; 0 for its beginning. The debate need not exist yet.
    pub fn of_debate(log: &Log, tail: &Tail, debate: DebateId, after: i64) -> Follower {
        // Watched before it is read, so that nothing falls between.
        let watch = tail.wakes().watch_debate(debate);
        Follower::at(log, tail, DEBATE_PAGE, Place::Debate { debate, after: after.max(0), watch, dry: false })
    }

    /// Follows the whole log from behind a cursor; the default one for its beginning.
    pub fn of_log(log: &Log, tail: &Tail, cursor: Cursor) -> Follower {
        Follower::at(log, tail, LOG_PAGE, Place::Log { cursor, heads: tail.wakes().watch(), begun: false })
    }

    fn at(log: &Log, tail: &Tail, page: i64, place: Place) -> Follower {
        Follower {
            log: log.clone(),
            place,
            page,
            backoff: Backoff::default(),
            damage: None,
            share: None,
            _tail: tail.clone(),
        }
    }

    /// From now on gives out no more than so many events at once: for a reader who keeps them for long.
    pub fn in_pages_of(&mut self, limit: i64) {
        self.page = limit.max(1);
    }

    /// From now on reads only with the share of the pool that streams have.
    pub fn for_stream(mut self) -> Follower {
        self.share = Some(Arc::clone(self.log.stream_share()));
        self
    }

    /// The next events, at least one; waits while there are none. At most [`DEBATE_PAGE`] or [`LOG_PAGE`], or as many as
    /// [`Follower::in_pages_of`] said.
    ///
    /// While the database is away, it tries again and again. The future may be dropped at any time: what was not
    /// returned comes next time.
    ///
    /// # Errors
    /// Damage in the log, and a cursor that is none of this log. Events before the damage come first; the fault then
    /// comes again at every call until the damage is mended, or stepped over.
    pub async fn next(&mut self) -> Result<Vec<Recorded>, Fault> {
        if let Some(fault) = self.damage.take() {
            return Err(fault);
        }
        loop {
            self.place.growth().await;
            let fault = match self.read().await {
                Ok(events) if events.is_empty() => {
                    // Woken for something that is not there: at the beginning, or by news of another history.
                    self.place.pause(&mut self.backoff).await;
                    continue;
                }
                Ok(events) => {
                    if self.backoff.reset() {
                        tracing::info!("the log is being followed again");
                    }
                    self.place.pass(&events, self.page);
                    return Ok(events);
                }
                Err(fault) => fault,
            };
            if fault.is_transient() {
                let wait = self.backoff.next();
                if self.backoff.has_just_begun() {
                    tracing::warn!(%fault, "the log cannot be followed, trying again");
                }
                sleep(wait).await;
                continue;
            }
            let events = self.sound_before(&fault).await;
            if events.is_empty() {
                return Err(fault);
            }
            self.place.pass(&events, self.page);
            self.place.look_again();
            self.damage = Some(fault);
            return Ok(events);
        }
    }

    /// Goes on behind an event that cannot be read, as [`Follower::next`] reported it: for a reader that keeps account of
    /// what it left out. Answers whether the fault was such a one.
    pub fn step_over(&mut self, fault: &Fault) -> bool {
        let Fault::Damaged { debate, version, lane, position, .. } = fault else { return false };
        match &mut self.place {
            Place::Debate { debate: own, after, .. } if own == debate && *after + 1 == *version => *after = *version,
            Place::Log { cursor, .. } if cursor.position(*lane) + 1 == *position => cursor.set(*lane, *position),
            _ => return false,
        }
        true
    }

    /// Behind the last event of the whole log that was given out; `None` where one debate is followed.
    pub fn cursor(&self) -> Option<&Cursor> {
        match &self.place {
            Place::Log { cursor, .. } => Some(cursor),
            Place::Debate { .. } => None,
        }
    }

    /// What this process has just written: read without the database.
    fn handed(&self) -> Option<Vec<Recorded>> {
        match &self.place {
            // Only to who was woken: nobody is told again of what was heard before he came.
            Place::Debate { debate, after, dry: true, .. } => self.log.handed(*debate, *after, self.page),
            Place::Log { cursor, heads, begun: true } => self.log.handed_to(cursor, &heads.borrow(), self.page),
            _ => None,
        }
    }

    async fn read(&self) -> Result<Vec<Recorded>, Fault> {
        if let Some(events) = self.handed() {
            return Ok(events);
        }
        let _share = match &self.share {
            Some(share) => share.acquire().await.ok(),
            None => None,
        };
        let patiently = timeout(READ_PATIENCE, async {
            match &self.place {
                Place::Debate { debate, after, .. } => self.log.read(*debate, *after, self.page).await,
                // The first read asks how far the log goes, and so whether the cursor belongs to it.
                Place::Log { cursor, begun: false, .. } => Ok(self.log.read_all(cursor, self.page).await?.0),
                Place::Log { cursor, heads, .. } => {
                    let heads = *heads.borrow();
                    Ok(self.log.read_to(cursor, &heads, self.page).await?.0)
                }
            }
        });
        patiently.await.unwrap_or(Err(Fault::Silent { attempt: "follow the log", patience: READ_PATIENCE }))
    }

    /// What can be read before the damage; nothing where that is all there is to it, or cannot be told.
    async fn sound_before(&self, fault: &Fault) -> Vec<Recorded> {
        let read = match (&self.place, fault) {
            (
                Place::Debate { debate, after, .. },
                Fault::Damaged { version: broken, .. } | Fault::StreamGap { wanted: broken, .. },
            ) if broken - after > 1 => self.log.read(*debate, *after, broken - after - 1).await,
            (
                Place::Log { cursor, heads, .. },
                Fault::Damaged { lane, position: broken, .. } | Fault::LaneGap { lane, wanted: broken, .. },
            ) => {
                let mut heads = *heads.borrow();
                heads[*lane as usize] = broken - 1;
                self.log.read_to(cursor, &heads, self.page).await.map(|(events, _)| events)
            }
            _ => return Vec::new(),
        };
        read.unwrap_or_default()
    }
}

impl Place {
    /// Returns once there is something to read, for all that has been heard.
    async fn growth(&mut self) {
        match self {
            Place::Debate { dry: false, .. } | Place::Log { begun: false, .. } => {}
            Place::Debate { after, watch, .. } => watch.beyond(*after).await,
            Place::Log { cursor, heads, .. } => {
                let grown = heads.wait_for(|heads| cursor.behind(heads) > 0).await;
                drop(grown.expect("the log keeps the sender, and the follower the log"));
            }
        }
    }

    /// Takes note that a read found nothing.
    async fn pause(&mut self, backoff: &mut Backoff) {
        match self {
            Place::Debate { dry: first @ false, .. } => *first = true,
            Place::Log { begun: first @ false, .. } => *first = true,
            _ => sleep(backoff.next()).await,
        }
    }

    /// There is more to read than the last page had, whatever its length.
    fn look_again(&mut self) {
        if let Place::Debate { dry, .. } = self {
            *dry = false;
        }
    }

    fn pass(&mut self, events: &[Recorded], page: i64) {
        match self {
            Place::Debate { after, dry, .. } => {
                *after = events.last().map_or(*after, |it| it.version);
                *dry = (events.len() as i64) < page;
            }
            Place::Log { cursor, begun, .. } => {
                events.iter().for_each(|it| cursor.pass(it));
                *begun = true;
            }
        }
    }
}

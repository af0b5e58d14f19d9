//! A standby that may be read instead of the primary: whether it is fit to be, and how new what it shows is.
//!
//! Nobody is shown less than they were shown or did before. A reader therefore says how new its answer has to be, and the
//! replica waits for a moment until it is that new, or says no; the primary is then asked.
//!
//! | what this process knows of | the replica has it when |
//! |---|---|
//! | events that it wrote, told or heard of | its lanes' heads are where those heard of are |
//! | whatever a client changed through it, or was shown of the primary | it has replayed what the primary had flushed then |
//!
//! Heads cost nothing: the process knows them anyway ([`crate::store::wakes`]). A task looks at the replica, now and then
//! and whenever somebody waits; `store::replica_watch` is that task.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::store::fault::Fault;
use crate::store::lanes::{Cursor, Heads, NoCursor};
use crate::store::library::open::Library;
use crate::store::log::Log;
use crate::store::pool::{self, Settings};
use crate::store::replica_watch::{self, flushed};
use crate::store::views::Views;

/// How long a reader waits for a replica that is not new enough yet.
pub const WAIT: Duration = Duration::from_millis(100);
/// The same, where the replica was never looked at: it may have to be connected to.
pub const FIRST_WAIT: Duration = Duration::from_secs(2);
/// What the primary had flushed is not known.
const UNKNOWN: i64 = i64::MAX;

/// A standby of the primary. Clones are cheap, and the last one ends the looking.
#[derive(Clone, Debug)]
pub struct Replica {
    shared: Arc<Shared>,
    primary: PgPool,
    log: Log,
    _watching: Arc<Watching>,
}

/// What readers and the task share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) pool: PgPool,
    pub(crate) standing: watch::Sender<Standing>,
    /// Rung where somebody wants the replica looked at now.
    pub(crate) look: Notify,
    /// Readers that wait for it to get further.
    n_waiting: AtomicUsize,
    /// What the primary had flushed after the last change of a client, or look at the primary.
    wrote: AtomicI64,
}

#[derive(Debug)]
struct Watching(JoinHandle<()>);

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// How the replica stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// It was not looked at yet.
    Unseen,
    /// It may be read.
    Following {
        /// How far it is.
        reached: Reached,
        /// How long ago the primary was where it is, at most.
        lag: Duration,
    },
    /// It is further behind than it may be.
    Behind {
        /// How long ago the primary was where it is, at least.
        lag: Duration,
        /// How much of the primary's log it has not replayed, in bytes.
        bytes: i64,
    },
    /// It cannot be read, or must not be: why, in words.
    Away(String),
}

/// How far a server is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// The lanes' heads.
    pub heads: Heads,
    /// The place in the server's own log, in bytes.
    pub place: i64,
}

impl Reached {
    /// Whether nothing of the other is missing.
    fn covers(&self, other: &Reached) -> bool {
        self.place >= other.place && self.heads.iter().zip(&other.heads).all(|(own, other)| own >= other)
    }
}

impl Reached {
    /// What lacks nothing of either.
    fn and(mut self, other: &Reached) -> Reached {
        self.heads.iter_mut().zip(&other.heads).for_each(|(own, other)| *own = (*own).max(*other));
        self.place = self.place.max(other.place);
        self
    }
}

/// As text, for a header: a cursor of the log, and the place.
impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:x}", Cursor::at(self.heads), self.place)
    }
}

impl FromStr for Reached {
    type Err = NoCursor;

    fn from_str(text: &str) -> Result<Reached, NoCursor> {
        let (cursor, place) = text.split_once('-').ok_or(NoCursor)?;
        let cursor: Cursor = cursor.parse()?;
        let is_hex = !place.is_empty() && place.bytes().all(|it| it.is_ascii_hexdigit());
        let place = is_hex.then(|| i64::from_str_radix(place, 16).ok()).flatten().ok_or(NoCursor)?;
        let mut heads = Heads::default();
        (0..).zip(&mut heads).for_each(|(lane, head)| *head = cursor.position(lane));
        Ok(Reached { heads, place })
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Standing::Unseen => f.write_str("reads go to the primary: the replica was not looked at yet"),
            Standing::Following { lag, .. } => {
                write!(f, "reads go to the replica, at most {:.1} s behind", lag.as_secs_f64())
            }
            Standing::Behind { lag, bytes } => write!(
                f,
                "reads go to the primary: the replica is {:.0} s and {bytes} bytes of log behind",
                lag.as_secs_f64()
            ),
            Standing::Away(why) => write!(f, "reads go to the primary: {why}"),
        }
    }
}

impl Replica {
    /// A replica at a URL. It need not be there: it is looked for until it is. `lag` is how far behind it may be to be
    /// read.
    ///
    /// # Errors
    /// [`Fault::ReadAddress`] where the URL is none.
    pub fn start(url: &str, log: &Log, settings: &Settings, lag: Duration) -> Result<Replica, Fault> {
        let options = PgConnectOptions::from_str(url).map_err(|it| Fault::ReadAddress { reason: it.to_string() })?;
        let application = format!("{} reads", settings.application);
        let pool = pool::lazy(options.application_name(&application), settings);
        let shared = Arc::new(Shared {
            pool,
            standing: watch::Sender::new(Standing::Unseen),
            look: Notify::new(),
            n_waiting: AtomicUsize::new(0),
            wrote: AtomicI64::new(0),
        });
        let primary = log.pool().clone();
        let watching = tokio::spawn(replica_watch::run(Arc::clone(&shared), primary.clone(), lag));
        Ok(Replica { shared, primary, log: log.clone(), _watching: Arc::new(Watching(watching)) })
    }

    /// The log as the replica shows it. What is appended goes to the primary.
    pub fn log(&self) -> Log {
        self.log.read_from(self.shared.pool.clone())
    }

    /// The stored views as the replica shows them.
    pub fn views(&self) -> Views {
        Views::new(self.shared.pool.clone())
    }

    /// The library as the replica shows it.
    pub fn library(&self) -> Library {
        Library::new(self.shared.pool.clone())
    }

    /// Everything that this process knows of: what a replica has to show.
    pub fn shown(&self) -> Reached {
        Reached { heads: self.log.wakes().told(), place: self.shared.wrote.load(Ordering::Acquire) }
    }

    /// Whether the replica can be read and shows everything that this process knows of, and this; waits for that a moment.
    pub async fn is_new_enough(&self, seen: Reached) -> bool {
        let wanted = self.shown().and(&seen);
        let mut standing = self.shared.standing.subscribe();
        let decided = |it: &Standing| match it {
            Standing::Unseen => None,
            Standing::Following { reached, .. } => reached.covers(&wanted).then_some(true),
            Standing::Behind { .. } | Standing::Away(_) => Some(false),
        };
        let (now, unseen) = {
            let standing = standing.borrow();
            (decided(&standing), *standing == Standing::Unseen)
        };
        if let Some(decided) = now {
            return decided;
        }
        let _waiting = Waiting::new(&self.shared);
        let patience = if unseen { FIRST_WAIT } else { WAIT };
        match timeout(patience, standing.wait_for(|it| decided(it).is_some())).await {
            Ok(Ok(standing)) => decided(&standing) == Some(true),
            _ => false,
        }
    }

    /// Takes note that a client changed something: from now on the replica has to show it. Where the primary does not say
    /// how far that is, the replica is not new enough until it was asked once more.
    pub async fn wrote(&self) {
        let place = flushed(&self.primary).await.unwrap_or(UNKNOWN);
        self.shared.wrote.fetch_max(place, Ordering::AcqRel);
    }

    /// Takes note that somebody was shown the primary: the replica may not show less from now on. Where the primary does
    /// not say how far it is, it has shown nothing.
    pub async fn showed(&self) {
        if let Ok(place) = flushed(&self.primary).await {
            self.shared.wrote.fetch_max(place, Ordering::AcqRel);
        }
    }

    /// Has the replica looked at now: it failed somebody.
    pub fn suspect(&self) {
        self.shared.look.notify_one();
    }

    /// How it stands.
    pub fn standing(&self) -> Standing {
        self.shared.standing.borrow().clone()
    }

    /// How it stands once it was looked at.
    pub async fn seen(&self) -> Standing {
        let mut standing = self.shared.standing.subscribe();
        self.suspect();
        // Where it takes too long it is told as it is.
        let _seen = timeout(FIRST_WAIT, standing.wait_for(|it| *it != Standing::Unseen)).await.map(drop);
        self.standing()
    }

    /// Closes its connections.
    pub async fn close(&self) {
        self.shared.pool.close().await;
    }
}

impl Shared {
    /// Whether somebody waits for the replica to get further.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.n_waiting.load(Ordering::Acquire) > 0
    }

    /// The primary had flushed so much after whatever was changed before: it stands for what was not known.
    pub(crate) fn learn(&self, place: i64) {
        // Where somebody noted something meanwhile, that is as good.
        let _known = self.wrote.compare_exchange(UNKNOWN, place, Ordering::AcqRel, Ordering::Acquire);
    }
}

/// Counts as somebody who waits for as long as it is there.
struct Waiting<'a>(&'a Shared);

impl<'a> Waiting<'a> {
    fn new(shared: &'a Shared) -> Waiting<'a> {
        shared.n_waiting.fetch_add(1, Ordering::AcqRel);
        shared.look.notify_one();
        Waiting(shared)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.n_waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_enough_is_what_lacks_nothing_in_any_lane() {
        let at = |first: i64, last: i64, place: i64| {
            let mut heads = Heads::default();
            (heads[0], heads[15]) = (first, last);
            Reached { heads, place }
        };
        let own = at(3, 5, 100);
        for (other, covered) in [
            (at(0, 0, 0), true),
            (at(3, 5, 100), true),
            (at(4, 0, 0), false),
            (at(0, 6, 0), false),
            (at(0, 0, 101), false),
            (at(0, 0, UNKNOWN), false),
        ] {
            assert_eq!(own.covers(&other), covered, "{other:?}");
            assert_eq!(own.and(&other) == own, covered, "{other:?}");
            assert_eq!(other.to_string().parse(), Ok(other));
        }
        let cursor = Cursor::default().to_string();
        for text in ["", "-", "1-1", &cursor, &format!("{cursor}-"), &format!("{cursor}-+1"), &format!("{cursor}-x")] {
            assert_eq!(text.parse::<Reached>(), Err(NoCursor), "{text:?}");
        }
        assert_eq!(format!("{cursor}-{}", "f".repeat(17)).parse::<Reached>(), Err(NoCursor));
    }
}

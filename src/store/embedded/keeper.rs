//! Keeps a server while its owner wants it: waits for its end, starts it again if nobody wanted that, and gives up the
//! lock of the cluster only when the owner no longer wants it and the server is gone.
//!
//! A server that does not start is tried again for as long as the owner lives, with growing pauses: what is in its way, a full
//! disk or a file that an administrator mends, may go away. Until it runs again, [`Outages`] says why it does not.
//!
//! One thread, not a task: it depends on no runtime, and the server outlives the runtime that started it.

use std::fmt::{self, Display, Formatter};
use std::fs::File;
use std::process::{Child, ChildStdin};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::store::embedded::error::EmbeddedError;
use crate::store::embedded::lock::leave;
use crate::store::embedded::place::Place;
use crate::store::embedded::start::{Server, Started};
use crate::store::room;

/// A server that has run for so long is started again at once when it ends.
const STEADY: Duration = Duration::from_secs(60);
/// The pause before the second attempt; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The owner's hold on the server. Dropping it shuts the server down.
#[derive(Debug)]
pub struct Keeper {
    held: Arc<Held>,
    ended: watch::Receiver<bool>,
    place: Place,
}

#[derive(Debug)]
struct Held {
    hold: Mutex<Hold>,
    /// Notified when the server is no longer wanted.
    released: Condvar,
}

#[derive(Debug)]
struct Hold {
    /// `None` while the server is being started again, and when it is no longer wanted.
    pipe: Option<ChildStdin>,
    is_wanted: bool,
    outage: Option<Outage>,
}

/// A server that ended and could not be started again yet.
#[derive(Clone, Debug)]
pub struct Outage {
    /// Since when.
    pub since: Instant,
    /// Attempts to start it again.
    pub n_attempts: u32,
    /// Why the last one failed.
    pub reason: String,
}

impl Display for Outage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let seconds = self.since.elapsed().as_secs();
        write!(
            f,
            "the private PostgreSQL has not run for {seconds} s, and {} attempts to start it failed; ",
            self.n_attempts
        )?;
        write!(f, "it is tried again until it starts. {}", self.reason)
    }
}

/// Tells why a server does not run. Clones ask about the same server.
#[derive(Clone, Debug, Default)]
pub struct Outages(Option<Arc<Held>>);

impl Outages {
    /// Why it does not run, if it ended and could not be started again yet.
    pub fn current(&self) -> Option<Outage> {
        self.0.as_ref()?.lock().outage.clone()
    }
}

impl Keeper {
    /// Begins to keep a server that has just started, for the holder of the lock.
    ///
    /// # Errors
    /// `Io` if the system gives no thread; the server then shuts down.
    pub fn new(server: Server, started: Started, lock: File) -> Result<Self, EmbeddedError> {
        let hold = Hold { pipe: Some(started.pipe), is_wanted: true, outage: None };
        let held = Arc::new(Held { hold: Mutex::new(hold), released: Condvar::new() });
        let (tell_end, ended) = watch::channel(false);
        let (at, place) = (server.place.clone(), server.place.state.clone());
        let (watcher, own) = (started.watcher, Arc::clone(&held));
        let keeping = move || {
            room::reserve(&server.place.state);
            keep(&server, watcher, &own);
            drop(lock);
            tell_end.send_replace(true);
        };
        let spawned = thread::Builder::new().name("postgres-keeper".to_owned()).spawn(keeping);
        spawned.map_err(EmbeddedError::io("start a thread for", &place))?;
        Ok(Self { held, ended, place: at })
    }

    /// Tells why the server does not run.
    pub fn outages(&self) -> Outages {
        Outages(Some(Arc::clone(&self.held)))
    }

    /// Tells the server to shut down, and waits until it has, or until the time is over; tells which.
    pub async fn stop(&mut self, limit: Duration) -> bool {
        self.release();
        // An error means that the thread is gone, and with it the server's last holder.
        tokio::time::timeout(limit, self.ended.wait_for(|it| *it)).await.is_ok()
    }

    fn release(&self) {
        let mut hold = self.held.lock();
        if hold.is_wanted {
            leave(&self.place);
        }
        hold.is_wanted = false;
        hold.pipe = None;
        self.held.released.notify_all();
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.release();
    }
}

impl Held {
    /// A panic elsewhere does not make what is held less true.
    fn lock(&self) -> MutexGuard<'_, Hold> {
        self.hold.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pauses, unless the server is no longer wanted. Whether it is wanted still.
    fn pause(&self, pause: Duration) -> bool {
        let waited = self.released.wait_timeout_while(self.lock(), pause, |it| it.is_wanted);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_wanted
    }
}

fn keep(server: &Server, mut watcher: Child, held: &Held) {
    let mut pause = Duration::ZERO;
    loop {
        let begun = Instant::now();
        let status = watcher.wait();
        if !held.lock().is_wanted {
            return;
        }
        let state = server.place.state.display();
        tracing::warn!(%state, ?status, "PostgreSQL has ended unasked; starting it again");
        // One that ends again soon after each start is not started without a pause.
        pause = if begun.elapsed() > STEADY { Duration::ZERO } else { pause };
        match start_again(server, held, &mut pause) {
            Some(started) => watcher = started,
            None => return,
        }
    }
}

/// Starts the server again, however often that takes; `None` when it is no longer wanted.
fn start_again(server: &Server, held: &Held, pause: &mut Duration) -> Option<Child> {
    let state = server.place.state.display();
    loop {
        if !held.pause(*pause) {
            return None;
        }
        *pause = (*pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
        let fault = match server.start(&|word| tracing::warn!(%state, "{word}")) {
            Ok(started) => {
                let mut hold = held.lock();
                if let Some(outage) = hold.outage.take() {
                    tracing::warn!(%state, after = ?outage.since.elapsed(), "PostgreSQL runs again");
                }
                // No longer wanted by now: the pipe closes here, and the next wait sees the end.
                hold.pipe = hold.is_wanted.then_some(started.pipe);
                return Some(started.watcher);
            }
            Err(fault) => fault,
        };
        if room::is_short(&server.place.state) {
            room::release(&server.place.state);
        }
        let mut hold = held.lock();
        let before = hold.outage.take();
        let (since, n_attempts) = before.map_or((Instant::now(), 1), |it| (it.since, it.n_attempts + 1));
        if n_attempts == 1 {
            tracing::error!(%state, "PostgreSQL does not start; it is tried again until it does: {fault}");
        } else {
            tracing::warn!(%state, n_attempts, "PostgreSQL still does not start: {fault}");
        }
        hold.outage = Some(Outage { since, n_attempts, reason: fault.to_string() });
    }
}

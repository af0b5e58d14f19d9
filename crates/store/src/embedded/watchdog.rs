//! Watchdog of a server: waits for its end, restarts it if the end was not requested, and releases the cluster's lock
//! only when the owner no longer needs the server and it has ended.
//!
//! A server that does not start is retried with growing pauses for as long as the owner lives, because the cause (a
//! full disk, a file that an administrator repairs) may go away. Until it runs again, [`Outages`] reports the reason.
//!
//! A thread and not a task: it depends on no runtime, and the server outlives the runtime that started it.

use std::fmt::{self, Display, Formatter};
use std::fs::File;
use std::process::{Child, ChildStdin};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::database::disk_guard;
use crate::embedded::error::EmbeddedError;
use crate::embedded::layout::ClusterLayout;
use crate::embedded::lock::mark_leaving;
use crate::embedded::start::{Server, Started};

/// Uptime after which a server that ends is restarted without a pause.
const STEADY: Duration = Duration::from_secs(60);
/// Pause before the second attempt; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Owner's handle of the running server. Dropping it shuts the server down.
#[derive(Debug)]
pub struct Watchdog {
    shared: Arc<Shared>,
    ended: watch::Receiver<bool>,
    place: ClusterLayout,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Notified when the server is no longer needed.
    released: Condvar,
}

#[derive(Debug)]
struct State {
    /// `None` while the server is being restarted, and when it is no longer needed.
    pipe: Option<ChildStdin>,
    is_wanted: bool,
    outage: Option<Outage>,
}

/// State of a server that ended and could not be restarted yet.
#[derive(Clone, Debug)]
pub struct Outage {
    /// Time of the first failed attempt to restart it.
    pub since: Instant,
    /// Number of attempts to restart it.
    pub n_attempts: u32,
    /// Error of the last attempt.
    pub reason: String,
}

impl Display for Outage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let seconds = self.since.elapsed().as_secs();
        write!(
            f,
            "the private PostgreSQL has not run for {seconds} s, {} attempts to restart it have failed, ",
            self.n_attempts
        )?;
        write!(f, "and attempts continue. Last error: {}", self.reason)
    }
}

/// Reports why a server is not running. Clones report on the same server.
#[derive(Clone, Debug, Default)]
pub struct Outages(Option<Arc<Shared>>);

impl Outages {
    /// Returns the current outage; `None` unless the server ended and could not be restarted yet.
    pub fn current(&self) -> Option<Outage> {
        self.0.as_ref()?.lock().outage.clone()
    }
}

impl Watchdog {
    /// Starts to watch a server that has just started. `lock` is the cluster's lock, held until the server has ended.
    ///
    /// # Errors
    /// `Io` if the system cannot create a thread; the server then shuts down.
    pub fn new(server: Server, started: Started, lock: File) -> Result<Self, EmbeddedError> {
        let state = State { pipe: Some(started.pipe), is_wanted: true, outage: None };
        let shared = Arc::new(Shared { state: Mutex::new(state), released: Condvar::new() });
        let (tell_end, ended) = watch::channel(false);
        let (at, place) = (server.place.clone(), server.place.state.clone());
        let (watcher, own) = (started.watcher, Arc::clone(&shared));
        let watching = move || {
            disk_guard::create_reserve(&server.place.state);
            watch_server(&server, watcher, &own);
            drop(lock);
            tell_end.send_replace(true);
        };
        let spawned = thread::Builder::new().name("postgres-keeper".to_owned()).spawn(watching);
        spawned.map_err(EmbeddedError::io("start a thread for", &place))?;
        Ok(Self { shared, ended, place: at })
    }

    /// Returns a handle that reports why the server is not running.
    pub fn outages(&self) -> Outages {
        Outages(Some(Arc::clone(&self.shared)))
    }

    /// Requests a shutdown and waits for it. Returns false if the server has not ended within `limit`.
    pub async fn stop(&mut self, limit: Duration) -> bool {
        self.release();
        // An error means that the thread has ended, which held the server last.
        tokio::time::timeout(limit, self.ended.wait_for(|has_ended| *has_ended)).await.is_ok()
    }

    fn release(&self) {
        let mut server_state = self.shared.lock();
        if server_state.is_wanted {
            mark_leaving(&self.place);
        }
        server_state.is_wanted = false;
        server_state.pipe = None;
        self.shared.released.notify_all();
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.release();
    }
}

impl Shared {
    /// Locks the state; a poisoned lock is accepted, because a panic elsewhere does not invalidate it.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pauses until the server is no longer needed or the time has passed; returns true if it is still needed.
    fn pause(&self, pause: Duration) -> bool {
        let waited = self.released.wait_timeout_while(self.lock(), pause, |state| state.is_wanted);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_wanted
    }
}

/// Waits for ends of the server, and restarts it until it is no longer needed.
fn watch_server(server: &Server, mut watcher: Child, shared: &Shared) {
    let mut pause = Duration::ZERO;
    loop {
        let begun = Instant::now();
        let status = watcher.wait();
        if !shared.lock().is_wanted {
            return;
        }
        let state = server.place.state.display();
        tracing::warn!(%state, ?status, "PostgreSQL ended unexpectedly; restarting it");
        // A server that keeps ending soon after its start is restarted only after a pause.
        pause = if begun.elapsed() > STEADY { Duration::ZERO } else { pause };
        match start_again(server, shared, &mut pause) {
            Some(started) => watcher = started,
            None => return,
        }
    }
}

/// Restarts the server with as many attempts as it takes; `None` when it is no longer needed.
fn start_again(server: &Server, shared: &Shared, pause: &mut Duration) -> Option<Child> {
    let state = server.place.state.display();
    loop {
        if !shared.pause(*pause) {
            return None;
        }
        *pause = (*pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
        let fault = match server.start(&|word| tracing::warn!(%state, "{word}")) {
            Ok(started) => {
                let mut server_state = shared.lock();
                if let Some(outage) = server_state.outage.take() {
                    tracing::warn!(%state, after = ?outage.since.elapsed(), "PostgreSQL is running again");
                }
                // If the server is no longer needed, the pipe closes here, and the next wait sees its end.
                server_state.pipe = server_state.is_wanted.then_some(started.pipe);
                return Some(started.watcher);
            }
            Err(fault) => fault,
        };
        if disk_guard::is_short(&server.place.state) {
            disk_guard::delete_reserve(&server.place.state);
        }
        let mut server_state = shared.lock();
        let before = server_state.outage.take();
        let (since, n_attempts) = before.map_or((Instant::now(), 1), |outage| (outage.since, outage.n_attempts + 1));
        if n_attempts == 1 {
            tracing::error!(%state, "cannot restart PostgreSQL; retrying until it starts: {fault}");
        } else {
            tracing::warn!(%state, n_attempts, "still cannot restart PostgreSQL: {fault}");
        }
        server_state.outage = Some(Outage { since, n_attempts, reason: fault.to_string() });
    }
}

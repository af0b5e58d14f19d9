//! Keeps a server while its owner wants it: waits for its end, starts it again if nobody wanted that, and gives up the
//! lock of the cluster only when the server is gone.
//!
//! One thread, not a task: it depends on no runtime, and the server outlives the runtime that started it.

use std::fs::File;
use std::process::{Child, ChildStdin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::store::embedded::error::EmbeddedError;
use crate::store::embedded::lock::leave;
use crate::store::embedded::place::Place;
use crate::store::embedded::start::{Server, Started};

/// How many times in a row a server that ends by itself is started again.
pub const REVIVALS: u32 = 5;

/// A server that has run for so long begins a new row.
pub const STEADY: Duration = Duration::from_secs(60);

/// The owner's hold on the server. Dropping it shuts the server down.
#[derive(Debug)]
pub struct Keeper {
    hold: Arc<Mutex<Hold>>,
    ended: watch::Receiver<bool>,
    place: Place,
}

#[derive(Debug)]
struct Hold {
    /// `None` while the server is being started again, and when it is no longer wanted.
    pipe: Option<ChildStdin>,
    is_wanted: bool,
}

impl Keeper {
    /// Begins to keep a server that has just started, for the holder of the lock.
    ///
    /// # Errors
    /// `Io` if the system gives no thread; the server then shuts down.
    pub fn new(server: Server, started: Started, lock: File) -> Result<Self, EmbeddedError> {
        let hold = Arc::new(Mutex::new(Hold { pipe: Some(started.pipe), is_wanted: true }));
        let (tell_end, ended) = watch::channel(false);
        let (at, place) = (server.place.clone(), server.place.state.clone());
        let (watcher, held) = (started.watcher, Arc::clone(&hold));
        let keeping = move || {
            keep(&server, watcher, &held);
            drop(lock);
            tell_end.send_replace(true);
        };
        let spawned = thread::Builder::new().name("postgres-keeper".to_owned()).spawn(keeping);
        spawned.map_err(EmbeddedError::io("start a thread for", &place))?;
        Ok(Self { hold, ended, place: at })
    }

    /// Tells the server to shut down, and waits until it has, or until the time is over; tells which.
    pub async fn stop(&mut self, limit: Duration) -> bool {
        self.release();
        // An error means that the thread is gone, and with it the server's last holder.
        tokio::time::timeout(limit, self.ended.wait_for(|it| *it)).await.is_ok()
    }

    fn release(&self) {
        let mut hold = lock(&self.hold);
        if hold.is_wanted {
            leave(&self.place);
        }
        hold.is_wanted = false;
        hold.pipe = None;
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.release();
    }
}

fn keep(server: &Server, mut watcher: Child, hold: &Mutex<Hold>) {
    let mut in_a_row = 0;
    loop {
        let begun = Instant::now();
        let status = watcher.wait();
        if !lock(hold).is_wanted {
            return;
        }
        in_a_row = if begun.elapsed() > STEADY { 1 } else { in_a_row + 1 };
        let state = server.place.state.display();
        if in_a_row > REVIVALS {
            tracing::error!(%state, ?status, "PostgreSQL keeps ending; it is not started again");
            return;
        }
        tracing::warn!(%state, ?status, in_a_row, "PostgreSQL has ended unasked; starting it again");
        match server.start(&|word| tracing::warn!(%state, "{word}")) {
            Err(why) => {
                tracing::error!(%state, "PostgreSQL is not started again: {why}");
                return;
            }
            Ok(started) => {
                let mut hold = lock(hold);
                // No longer wanted by now: the pipe closes here, and the next wait sees the end.
                hold.pipe = hold.is_wanted.then_some(started.pipe);
                watcher = started.watcher;
            }
        }
    }
}

/// A panic elsewhere does not make what is held less true.
fn lock(hold: &Mutex<Hold>) -> MutexGuard<'_, Hold> {
    hold.lock().unwrap_or_else(PoisonError::into_inner)
}

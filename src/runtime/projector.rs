//! Keeps every stored view up with the log.
//!
//! One projector works for all processes on a database, by a lock. It follows the log, folds the debates that moved, and
//! saves their rows and its own place in one transaction. Rows are made for questions across debates; a single debate is
//! folded from its stream when somebody asks for it.
//!
//! When a revision is new, its rows are made from the beginning of the log beside those being served, and take over once
//! they have caught up.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinError;

use crate::events::event::Recorded;
use crate::events::ids::DebateId;
use crate::runtime::rows::{SUMMARY, VERDICT, add_rows};
use crate::store::debates::DEBATES;
use crate::store::fault::Fault;
use crate::store::follower::Follower;
use crate::store::log::Log;
use crate::store::projector_lock::ProjectorLock;
use crate::store::tail::Tail;
use crate::store::views::{Changes, Checkpoint, Views};
use crate::verdicts::board::{Board, REVISION};

/// How many debates are kept folded in memory.
const BOARDS: usize = 512;
/// How long rows are held back so that several events of a debate are saved once.
const GATHER: Duration = Duration::from_millis(100);
/// How long the projector waits before it tries for the lock again, and after a fault.
const PAUSE: Duration = Duration::from_secs(1);
/// Events read at once.
const PAGE: i64 = 1_000;

/// Whoever keeps the views up.
pub struct Projector {
    log: Log,
    tail: Tail,
    views: Views,
    boards: HashMap<DebateId, Board>,
}

impl Projector {
    /// A projector over a log.
    pub fn new(log: Log, tail: Tail, views: Views) -> Projector {
        Projector { log, tail, views, boards: HashMap::new() }
    }

    /// Projects until told to stop; waits while another process does.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            let outcome = tokio::select! {
                _ = stop.changed() => return,
                outcome = self.turn() => outcome,
            };
            if let Err(fault) = outcome {
                tracing::warn!(%fault, "the projector starts over");
            }
            self.boards.clear();
            tokio::select! {
                _ = stop.changed() => return,
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }

    /// Projects for as long as the lock is held; comes back at once where another process holds it.
    async fn turn(&mut self) -> Result<(), Fault> {
        let Some(mut lock) = ProjectorLock::try_take(self.log.pool()).await? else { return Ok(()) };
        let cursor = self.views.checkpoint(DEBATES, REVISION).await?.unwrap_or_default();
        let mut follower = Follower::of_log(&self.log, &self.tail, cursor);
        self.serve_when_caught_up(&follower).await?;
        loop {
            let mut events = follower.next().await?;
            // What comes in the meantime is saved in the same transaction.
            if let Ok(more) = tokio::time::timeout(GATHER, follower.next()).await {
                events.extend(more?);
                tokio::time::sleep(GATHER).await;
            }
            if !lock.is_held().await {
                return Ok(());
            }
            self.project(&events, &follower).await?;
            self.serve_when_caught_up(&follower).await?;
        }
    }

    async fn project(&mut self, events: &[Recorded], follower: &Follower) -> Result<(), Fault> {
        let mut newest: BTreeMap<DebateId, Vec<&Recorded>> = BTreeMap::new();
        for recorded in events {
            newest.entry(recorded.debate).or_default().push(recorded);
        }
        if self.boards.len() + newest.len() > BOARDS {
            self.boards.clear();
        }
        let mut moved = Vec::with_capacity(newest.len());
        for (debate, events) in newest {
            self.fold(debate, &events).await?;
            let Some(board) = self.boards.get(&debate) else { continue };
            moved.push((debate, board.clone()));
            if board.summary.status.is_final() {
                self.boards.remove(&debate);
            }
        }
        // A hard debate takes its time to be judged, and nobody else is to wait for it.
        let judged = tokio::task::spawn_blocking(move || {
            let mut changes = Changes::default();
            moved.iter().try_for_each(|(debate, board)| add_rows(&mut changes, *debate, board))?;
            Ok(changes)
        });
        let mut changes: Changes = judged.await.unwrap_or_else(ended)?;
        if let Some(cursor) = follower.cursor() {
            changes.checkpoints.push(Checkpoint { name: DEBATES, revision: REVISION, cursor: cursor.clone() });
        }
        // A task of its own: what has begun to be saved is saved to its end, also when the projector is stopped.
        let views = self.views.clone();
        let saving = tokio::spawn(async move { views.save(&changes).await });
        saving.await.unwrap_or_else(ended)
    }

    /// Brings a board up to these events; where it was not kept, or lacks something, from the stream itself.
    async fn fold(&mut self, debate: DebateId, events: &[&Recorded]) -> Result<(), Fault> {
        let board = self.boards.entry(debate).or_default();
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(()) };
        if first.version > board.summary.version + 1 {
            *board = Board::default();
            while board.summary.version < last.version {
                let page = self.log.read(debate, board.summary.version, PAGE).await?;
                if page.is_empty() {
                    break;
                }
                page.iter().for_each(|it| board.apply(it));
            }
            return Ok(());
        }
        for recorded in events {
            if recorded.version > board.summary.version {
                board.apply(recorded);
            }
        }
        Ok(())
    }

    async fn serve_when_caught_up(&self, follower: &Follower) -> Result<(), Fault> {
        let heads = self.log.heads().await?;
        let caught_up = follower.cursor().is_some_and(|it| it.behind(&heads) == 0);
        let served = self.views.served(DEBATES).await?;
        if caught_up && served != Some(REVISION) {
            self.views.serve(&[(DEBATES, REVISION), (SUMMARY, REVISION), (VERDICT, REVISION)]).await?;
            if let Some(older) = served {
                self.views.discard_lines(older).await?;
                self.views.discard_cruxes(older).await?;
                self.views.discard_disputes(older).await?;
                self.views.discard(SUMMARY, older).await?;
                self.views.discard(VERDICT, older).await?;
            }
        }
        Ok(())
    }
}

/// What becomes of a task that did not come to its end: its panic is ours, and else the runtime stops.
fn ended<T>(error: JoinError) -> Result<T, Fault> {
    match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Err(Fault::Stopped),
    }
}

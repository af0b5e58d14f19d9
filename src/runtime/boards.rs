//! Cache of debates' read models, kept as long as the debates are likely to change again.

use std::collections::{BTreeMap, HashMap};

use tokio::task::{JoinError, spawn_blocking};

use crate::events::event::{Event, Recorded};
use crate::events::ids::DebateId;
use crate::runtime::rows::add_rows;
use crate::store::fault::Fault;
use crate::store::log::Log;
use crate::store::views::Changes;
use crate::verdicts::board::Board;

/// Maximum number of read models kept in memory.
const BOARDS: usize = 512;
/// Number of events read at once.
const PAGE: i64 = 1_000;

/// Cache of debates' read models.
pub struct Boards {
    log: Log,
    kept: HashMap<DebateId, Board>,
}

/// Result of applying events.
#[derive(Default)]
pub struct Moved {
    /// Debates that changed, with their current read models.
    pub boards: Vec<(DebateId, Board)>,
    /// Debates that changed and cannot be read, with the faults.
    pub damaged: Vec<(DebateId, Fault)>,
}

impl Boards {
    /// Creates an empty cache.
    pub fn new(log: Log) -> Boards {
        Boards { log, kept: HashMap::new() }
    }

    /// Removes all read models.
    pub fn clear(&mut self) {
        self.kept.clear();
    }

    /// Applies events, and returns the read models of the debates that changed. Debates that cannot be read are
    /// returned separately.
    ///
    /// # Errors
    /// [`Fault::StreamGap`] if a stream has a gap; any other [`Fault`] but [`Fault::Damaged`] if the database cannot be
    /// reached or refuses a statement.
    pub async fn moved(&mut self, events: &[Recorded]) -> Result<Moved, Fault> {
        let mut newest: BTreeMap<DebateId, Vec<&Recorded>> = BTreeMap::new();
        for recorded in events {
            newest.entry(recorded.debate).or_default().push(recorded);
        }
        if self.kept.len() + newest.len() > BOARDS {
            self.kept.clear();
        }
        let mut moved = Moved::default();
        for (debate, events) in newest {
            if events.iter().any(|it| matches!(it.event, Event::Erased(_))) {
                self.kept.remove(&debate);
                continue;
            }
            match self.fold(debate, &events).await {
                Ok(()) => {}
                Err(fault @ Fault::Damaged { .. }) => {
                    self.kept.remove(&debate);
                    moved.damaged.push((debate, fault));
                    continue;
                }
                Err(fault) => return Err(fault),
            }
            let Some(board) = self.kept.get(&debate) else { continue };
            moved.boards.push((debate, board.clone()));
            if board.summary.status.is_final() {
                self.kept.remove(&debate);
            }
        }
        Ok(moved)
    }

    /// Applies events to a debate's read model. If it is not cached or misses events, folds it from the stream.
    async fn fold(&mut self, debate: DebateId, events: &[&Recorded]) -> Result<(), Fault> {
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(()) };
        let board = self.kept.entry(debate).or_default();
        if first.version > board.summary.version + 1 {
            *board = folded(&self.log, debate, last.version).await?;
            return Ok(());
        }
        for recorded in events {
            if recorded.version > board.summary.version {
                board.apply(recorded);
            }
        }
        Ok(())
    }
}

/// Folds a debate's stream into its read model, at least up to a version and including the part shared with its fork
/// origin. Returns an empty read model for an erased debate.
///
/// # Errors
/// [`Fault::Damaged`] or [`Fault::StreamGap`] if the stream cannot be read; any other [`Fault`] if the database cannot
/// be reached or refuses a statement.
pub async fn folded(log: &Log, debate: DebateId, version: i64) -> Result<Board, Fault> {
    let mut board = Board::default();
    while board.summary.version < version {
        let page = match log.read(debate, board.summary.version, PAGE).await {
            Err(Fault::Erased { .. }) => return Ok(Board::default()),
            read => read?,
        };
        if page.is_empty() {
            break;
        }
        page.iter().for_each(|it| board.apply(it));
    }
    Ok(board)
}

/// Folds a debate's stream up to a version, as far as it can be read, and returns the fault that stopped it, if any.
/// Returns an empty read model for an erased debate.
///
/// # Errors
/// [`Fault::StreamGap`] if the stream has a gap; any other [`Fault`] but [`Fault::Damaged`] if the database cannot be
/// reached or refuses a statement.
pub async fn readable(log: &Log, debate: DebateId, version: i64) -> Result<(Board, Option<Fault>), Fault> {
    match folded(log, debate, version).await {
        Ok(board) => Ok((board, None)),
        Err(fault) => match fault {
            Fault::Damaged { version: broken, .. } => {
                let board = if broken > 1 { before(log, debate, broken).await? } else { Board::default() };
                Ok((board, Some(fault)))
            }
            fault => Err(fault),
        },
    }
}

/// Folds a debate's stream up to the event before `version`, and reads no further.
async fn before(log: &Log, debate: DebateId, version: i64) -> Result<Board, Fault> {
    let mut board = Board::default();
    while board.summary.version < version - 1 {
        let lacking = version - 1 - board.summary.version;
        let page = log.read(debate, board.summary.version, lacking.min(PAGE)).await?;
        if page.is_empty() {
            break;
        }
        page.iter().for_each(|it| board.apply(it));
    }
    Ok(board)
}

/// Builds the rows of debates in a generation. Runs on the blocking pool, because the verdict of a hard debate takes
/// long and nothing else should wait for it.
///
/// # Errors
/// [`Fault::Json`] if a view cannot be encoded.
pub async fn judged(generation: i32, boards: Vec<(DebateId, Board)>) -> Result<Changes, Fault> {
    let judged = spawn_blocking(move || {
        let mut changes = Changes::default();
        boards.iter().try_for_each(|(debate, board)| add_rows(&mut changes, generation, *debate, board))?;
        Ok(changes)
    });
    judged.await.unwrap_or_else(ended)
}

/// Handles a task that did not complete: resumes its panic, or reports that the runtime is stopping.
///
/// # Errors
/// Always [`Fault::Stopped`].
pub fn ended<T>(error: JoinError) -> Result<T, Fault> {
    match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Err(Fault::Stopped),
    }
}

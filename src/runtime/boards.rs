//! Debates as they stand, kept folded for as long as they are likely to move again.

use std::collections::{BTreeMap, HashMap};

use tokio::task::{JoinError, spawn_blocking};

use crate::events::event::{Event, Recorded};
use crate::events::ids::DebateId;
use crate::runtime::rows::add_rows;
use crate::store::fault::Fault;
use crate::store::log::Log;
use crate::store::views::Changes;
use crate::verdicts::board::Board;

/// How many debates are kept folded in memory.
const BOARDS: usize = 512;
/// Events read at once.
const PAGE: i64 = 1_000;

/// Debates as they stand.
pub struct Boards {
    log: Log,
    kept: HashMap<DebateId, Board>,
}

/// What came of events.
#[derive(Default)]
pub struct Moved {
    /// The debates that moved, as they are now.
    pub boards: Vec<(DebateId, Board)>,
    /// Others that moved, and why they cannot be read.
    pub damaged: Vec<(DebateId, Fault)>,
}

impl Boards {
    /// None yet.
    pub fn new(log: Log) -> Boards {
        Boards { log, kept: HashMap::new() }
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.kept.clear();
    }

    /// The debates that moved by these events, as they are then; those that cannot be read are told apart.
    ///
    /// # Errors
    /// A gap in the log; else the database's.
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

    /// Brings a board up to these events; where it was not kept, or lacks something, from the stream itself.
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

/// A debate as of a version at least, folded from its stream: what it shares with its origin is part of it. Of one that was
/// erased nothing is.
///
/// # Errors
/// Damage in the log; else the database's.
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

/// A debate up to a version as far as it can be read, and why no further where it cannot. Of one that was erased nothing is.
///
/// # Errors
/// A gap in the log; else the database's.
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

/// A debate before a version, and not a page further.
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

/// The rows of debates in a generation. Judged beside everything else: a hard debate takes its time, and nobody is to
/// wait for it.
///
/// # Errors
/// [`Fault::Json`] where a view cannot be written.
pub async fn judged(generation: i32, boards: Vec<(DebateId, Board)>) -> Result<Changes, Fault> {
    let judged = spawn_blocking(move || {
        let mut changes = Changes::default();
        boards.iter().try_for_each(|(debate, board)| add_rows(&mut changes, generation, *debate, board))?;
        Ok(changes)
    });
    judged.await.unwrap_or_else(ended)
}

/// What becomes of a task that did not come to its end: its panic is ours, and else the runtime stops.
///
/// # Errors
/// [`Fault::Stopped`], always.
pub fn ended<T>(error: JoinError) -> Result<T, Fault> {
    match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Err(Fault::Stopped),
    }
}

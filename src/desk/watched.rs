//! Debate watcher: yields a debate's read model whenever the debate has changed, at a limited rate.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::desk::desk::{Desk, DeskError};
use crate::desk::feeds::{Feed, Feeds, NoFeed};
use crate::events::ids::DebateId;
use crate::kernel::engine::{Refusal, RefusalKind};
use crate::store::fault::Fault;
use crate::verdicts::board::Board;

/// Time window within which changes are reported together.
pub const COALESCE: Duration = Duration::from_millis(200);

/// Read model of a debate, yielded at first and after each change.
pub struct Watched {
    board: Board,
    /// `None` once the debate can no longer change.
    feed: Option<Feed>,
    told: bool,
}

impl Watched {
    /// Starts to watch a debate.
    ///
    /// # Errors
    /// [`DeskError::Refused`] if the debate does not exist; [`DeskError::Fault`] if it cannot be read.
    pub async fn open(desk: &Desk, feeds: &Feeds, debate: DebateId) -> Result<Watched, DeskError> {
        let board = desk.board(debate, None).await?;
        let feed = feeds.debate(debate, board.summary.version, None).await.map_err(|it| match it {
            NoFeed::Fault(fault) => DeskError::from(fault),
            other => DeskError::Refused(Refusal::new(RefusalKind::NotFound, other.to_string())),
        })?;
        Ok(Watched { board, feed: Some(feed).filter(|it| !it.is_over()), told: false })
    }

    /// Returns the current read model at first, then a new one after each change, with all events within [`COALESCE`]
    /// applied together. Returns `None` after the debate's final state was returned, and after a fault.
    pub async fn next(&mut self) -> Option<Result<Arc<Board>, Fault>> {
        if !std::mem::replace(&mut self.told, true) {
            return Some(Ok(Arc::new(self.board.clone())));
        }
        let feed = self.feed.as_mut()?;
        let mut until = None::<Instant>;
        loop {
            let read = match until {
                None => feed.next().await,
                Some(until) => match timeout_at(until, feed.next()).await {
                    Ok(read) => read,
                    Err(_) => break,
                },
            };
            match read {
                Some(Ok(event)) => {
                    self.board.apply(&event);
                    until.get_or_insert_with(|| Instant::now() + COALESCE);
                }
                Some(Err(fault)) => {
                    self.feed = None;
                    return Some(Err(fault));
                }
                None => {
                    self.feed = None;
                    until?;
                    break;
                }
            }
        }
        Some(Ok(Arc::new(self.board.clone())))
    }
}

//! The views of a debate, folded when the first field asks for them.

use std::sync::Arc;

use async_graphql::{Context, Result};
use tokio::sync::OnceCell;

use crate::api::error::from_desk;
use crate::desk::desk::Desk;
use crate::events::ids::DebateId;
use crate::verdicts::board::Board;

/// The views of a debate at one version. Clones share them.
#[derive(Clone)]
pub struct Folded {
    debate: DebateId,
    at: Option<i64>,
    board: Arc<OnceCell<Arc<Board>>>,
}

impl Folded {
    /// Of this debate at this version, not folded yet.
    pub fn new(debate: DebateId, at: Option<i64>) -> Folded {
        Folded { debate, at, board: Arc::default() }
    }

    /// Takes views that are known already. Without effect where they were folded before.
    pub fn know(&self, board: Board) {
        // Whoever comes second has folded the same events.
        drop(self.board.set(Arc::new(board)));
    }

    /// The views, folded once for all who ask.
    pub async fn board(&self, context: &Context<'_>) -> Result<&Arc<Board>> {
        let fold = async || context.data::<Desk>()?.board(self.debate, self.at).await.map(Arc::new).map_err(from_desk);
        self.board.get_or_try_init(fold).await
    }
}

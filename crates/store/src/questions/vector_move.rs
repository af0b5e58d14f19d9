//! Moves the vectors of questions to another server, while questions are embedded, compared and searched for.
//!
//! ```text
//! store new vectors there ─▶ wait until every process knows ─▶ move the others, a few at a time ─▶ build the index ─▶ end
//! └── searches and comparisons ask both servers, first the former one ─────────────────────────────────────────────────┘
//! ```
//!
//! A move that is interrupted goes on when it is begun again, to the same server or back. Several processes may move at once.

use std::time::Duration;

use sqlx::{Postgres, Transaction};
use tokio::time::sleep;

use crate::database::transaction::begin;
use crate::error::StoreError;
use crate::questions::question_index::INDEXED_FROM;
use crate::questions::vector_table::VectorTable;
use crate::shard::ShardError;
use crate::shards::question_places::QuestionPlacement;
use crate::stored_embedder::StoredEmbedder;
use crate::views::views::Views;

/// Time after which every process knows that vectors are on two servers, unless it is cut off from the home.
pub const QUESTIONS_GRACE: Duration = Duration::from_secs(5);
/// Number of vectors that are moved by one transaction.
const BATCH: i64 = 1_000;

const ATTEMPT: &str = "move the vectors of questions";

/// Result of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedQuestions {
    /// Name of the shard that had the vectors.
    pub from: String,
    /// Number of vectors that this call moved.
    pub n_vectors: u64,
}

impl Views {
    /// Moves the vectors of questions to a shard by its name; `None` if all are there already. `by` is the embedder in use, whose
    /// vectors get an index. `report` is called with the number of moved vectors and that of all.
    ///
    /// Cost: reads and writes every vector once, and builds their index.
    ///
    /// # Errors
    /// [`StoreError::Shard`] if the shard is unknown, or the vectors are being moved to another one; any other [`StoreError`] if
    /// a database cannot be reached or refuses a statement. Vectors are then on both servers, and the move can be repeated.
    pub async fn move_questions(
        &self,
        target: &str,
        by: Option<&StoredEmbedder>,
        grace: Duration,
        mut report: impl FnMut(u64, u64),
    ) -> Result<Option<MovedQuestions>, StoreError> {
        let attempt = StoreError::database(ATTEMPT);
        let Some(placement) = self.begin_question_move(target).await? else { return Ok(None) };
        let QuestionPlacement { current, former: Some(former) } = placement else { return Ok(None) };
        self.shards.reload().await?;
        let (source, to) = (VectorTable::at(&self.shards, former), VectorTable::at(&self.shards, current));
        // Left of an earlier stay: each vector would be put into it.
        to.drop_indexes().await?;
        sleep(grace).await;
        let all = source.count().await.map_err(&attempt)?.unsigned_abs();
        let (mut n_vectors, mut after) = (0, (i16::MIN, i64::MIN));
        loop {
            report(n_vectors, all.max(n_vectors));
            match self.move_some(placement, (source, to), after).await? {
                Some((n, last)) => (n_vectors, after) = (n_vectors + n, last),
                // A row that another process had locked may have been passed over.
                None if source.count().await.map_err(&attempt)? > 0 => after = (i16::MIN, i64::MIN),
                None => break,
            }
        }
        if let Some(by) = by {
            to.maintain_index(by, INDEXED_FROM).await?;
        }
        let ended = sqlx::query("update question_placement set former = null where shard = $1")
            .bind(target)
            .execute(&self.pool)
            .await
            .map_err(attempt)?;
        if ended.rows_affected() == 0 {
            return Err(self.moving_elsewhere(self.shards.read_question_placement(&self.pool).await?));
        }
        self.shards.reload().await?;
        source.drop_indexes().await?;
        Ok(Some(MovedQuestions { from: self.shards.name_at(former).to_owned(), n_vectors }))
    }

    /// Changes the placement, and waits for vectors that are being stored or compared by the former one. Returns the placement;
    /// `None` if there is nothing to move.
    async fn begin_question_move(&self, target: &str) -> Result<Option<QuestionPlacement>, StoreError> {
        let attempt = StoreError::database(ATTEMPT);
        let Some(to) = self.shards.place_of_shard(target) else {
            let known = self.shards.names().join(", ");
            return Err(ShardError::NoShard { shard: target.to_owned(), known }.into());
        };
        let mut held = begin(&self.pool).await.map_err(&attempt)?;
        sqlx::query("select from question_placement for update").execute(&mut *held).await.map_err(&attempt)?;
        let before = self.shards.read_question_placement(&mut *held).await?;
        let former = match before.former {
            None if before.current == to => return Ok(None),
            None => before.current,
            Some(former) if before.current == to => former,
            Some(former) if former == to => before.current,
            Some(_) => return Err(self.moving_elsewhere(before)),
        };
        sqlx::query("update question_placement set shard = $1, former = $2")
            .bind(target)
            .bind(self.shards.name_at(former))
            .execute(&mut *held)
            .await
            .map_err(&attempt)?;
        held.commit().await.map_err(attempt)?;
        Ok(Some(QuestionPlacement { current: to, former: Some(former) }))
    }

    /// Begins a transaction at home, to the end of which this move is neither turned round nor ended.
    async fn hold_move(&self, placement: QuestionPlacement) -> Result<Transaction<'static, Postgres>, StoreError> {
        let mut held = begin(&self.pool).await.map_err(StoreError::database(ATTEMPT))?;
        match self.shards.hold_question_placement(&mut *held).await? {
            now if now == placement => Ok(held),
            now => Err(self.moving_elsewhere(now)),
        }
    }

    /// Returns the error of a move to a shard that is not the one to which the vectors are being moved.
    fn moving_elsewhere(&self, now: QuestionPlacement) -> StoreError {
        let name = |place| self.shards.name_at(place).to_owned();
        let former = now.former.unwrap_or(now.current);
        ShardError::QuestionsMoving { former: name(former), current: name(now.current) }.into()
    }

    /// Moves the next vectors. Returns their number, and the last of them; `None` if there are none left behind `after`.
    async fn move_some(
        &self,
        placement: QuestionPlacement,
        (source, to): (VectorTable<'_>, VectorTable<'_>),
        after: (i16, i64),
    ) -> Result<Option<(u64, (i16, i64))>, StoreError> {
        let attempt = StoreError::database(ATTEMPT);
        let mut held = self.hold_move(placement).await?;
        let mut server = source.connect(&mut held).await.map_err(&attempt)?;
        let vectors = source.page(server.get(), after, BATCH).await.map_err(&attempt)?;
        let Some((embedder, question, _)) = vectors.last() else { return Ok(None) };
        let last = (*embedder, *question);
        drop(server);
        let mut server = to.connect(&mut held).await.map_err(&attempt)?;
        to.put(server.get(), &vectors).await.map_err(&attempt)?;
        server.commit().await.map_err(&attempt)?;
        if source.is_home {
            source.remove(&mut held, &vectors).await.map_err(&attempt)?;
            held.commit().await.map_err(&attempt)?;
        } else {
            held.commit().await.map_err(&attempt)?;
            // Under the lock again: if the move was turned round meanwhile, these are the vectors to keep.
            let mut held = self.hold_move(placement).await?;
            let mut server = source.connect(&mut held).await.map_err(&attempt)?;
            source.remove(server.get(), &vectors).await.map_err(&attempt)?;
            server.commit().await.map_err(&attempt)?;
        }
        Ok(Some((vectors.len() as u64, last)))
    }
}

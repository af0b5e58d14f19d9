//! Reads which servers hold the vectors of questions.

use sqlx::PgExecutor;

use crate::error::StoreError;
use crate::shard::ShardError;
use crate::shards::question_places::QuestionPlacement;
use crate::shards::shards::Shards;

const PLACEMENT: &str = "select shard, former from question_placement";
const HELD_PLACEMENT: &str = "select shard, former from question_placement for share";

impl Shards {
    /// Reads the placement of the vectors of questions.
    pub(crate) async fn read_question_placement(
        &self,
        on: impl PgExecutor<'_>,
    ) -> Result<QuestionPlacement, StoreError> {
        self.placement_by(PLACEMENT, on).await
    }

    /// Reads the placement in a transaction at home, to the end of which it does not change.
    pub(crate) async fn hold_question_placement(
        &self,
        on: impl PgExecutor<'_>,
    ) -> Result<QuestionPlacement, StoreError> {
        self.placement_by(HELD_PLACEMENT, on).await
    }

    async fn placement_by(&self, sql: &'static str, on: impl PgExecutor<'_>) -> Result<QuestionPlacement, StoreError> {
        let row = sqlx::query_as(sql).fetch_one(on).await;
        let (shard, former): (String, Option<String>) =
            row.map_err(StoreError::database("read where the vectors of questions are"))?;
        Ok(QuestionPlacement {
            current: self.known_place(shard)?,
            former: former.map(|former| self.known_place(former)).transpose()?,
        })
    }

    fn known_place(&self, shard: String) -> Result<usize, StoreError> {
        let place = self.place_of_shard(&shard);
        place.ok_or_else(|| ShardError::Unknown { what: "vectors of questions are".to_owned(), shard }.into())
    }
}

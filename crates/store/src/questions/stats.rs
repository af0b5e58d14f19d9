//! Amounts of questions, vectors and pairs, and where the vectors are.

use crate::error::StoreError;
use crate::views::views::Views;

/// Amounts of questions, and the placement of their vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionStats {
    /// Name of the shard that has the vectors.
    pub shard: String,
    /// Name of the shard from which vectors are being moved; `None` if it has none left.
    pub former: Option<String>,
    /// Number of distinct texts of cruxes and disputes.
    pub n_questions: i64,
    /// Number of texts that have a vector by the embedder in use.
    pub n_vectors: i64,
    /// Number of pairs of similar texts, by the embedder in use.
    pub n_pairs: i64,
    /// Number of texts that have no vector by it yet, or one that was not compared with the others.
    pub n_due: i64,
}

impl Views {
    /// Counts questions, vectors and pairs. Reads all of their rows.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn question_stats(&self) -> Result<QuestionStats, StoreError> {
        let sql = "
            select
                shard,
                former,
                (select count(*) from questions),
                (select count(*) from question_vectors join embedders on id = embedder where in_use),
                (select count(*) from question_pairs join embedders on id = embedder where in_use)
            from question_placement";
        let row: (String, Option<String>, i64, i64, i64) =
            sqlx::query_as(sql).fetch_one(&self.pool).await.map_err(StoreError::database("count the questions"))?;
        let (shard, former, n_questions, n_vectors, n_pairs) = row;
        Ok(QuestionStats { shard, former, n_questions, n_vectors, n_pairs, n_due: self.questions_due().await? })
    }
}

//! Cosines of a search and the questions that it goes through, if their vectors are not at home.

use sqlx::{Postgres, QueryBuilder};

use crate::error::StoreError;
use crate::questions::vector_table::vector_tables;
use crate::views::question_search::SearchQuery;
use crate::views::views::Views;

impl Views {
    /// Adds to a search what its statement needs of vectors that are not at home: the cosines of all texts of the rows that
    /// `narrow` selects, which pushes the `from` and `where` clauses. If a shard cannot be reached, its texts are found by
    /// words only.
    ///
    /// # Errors
    /// [`StoreError`] if the home cannot be reached or refuses a statement.
    pub(crate) async fn with_cosines(
        &self,
        sought: &SearchQuery,
        narrow: impl FnOnce(&mut QueryBuilder<Postgres>),
    ) -> Result<SearchQuery, StoreError> {
        let placement = self.shards.question_placement();
        let Some((by, vector)) = sought.vector().filter(|_| !placement.is_home()) else { return Ok(sought.clone()) };
        let attempt = StoreError::database("search for questions by meaning");
        let mut query = QueryBuilder::new("select id from (select distinct question ");
        narrow(&mut query);
        query.push(") as listed join questions on hash = question");
        let questions: Vec<i64> = query.build_query_scalar().fetch_all(&self.pool).await.map_err(&attempt)?;
        let mut cosines = Vec::new();
        for table in vector_tables(&self.shards, placement) {
            match table.cosines(by, vector, &questions).await {
                Ok(found) => cosines.extend(found),
                Err(error) if table.is_home => return Err(attempt(error)),
                Err(error) => {
                    tracing::warn!(%error, "the vectors of questions cannot be reached; searching by words only");
                }
            }
        }
        // One that was being moved was found on both servers.
        cosines.sort_by_key(|(question, _)| *question);
        cosines.dedup_by_key(|(question, _)| *question);
        Ok(sought.clone().with_cosines(cosines))
    }
}

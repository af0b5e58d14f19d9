//! Pairs the debates of two generations, in pages.

use uuid::Uuid;

use crate::error::StoreError;
use crate::generations::generations::Generations;
use crate::reads_row;
use faultline_core::events::ids::DebateId;

/// Maximum number of debates in a page.
pub const MAX_PAIRS: i64 = 100;

/// Debate with the versions of a stored view in two generations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewPair {
    /// The debate.
    pub debate: DebateId,
    /// Topic of the debate; empty if neither generation has a summary row of it.
    pub topic: String,
    /// Version of the view in the first generation; `None` if it has none.
    pub before: Option<i64>,
    /// Version of the view in the second generation; `None` if it has none.
    pub after: Option<i64>,
}

struct Stored {
    debate_id: Uuid,
    topic: Option<String>,
    old_version: Option<i64>,
    new_version: Option<i64>,
}

reads_row!(Stored { debate_id, topic, old_version, new_version });

impl Generations {
    /// Returns the debates that have a view in one of two generations, by id, after `after`; at most [`MAX_PAIRS`], empty at the
    /// end.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn pairs(
        &self,
        projection: &str,
        generations: (i32, i32),
        after: Option<DebateId>,
    ) -> Result<Vec<ViewPair>, StoreError> {
        let rows: Vec<Stored> = sqlx::query_as(
            "select
                wanted.debate_id,
                coalesce(new_line.topic, old_line.topic) as topic,
                old.version as old_version,
                new.version as new_version
            from (
                (
                    select debate_id
                    from views
                    where projection = $1 and generation = $2 and ($4::uuid is null or debate_id > $4)
                    order by debate_id
                    limit $5
                )
                union
                (
                    select debate_id
                    from views
                    where projection = $1 and generation = $3 and ($4::uuid is null or debate_id > $4)
                    order by debate_id
                    limit $5
                )
                order by debate_id
                limit $5
            ) as wanted
            left join views as old
                on old.projection = $1 and old.generation = $2 and old.debate_id = wanted.debate_id
            left join views as new
                on new.projection = $1 and new.generation = $3 and new.debate_id = wanted.debate_id
            left join debates as old_line on old_line.generation = $2 and old_line.debate_id = wanted.debate_id
            left join debates as new_line on new_line.generation = $3 and new_line.debate_id = wanted.debate_id
            order by wanted.debate_id",
        )
        .bind(projection)
        .bind(generations.0)
        .bind(generations.1)
        .bind(after.map(|debate| debate.0))
        .bind(MAX_PAIRS)
        .fetch_all(&self.pool)
        .await
        .map_err(StoreError::database("compare two generations"))?;
        let pair = |row: Stored| ViewPair {
            debate: DebateId(row.debate_id),
            topic: row.topic.unwrap_or_default(),
            before: row.old_version,
            after: row.new_version,
        };
        Ok(rows.into_iter().map(pair).collect())
    }
}

//! Stored data of given debates: the summary of one debate with its current version, or the cruxes of several debates
//! at once.

use std::collections::HashMap;

use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::error::StoreError;
use crate::lanes::lane_of;
use crate::log::log;
use crate::reads_row;
use crate::views::cruxes::StoredCrux;
use crate::views::views::Views;
use faultline_core::events::ids::DebateId;

/// Stored summary of a debate.
#[derive(Clone, Debug)]
pub struct StoredSummary {
    /// Served generation that the summary belongs to.
    pub generation: i32,
    /// Revision of the projection code that derived it.
    pub revision: i32,
    /// Version of the debate's newest event in the fold.
    pub version: i64,
    /// Summary as JSON.
    pub body: String,
    /// Current version of the debate's stream.
    pub head: i64,
}

struct FoundSummary {
    generation: i32,
    revision: i32,
    version: i64,
    body: String,
    /// `None` if the events of the debate are on another server.
    head: Option<i64>,
}

reads_row!(FoundSummary { generation, revision, version, body, head });

/// Stored cruxes of a debate, in its own order.
#[derive(Clone, Debug, Default)]
pub struct CruxesAt {
    /// Version of the debate's row, to which the cruxes belong.
    pub version: i64,
    /// Cruxes of the debate.
    pub rows: Vec<StoredCrux>,
}

/// Columns of a complete crux.
const WHOLE: &str = "coalesce(c.body::text, '') as body";
/// Columns of a brief crux.
const BRIEF: &str = "'' as body, coalesce(c.kind, '') as kind, coalesce(c.open, false) as open,
                coalesce(c.body ->> 'statement', '') as statement, coalesce(c.body ->> 'question', '') as question";

struct Joined {
    of: Uuid,
    at: i64,
    is_crux: bool,
    crux: StoredCrux,
}

reads_row!(Joined { of, at, is_crux } flatten { crux });

impl Views {
    /// Returns the served summary of a debate with the current version of its stream: if `version == head`, the summary
    /// is current. `None` if nothing is stored of the debate. One statement; two if the events are on another server.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn find_summary(&self, debate: DebateId) -> Result<Option<StoredSummary>, StoreError> {
        let found: Option<FoundSummary> = sqlx::query_as(
            "select
                generations.generation, generations.revision, views.version, views.body::text as body,
                case when exists (select from lanes where lane = $2 and closed_head is null) then (
                    select coalesce(max(events.version), 0)
                    from events
                    where events.lane = $2
                    and events.debate_id = $1
                ) end as head
            from served
            join generations using (generation)
            join views on views.projection = 'summary' and views.generation = served.generation
            where served.name = 'debates'
            and views.debate_id = $1",
        )
        .bind(debate.0)
        .bind(lane_of(debate))
        .fetch_optional(&self.pool)
        .await
        .map_err(StoreError::database("look up the summary of a debate"))?;
        let Some(FoundSummary { generation, revision, version, body, head }) = found else { return Ok(None) };
        let head = match head {
            Some(head) => head,
            None => log::head(&self.shards, debate).await?,
        };
        Ok(Some(StoredSummary { generation, revision, version, body, head }))
    }

    /// Returns the stored cruxes of several debates in one statement; debates without a row are omitted. With `brief`,
    /// only the fields of [`BriefCrux`](crate::views::cruxes::BriefCrux) are read.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn cruxes_of_all(
        &self,
        generation: i32,
        debates: &[DebateId],
        brief: bool,
    ) -> Result<HashMap<DebateId, CruxesAt>, StoreError> {
        let told = if brief { BRIEF } else { WHOLE };
        let rows: Vec<Joined> = sqlx::query_as(AssertSqlSafe(format!(
            "select
                d.debate_id as of, d.version as at, c.key is not null as is_crux,
                d.generation, d.debate_id, coalesce(c.key, '') as key, coalesce(c.place, 0) as place, c.pivotality,
                coalesce(c.n_dependents, 0) as n_dependents, coalesce(c.opened_at, d.opened_at) as opened_at,
                coalesce(c.changed_at, d.opened_at) as changed_at, {told},
                null::bigint as total
            from debates d
            left join cruxes c using (generation, debate_id)
            where d.generation = $1
            and d.debate_id = any ($2)
            order by d.debate_id, c.place",
        )))
        .bind(generation)
        .bind(debates.iter().map(|debate| debate.0).collect::<Vec<_>>())
        .fetch_all(&self.pool)
        .await
        .map_err(StoreError::database("read the cruxes of several debates"))?;
        let mut found: HashMap<DebateId, CruxesAt> = HashMap::with_capacity(debates.len());
        for row in rows {
            let cruxes = found.entry(DebateId(row.of)).or_default();
            cruxes.version = row.at;
            if row.is_crux {
                cruxes.rows.push(row.crux);
            }
        }
        Ok(found)
    }
}

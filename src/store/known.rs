//! What is stored of debates, asked for by name: of one, with how far its stream is; of many, at once.

use std::collections::HashMap;

use sqlx::{AssertSqlSafe, FromRow};
use uuid::Uuid;

use crate::events::ids::DebateId;
use crate::store::cruxes::StoredCrux;
use crate::store::fault::Fault;
use crate::store::lanes::lane_of;
use crate::store::views::Views;

/// The stored summary of a debate.
#[derive(Clone, Debug, FromRow)]
pub struct Known {
    /// The generation of rows that it is of: the one that is served.
    pub generation: i32,
    /// Which fold that was made by.
    pub revision: i32,
    /// The debate's newest event in the fold.
    pub version: i64,
    /// The summary as JSON.
    pub body: String,
    /// The version at which the debate's stream stands.
    pub head: i64,
}

/// The stored cruxes of a debate, in its own order.
#[derive(Clone, Debug, Default)]
pub struct CruxesAt {
    /// The version of the debate's line, for which they stand.
    pub version: i64,
    /// The cruxes.
    pub rows: Vec<StoredCrux>,
}

/// All of a crux.
const WHOLE: &str = "coalesce(c.body::text, '') as body";
/// What it is in brief.
const BRIEF: &str = "'' as body, coalesce(c.kind, '') as kind, coalesce(c.open, false) as open,
                coalesce(c.body ->> 'statement', '') as statement, coalesce(c.body ->> 'question', '') as question";

#[derive(FromRow)]
struct Joined {
    of: Uuid,
    at: i64,
    is_crux: bool,
    #[sqlx(flatten)]
    crux: StoredCrux,
}

impl Views {
    /// The served summary of a debate, and how far its stream is: where that is as far, the one is the fold of the other.
    /// One statement. `None` where nothing is stored of it.
    ///
    /// # Errors
    /// The database's.
    pub async fn known(&self, debate: DebateId) -> Result<Option<Known>, Fault> {
        sqlx::query_as(
            "select
                generations.generation, generations.revision, views.version, views.body::text as body,
                (
                    select coalesce(max(events.version), 0)
                    from events
                    where events.lane = $2
                    and events.debate_id = $1
                ) as head
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
        .map_err(Fault::database("look up a debate"))
    }

    /// The stored cruxes of several debates, in one statement; debates without a line are left out. `brief`: no more of each
    /// than [`BriefCrux`](crate::store::cruxes::BriefCrux) says.
    ///
    /// # Errors
    /// The database's.
    pub async fn cruxes_of_all(
        &self,
        generation: i32,
        debates: &[DebateId],
        brief: bool,
    ) -> Result<HashMap<DebateId, CruxesAt>, Fault> {
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
        .bind(debates.iter().map(|it| it.0).collect::<Vec<_>>())
        .fetch_all(&self.pool)
        .await
        .map_err(Fault::database("read the cruxes of several debates"))?;
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

//! The disputes of all debates: filtered, searched, the newest or the best first, from any place in either direction.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, Postgres, QueryBuilder};
use uuid::Uuid;

use crate::events::ids::{DebateId, PersonaId};
use crate::store::cruxes::Measure;
use crate::store::debates::{LINES, Toward};
use crate::store::fault::Fault;
use crate::store::questions::search::{Hit, Sought, push_found};
use crate::store::views::Views;

/// Which disputes to list: those to which everything given applies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DisputeFilter {
    /// Of this debate.
    pub debate: Option<DebateId>,
    /// On which this persona has a stance.
    pub persona: Option<PersonaId>,
    /// That are there in their life, in the fold's words.
    pub status: Option<String>,
    /// That are their debate's topic, or are not.
    pub is_topic: Option<bool>,
}

/// A place in a list: at a dispute, whether or not that is still there.
#[derive(Clone, Debug, PartialEq)]
pub struct DisputePlace {
    /// By what the list is ordered: a time, or a score where it is searched.
    pub by: Measure,
    /// The dispute's debate.
    pub debate: DebateId,
    /// Its name in the debate.
    pub key: String,
}

/// A part of the list.
#[derive(Clone, Debug)]
pub struct DisputePart {
    /// The place beside which it begins; one of the two ends where there is none.
    pub from: Option<DisputePlace>,
    /// Which way to go: `Older` is further down the list.
    pub toward: Toward,
    /// How many at most; not more than [`LINES`].
    pub limit: i64,
    /// Whether to count all that the filter, and the search, let through.
    pub counted: bool,
}

/// Disputes of the list.
#[derive(Clone, Debug, Default)]
pub struct Disputes {
    /// The disputes in the list's order, whichever way was gone.
    pub rows: Vec<StoredDispute>,
    /// Whether there are more that way.
    pub more: bool,
    /// How many there are in all, where that was asked.
    pub total: Option<i64>,
}

/// A dispute as it was stored.
#[derive(Clone, Debug, FromRow)]
pub struct StoredDispute {
    debate_id: Uuid,
    /// Its name in the debate.
    pub key: String,
    /// The question.
    pub statement: String,
    /// Where it is in its life.
    pub status: String,
    /// Whether it is the debate's own topic.
    pub is_topic: bool,
    /// When the first turn behind it was recorded.
    pub opened_at: DateTime<Utc>,
    /// When the newest turn behind it was recorded.
    pub changed_at: DateTime<Utc>,
    /// The present stances, as JSON.
    pub body: String,
    /// Why it was found; nothing where nothing was searched for.
    #[sqlx(flatten)]
    pub hit: Hit,
}

impl StoredDispute {
    /// The debate.
    pub fn debate(&self) -> DebateId {
        DebateId(self.debate_id)
    }
}

const COLUMNS: &str = "debate_id, key, statement, status, is_topic, opened_at, changed_at, body::text as body";

impl Views {
    /// A part of the list of disputes of a generation: the newest first, or what fits best where something is sought. One
    /// statement; another where they are to be counted.
    ///
    /// # Errors
    /// The database's.
    pub async fn disputes(
        &self,
        generation: i32,
        filter: &DisputeFilter,
        sought: Option<&Sought>,
        part: &DisputePart,
    ) -> Result<Disputes, Fault> {
        let limit = part.limit.clamp(1, LINES) as usize;
        let mut query = QueryBuilder::new("");
        let column = match sought {
            Some(sought) => {
                push_found(&mut query, sought, COLUMNS, |it| narrow(it, generation, filter));
                query.push("select * from found where true");
                "score"
            }
            None => {
                query.push(format!(
                    "select {COLUMNS}, 0::bigint as score, null::float8 as cosine, '{{}}'::text[] as stems "
                ));
                narrow(&mut query, generation, filter);
                "opened_at"
            }
        };
        let is_down = part.toward == Toward::Older;
        if let Some(place) = &part.from {
            query.push(format!(" and ({column}, debate_id, key) {} (", if is_down { "<" } else { ">" }));
            place.by.push(&mut query);
            query.push(", ").push_bind(place.debate.0).push(", ").push_bind(place.key.clone()).push(")");
        }
        let way = if is_down { "desc" } else { "asc" };
        query.push(format!(" order by {column} {way}, debate_id {way}, key {way} limit ")).push_bind(limit as i64 + 1);
        let mut rows: Vec<StoredDispute> =
            query.build_query_as().fetch_all(&self.pool).await.map_err(Fault::database("list disputes"))?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        if !is_down {
            rows.reverse();
        }
        let total = if part.counted { Some(self.count_disputes(generation, filter, sought).await?) } else { None };
        Ok(Disputes { rows, more, total })
    }

    async fn count_disputes(
        &self,
        generation: i32,
        filter: &DisputeFilter,
        sought: Option<&Sought>,
    ) -> Result<i64, Fault> {
        let mut query = QueryBuilder::new("");
        match sought {
            Some(sought) => {
                push_found(&mut query, sought, COLUMNS, |it| narrow(it, generation, filter));
                query.push("select count(*) from found");
            }
            None => {
                query.push("select count(*) ");
                narrow(&mut query, generation, filter);
            }
        }
        query.build_query_scalar().fetch_one(&self.pool).await.map_err(Fault::database("count disputes"))
    }
}

/// The disputes that a filter lets through, from `from` on.
fn narrow(query: &mut QueryBuilder<Postgres>, generation: i32, filter: &DisputeFilter) {
    query.push("from disputes where generation = ").push_bind(generation);
    if let Some(debate) = filter.debate {
        query.push(" and debate_id = ").push_bind(debate.0);
    }
    if let Some(persona) = &filter.persona {
        query.push(" and personas @> array[").push_bind(persona.as_str().to_owned()).push("]");
    }
    if let Some(status) = &filter.status {
        query.push(" and status = ").push_bind(status.replace('\0', "\u{fffd}"));
    }
    if let Some(is_topic) = filter.is_topic {
        query.push(" and is_topic = ").push_bind(is_topic);
    }
}

//! Lists disputes across debates: filtered, searched, newest or best match first, paged in both directions.

use chrono::{DateTime, Utc};
use sqlx::{Postgres, QueryBuilder};
use uuid::Uuid;

use crate::error::StoreError;
use crate::reads_row;
use crate::views::cruxes::SortKey;
use crate::views::debates::{MAX_PAGE, PageDirection};
use crate::views::question_search::{Hit, SearchQuery, push_found};
use crate::views::views::Views;
use faultline_core::events::ids::{DebateId, PersonaId};

/// Filter for disputes; all given conditions must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DisputeQuery {
    /// Only disputes of this debate.
    pub debate: Option<DebateId>,
    /// Only disputes on which this persona has a stance.
    pub persona: Option<PersonaId>,
    /// Only disputes at this stage of their life cycle, as the projection names it.
    pub status: Option<String>,
    /// Only disputes that are their debate's topic (`true`), or that are not (`false`).
    pub is_topic: Option<bool>,
}

/// Position in a list: next to a dispute, which may have been deleted since.
#[derive(Clone, Debug, PartialEq)]
pub struct DisputeCursor {
    /// Value that the list is ordered by: a time, or a score if it is searched.
    pub by: SortKey,
    /// Debate of the dispute.
    pub debate: DebateId,
    /// Id of the dispute in its debate.
    pub key: String,
}

/// Requested page of the list.
#[derive(Clone, Debug)]
pub struct DisputePageRequest {
    /// Position next to which the page starts; `None` for an end of the list.
    pub from: Option<DisputeCursor>,
    /// Direction of paging. `Older` is further down the list.
    pub toward: PageDirection,
    /// Maximum number of disputes; at most [`MAX_PAGE`].
    pub limit: i64,
    /// True to count all disputes that match the filter and the search.
    pub counted: bool,
}

/// Page of the list.
#[derive(Clone, Debug, Default)]
pub struct DisputePage {
    /// Disputes in the list's order, whatever the direction of paging.
    pub rows: Vec<StoredDispute>,
    /// True if there are more disputes in the direction of paging.
    pub more: bool,
    /// Number of all matching disputes, if requested.
    pub total: Option<i64>,
}

/// A stored dispute.
#[derive(Clone, Debug)]
pub struct StoredDispute {
    debate_id: Uuid,
    /// Id of the dispute in its debate.
    pub key: String,
    /// Disputed question.
    pub statement: String,
    /// Stage of the dispute's life cycle.
    pub status: String,
    /// True if the dispute is the debate's own topic.
    pub is_topic: bool,
    /// Time at which the first turn behind the dispute was recorded.
    pub opened_at: DateTime<Utc>,
    /// Time at which the newest turn behind the dispute was recorded.
    pub changed_at: DateTime<Utc>,
    /// Current stances as JSON.
    pub body: String,
    /// Search hit; empty if nothing was searched for.
    pub hit: Hit,
}

reads_row!(StoredDispute { debate_id, key, statement, status, is_topic, opened_at, changed_at, body } flatten { hit });

impl StoredDispute {
    /// Returns the debate of the dispute.
    pub fn debate(&self) -> DebateId {
        DebateId(self.debate_id)
    }
}

const COLUMNS: &str = "debate_id, key, statement, status, is_topic, opened_at, changed_at, body::text as body";

impl Views {
    /// Returns a page of the disputes of a generation: newest first, or best match first if a search is given. One
    /// statement; a second one if a count is requested, and two more before a search if vectors of questions are not at home.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn disputes(
        &self,
        generation: i32,
        filter: &DisputeQuery,
        sought: Option<&SearchQuery>,
        part: &DisputePageRequest,
    ) -> Result<DisputePage, StoreError> {
        let limit = part.limit.clamp(1, MAX_PAGE) as usize;
        let sought = match sought {
            Some(sought) => Some(self.with_cosines(sought, |query| narrow(query, generation, filter)).await?),
            None => None,
        };
        let sought = sought.as_ref();
        let mut query = QueryBuilder::new("");
        let column = match sought {
            Some(sought) => {
                push_found(&mut query, sought, COLUMNS, |query| narrow(query, generation, filter));
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
        let is_down = part.toward == PageDirection::Older;
        if let Some(place) = &part.from {
            query.push(format!(" and ({column}, debate_id, key) {} (", if is_down { "<" } else { ">" }));
            place.by.push(&mut query);
            query.push(", ").push_bind(place.debate.0).push(", ").push_bind(place.key.clone()).push(")");
        }
        let way = if is_down { "desc" } else { "asc" };
        query.push(format!(" order by {column} {way}, debate_id {way}, key {way} limit ")).push_bind(limit as i64 + 1);
        let mut rows: Vec<StoredDispute> =
            query.build_query_as().fetch_all(&self.pool).await.map_err(StoreError::database("list disputes"))?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        if !is_down {
            rows.reverse();
        }
        let total = if part.counted { Some(self.count_disputes(generation, filter, sought).await?) } else { None };
        Ok(DisputePage { rows, more, total })
    }

    async fn count_disputes(
        &self,
        generation: i32,
        filter: &DisputeQuery,
        sought: Option<&SearchQuery>,
    ) -> Result<i64, StoreError> {
        let mut query = QueryBuilder::new("");
        match sought {
            Some(sought) => {
                push_found(&mut query, sought, COLUMNS, |query| narrow(query, generation, filter));
                query.push("select count(*) from found");
            }
            None => {
                query.push("select count(*) ");
                narrow(&mut query, generation, filter);
            }
        }
        query.build_query_scalar().fetch_one(&self.pool).await.map_err(StoreError::database("count disputes"))
    }
}

/// Pushes the `from` and `where` clauses of a filter.
fn narrow(query: &mut QueryBuilder<Postgres>, generation: i32, filter: &DisputeQuery) {
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

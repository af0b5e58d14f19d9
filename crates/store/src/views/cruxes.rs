//! Lists cruxes across debates: filtered, searched, in several orders, paged in both directions.

use chrono::{DateTime, Utc};
use sqlx::{Postgres, QueryBuilder};
use uuid::Uuid;

use crate::error::StoreError;
use crate::reads_row;
use crate::views::debates::{DebateQuery, MAX_PAGE, PageDirection, clean, push_filter, push_generation, push_word};
use crate::views::question_search::{Hit, SearchQuery, push_found};
use crate::views::views::Views;
use faultline_core::events::ids::{DebateId, PersonaId};

/// Filter for cruxes; all given conditions must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CruxQuery {
    /// Only cruxes of this debate.
    pub debate: Option<DebateId>,
    /// Only cruxes on which this persona takes a side.
    pub persona: Option<PersonaId>,
    /// Only cruxes of this kind, as the projection names it.
    pub kind: Option<String>,
    /// Only cruxes that are open (`true`) or resolved (`false`).
    pub open: Option<bool>,
    /// Minimum pivotality; excludes cruxes that have none.
    pub min_pivotality: Option<f64>,
    /// Only cruxes of debates in this regime, as the projection names it.
    pub regime: Option<String>,
    /// Only cruxes of debates that match this filter.
    pub debates: Option<DebateQuery>,
    /// Full-text search over the words of a crux: words, phrases in quotes, `or`, and `-` before excluded words.
    pub search: Option<String>,
}

/// Order of the list. Ties are broken by debate id, later debates first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CruxSort {
    /// Most recently opened first.
    Newest,
    /// Most recently changed first.
    Changed,
    /// Highest pivotality first; cruxes without one come last.
    Pivotality,
    /// Most dependent disputed arguments first.
    Dependents,
}

/// Position in a list: next to a crux, which may have been deleted since.
#[derive(Clone, Debug, PartialEq)]
pub struct CruxCursor {
    /// Value of the crux in the column that the list is ordered by.
    pub by: SortKey,
    /// Debate of the crux.
    pub debate: DebateId,
    /// Key of the crux, unique within its debate.
    pub key: String,
}

const COLUMNS: &str =
    "generation, debate_id, key, place, pivotality, n_dependents, opened_at, changed_at, body::text as body";
/// Columns of a brief crux.
const BRIEF: &str = "generation, debate_id, key, place, pivotality, n_dependents, opened_at, changed_at, '' as body,
    kind, open, body ->> 'statement' as statement, body ->> 'question' as question";

/// Value that cruxes are ordered by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SortKey {
    /// A time.
    At(DateTime<Utc>),
    /// Pivotality; -1 if the crux has none.
    Share(f64),
    /// A number of arguments.
    Number(i32),
    /// Score of a search.
    Score(i64),
}

impl SortKey {
    /// Pushes the value as a bound parameter.
    pub(crate) fn push(self, query: &mut QueryBuilder<Postgres>) {
        match self {
            SortKey::At(at) => query.push_bind(at),
            SortKey::Share(share) => query.push_bind(share),
            SortKey::Number(number) => query.push_bind(number),
            SortKey::Score(score) => query.push_bind(score),
        };
    }
}

/// Requested page of the list.
#[derive(Clone, Debug)]
pub struct CruxPageRequest {
    /// Position next to which the page starts; `None` for an end of the list.
    pub from: Option<CruxCursor>,
    /// Direction of paging. `Older` is further down the list, whatever its order.
    pub toward: PageDirection,
    /// Maximum number of cruxes; at most [`MAX_PAGE`].
    pub limit: i64,
    /// True to count all cruxes that match the filter.
    pub counted: bool,
    /// True to read only the fields of [`BriefCrux`]: a tenth of the work.
    pub brief: bool,
}

/// Page of the list.
#[derive(Clone, Debug, Default)]
pub struct CruxPage {
    /// Cruxes in the list's order, whatever the direction of paging.
    pub rows: Vec<StoredCrux>,
    /// True if there are more cruxes in the direction of paging.
    pub more: bool,
    /// Number of all matching cruxes, if requested.
    pub total: Option<i64>,
}

/// A stored crux.
#[derive(Clone, Debug)]
pub struct StoredCrux {
    /// Generation of stored rows that the crux belongs to.
    pub generation: i32,
    debate_id: Uuid,
    /// Key of the crux, unique within its debate.
    pub key: String,
    /// Position in the debate's own list, from 1.
    pub place: i32,
    /// Share of theses whose status the crux changes; `None` if it rests on no argument.
    pub pivotality: Option<f64>,
    /// Number of disputed arguments that depend on the crux.
    pub n_dependents: i32,
    /// Time at which the crux came into being.
    pub opened_at: DateTime<Utc>,
    /// Time at which the newest turn behind the crux was recorded.
    pub changed_at: DateTime<Utc>,
    /// The complete crux as JSON; empty if only the brief fields were requested.
    pub body: String,
    /// Brief fields; empty if the complete crux was requested.
    pub brief: BriefCrux,
    total: Option<i64>,
    /// Search hit; empty if nothing was searched for.
    pub hit: Hit,
}

reads_row!(StoredCrux { generation, debate_id, key, place, pivotality, n_dependents, opened_at, changed_at, body, total } optional { brief, hit });

/// Brief fields of a crux.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BriefCrux {
    /// Kind of the crux, as the projection names it.
    pub kind: String,
    /// True if the participants still disagree on the crux.
    pub open: bool,
    /// Statement of the crux, in the words of those who disagree.
    pub statement: String,
    /// Question that the crux asks.
    pub question: String,
}

reads_row!(BriefCrux { kind, open, statement, question });

impl StoredCrux {
    /// Returns the debate of the crux.
    pub fn debate(&self) -> DebateId {
        DebateId(self.debate_id)
    }

    /// Returns the position of the crux in the results of a search.
    pub fn place_found(&self) -> CruxCursor {
        CruxCursor { by: SortKey::Score(self.hit.score), debate: self.debate(), key: self.key.clone() }
    }

    /// Returns the position of the crux in a list of this order.
    pub fn place_in(&self, order: CruxSort) -> CruxCursor {
        let by = match order {
            CruxSort::Newest => SortKey::At(self.opened_at),
            CruxSort::Changed => SortKey::At(self.changed_at),
            CruxSort::Pivotality => SortKey::Share(self.pivotality.unwrap_or(-1.0)),
            CruxSort::Dependents => SortKey::Number(self.n_dependents),
        };
        CruxCursor { by, debate: self.debate(), key: self.key.clone() }
    }
}

impl CruxSort {
    /// Returns the SQL expression that the list is ordered by.
    fn column(self) -> &'static str {
        match self {
            CruxSort::Newest => "opened_at",
            CruxSort::Changed => "changed_at",
            CruxSort::Pivotality => "coalesce(pivotality, -1)",
            CruxSort::Dependents => "n_dependents",
        }
    }
}

impl Views {
    /// Returns a page of the cruxes of a generation; `None` selects the served generation. One statement; a second one
    /// if a count is requested and the page is empty.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn cruxes(
        &self,
        generation: Option<i32>,
        filter: &CruxQuery,
        order: CruxSort,
        part: &CruxPageRequest,
    ) -> Result<CruxPage, StoreError> {
        let columns = if part.brief { BRIEF } else { COLUMNS };
        let mut query = QueryBuilder::new(format!("select {columns}, "));
        if part.counted {
            query.push("(select count(*) ");
            narrow(&mut query, generation, filter);
            query.push(")");
        } else {
            query.push("null::bigint");
        }
        query.push(" as total ");
        narrow(&mut query, generation, filter);
        let (rows, more) = self.walked(query, order.column(), part).await?;
        let total = match rows.first() {
            Some(row) => row.total,
            None if part.counted => Some(self.count_cruxes(generation, filter).await?),
            None => None,
        };
        Ok(CruxPage { rows, more, total })
    }

    /// Returns a page of the cruxes of a generation that match a search, best match first. One statement; a second one
    /// if a count is requested and the page is empty, and two more before if vectors of questions are not at home.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn cruxes_found(
        &self,
        generation: i32,
        filter: &CruxQuery,
        sought: &SearchQuery,
        part: &CruxPageRequest,
    ) -> Result<CruxPage, StoreError> {
        let sought = self.with_cosines(sought, |query| narrow(query, Some(generation), filter)).await?;
        let statement = |wanted: &str| {
            let mut query = QueryBuilder::new("");
            push_found(&mut query, &sought, COLUMNS, |query| narrow(query, Some(generation), filter));
            query.push("select ").push(wanted).push(" from found where true");
            query
        };
        let (rows, more) = self.walked(statement("*, (select count(*) from found) as total"), "score", part).await?;
        let total = match rows.first().map(|row| row.total) {
            _ if !part.counted => None,
            Some(total) => total,
            None => {
                let mut query = statement("count(*)");
                let total = query.build_query_scalar().fetch_one(&self.pool).await;
                Some(total.map_err(StoreError::database("count cruxes"))?)
            }
        };
        Ok(CruxPage { rows, more, total })
    }

    /// Runs a statement from a position on and returns its rows, and whether there are more. The statement must end
    /// with a `where` condition.
    async fn walked(
        &self,
        mut query: QueryBuilder<Postgres>,
        column: &str,
        part: &CruxPageRequest,
    ) -> Result<(Vec<StoredCrux>, bool), StoreError> {
        let limit = part.limit.clamp(1, MAX_PAGE) as usize;
        let is_down = part.toward == PageDirection::Older;
        if let Some(place) = &part.from {
            query.push(format!(" and ({column}, debate_id, key) {} (", if is_down { "<" } else { ">" }));
            place.by.push(&mut query);
            query.push(", ").push_bind(place.debate.0).push(", ").push_bind(clean(&place.key)).push(")");
        }
        let way = if is_down { "desc" } else { "asc" };
        // A literal, because Postgres cannot cache a generic plan for a bound limit and would plan the statement anew
        // for each page.
        query.push(format!(" order by {column} {way}, debate_id {way}, key {way} limit {}", limit + 1));
        let mut rows: Vec<StoredCrux> =
            query.build_query_as().fetch_all(&self.pool).await.map_err(StoreError::database("list cruxes"))?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        if !is_down {
            rows.reverse();
        }
        Ok((rows, more))
    }

    async fn count_cruxes(&self, generation: Option<i32>, filter: &CruxQuery) -> Result<i64, StoreError> {
        let mut query = QueryBuilder::new("select count(*) ");
        narrow(&mut query, generation, filter);
        query.build_query_scalar().fetch_one(&self.pool).await.map_err(StoreError::database("count cruxes"))
    }
}

/// Pushes the `from` and `where` clauses of a filter.
pub(crate) fn narrow(query: &mut QueryBuilder<Postgres>, generation: Option<i32>, filter: &CruxQuery) {
    query.push("from cruxes where generation = ");
    push_generation(query, generation);
    if let Some(debate) = filter.debate {
        query.push(" and debate_id = ").push_bind(debate.0);
    }
    if let Some(persona) = &filter.persona {
        query.push(" and personas @> array[").push_bind(persona.as_str().to_owned()).push("]");
    }
    if let Some(kind) = &filter.kind {
        query.push(" and kind = ");
        push_word(query, kind);
    }
    if let Some(open) = filter.open {
        query.push(if open { " and open" } else { " and not open" });
    }
    if let Some(least) = filter.min_pivotality {
        // A crux without pivotality never reaches a minimum.
        query.push(" and coalesce(pivotality, -1) >= ").push_bind(least.max(0.0));
    }
    if let Some(regime) = &filter.regime {
        query.push(" and regime = ").push_bind(clean(regime));
    }
    if let Some(debates) = &filter.debates {
        query.push(" and debate_id in (select debate_id ");
        push_filter(query, generation, debates);
        query.push(")");
    }
    if let Some(search) = &filter.search {
        query.push(" and words @@ websearch_to_tsquery('english', ").push_bind(clean(search)).push(")");
    }
}

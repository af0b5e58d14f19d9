//! The cruxes of all debates: filtered, searched, in several orders, from any place in either direction.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, Postgres, QueryBuilder};
use uuid::Uuid;

use crate::events::ids::{DebateId, PersonaId};
use crate::store::debates::{LINES, Toward, push_generation, push_word};
use crate::store::fault::Fault;
use crate::store::questions::search::{Hit, Sought, push_found};
use crate::store::views::Views;

/// Which cruxes to list: those to which everything given applies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CruxFilter {
    /// Of this debate.
    pub debate: Option<DebateId>,
    /// On which this persona takes a side.
    pub persona: Option<PersonaId>,
    /// That were found so, in the fold's words.
    pub kind: Option<String>,
    /// That still divide, or no longer do.
    pub open: Option<bool>,
    /// Whose pivotality is at least this; a dispute has none.
    pub min_pivotality: Option<f64>,
    /// Whose words match a search as one types it: words, phrases in quotes, `or`, and `-` before what is not wanted.
    pub search: Option<String>,
}

/// In which order to list them. Among equals those of later debates come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CruxOrder {
    /// Those that came to be last.
    Newest,
    /// Those to which something was said last.
    Changed,
    /// Those that change most theses; disputes behind.
    Pivotality,
    /// Those on which most disputed arguments rest.
    Dependents,
}

/// A place in a list: at a crux, whether or not that is still there.
#[derive(Clone, Debug, PartialEq)]
pub struct CruxPlace {
    /// By what the list is ordered.
    pub by: Measure,
    /// The crux's debate.
    pub debate: DebateId,
    /// Its name among the debate's cruxes.
    pub key: String,
}

const COLUMNS: &str =
    "generation, debate_id, key, place, pivotality, n_dependents, opened_at, changed_at, body::text as body";
/// What is read of a crux where only that is wanted.
const BRIEF: &str = "generation, debate_id, key, place, pivotality, n_dependents, opened_at, changed_at, '' as body,
    kind, open, body ->> 'statement' as statement, body ->> 'question' as question";

/// What a crux is ordered by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// A time.
    At(DateTime<Utc>),
    /// Pivotality; less than 0 where there is none.
    Share(f64),
    /// A number of arguments.
    Number(i32),
    /// How well it fits a search.
    Score(i64),
}

impl Measure {
    /// Pushes it as a value.
    pub(crate) fn push(self, query: &mut QueryBuilder<Postgres>) {
        match self {
            Measure::At(at) => query.push_bind(at),
            Measure::Share(share) => query.push_bind(share),
            Measure::Number(number) => query.push_bind(number),
            Measure::Score(score) => query.push_bind(score),
        };
    }
}

/// A part of the list.
#[derive(Clone, Debug)]
pub struct CruxPart {
    /// The place beside which it begins; one of the two ends where there is none.
    pub from: Option<CruxPlace>,
    /// Which way to go: `Older` is further down the list, whatever its order.
    pub toward: Toward,
    /// How many at most; not more than [`LINES`].
    pub limit: i64,
    /// Whether to count all that the filter lets through.
    pub counted: bool,
    /// Whether no more is wanted of each than [`BriefCrux`] says: a tenth of the work.
    pub brief: bool,
}

/// Cruxes of the list.
#[derive(Clone, Debug, Default)]
pub struct Cruxes {
    /// The cruxes in the list's order, whichever way was gone.
    pub rows: Vec<StoredCrux>,
    /// Whether there are more that way.
    pub more: bool,
    /// How many there are in all, where that was asked.
    pub total: Option<i64>,
}

/// A crux as it was stored.
#[derive(Clone, Debug, FromRow)]
pub struct StoredCrux {
    /// The generation of the fold that it is from.
    pub generation: i32,
    debate_id: Uuid,
    /// Its name among the debate's cruxes.
    pub key: String,
    /// Its place in the debate's list, from 1.
    pub place: i32,
    /// The share of theses that it changes; `None` where it rests on no argument.
    pub pivotality: Option<f64>,
    /// Disputed arguments that rest on it.
    pub n_dependents: i32,
    /// When it came to be one.
    pub opened_at: DateTime<Utc>,
    /// When the newest turn behind it was recorded.
    pub changed_at: DateTime<Utc>,
    /// The crux itself, as JSON; nothing where it was not wanted.
    pub body: String,
    /// What it is in brief; nothing where all of it was wanted.
    #[sqlx(flatten, default)]
    pub brief: BriefCrux,
    total: Option<i64>,
    /// Why it was found; nothing where nothing was sought.
    #[sqlx(flatten, default)]
    pub hit: Hit,
}

/// A crux in brief.
#[derive(Clone, Debug, Default, PartialEq, Eq, FromRow)]
pub struct BriefCrux {
    /// How it was found, in the fold's words.
    pub kind: String,
    /// Whether it still divides.
    pub open: bool,
    /// The crux, in the words of those who disagree.
    pub statement: String,
    /// The question that it asks.
    pub question: String,
}

impl StoredCrux {
    /// The debate.
    pub fn debate(&self) -> DebateId {
        DebateId(self.debate_id)
    }

    /// Its place in what a search found.
    pub fn place_found(&self) -> CruxPlace {
        CruxPlace { by: Measure::Score(self.hit.score), debate: self.debate(), key: self.key.clone() }
    }

    /// Its place in a list of this order.
    pub fn place_in(&self, order: CruxOrder) -> CruxPlace {
        let by = match order {
            CruxOrder::Newest => Measure::At(self.opened_at),
            CruxOrder::Changed => Measure::At(self.changed_at),
            CruxOrder::Pivotality => Measure::Share(self.pivotality.unwrap_or(-1.0)),
            CruxOrder::Dependents => Measure::Number(self.n_dependents),
        };
        CruxPlace { by, debate: self.debate(), key: self.key.clone() }
    }
}

impl CruxOrder {
    /// What the table calls it.
    fn column(self) -> &'static str {
        match self {
            CruxOrder::Newest => "opened_at",
            CruxOrder::Changed => "changed_at",
            CruxOrder::Pivotality => "coalesce(pivotality, -1)",
            CruxOrder::Dependents => "n_dependents",
        }
    }
}

impl Views {
    /// A part of the list of cruxes of a generation; of the one that is served where none is given. One statement; another
    /// where they are to be counted and the part is empty.
    ///
    /// # Errors
    /// The database's.
    pub async fn cruxes(
        &self,
        generation: Option<i32>,
        filter: &CruxFilter,
        order: CruxOrder,
        part: &CruxPart,
    ) -> Result<Cruxes, Fault> {
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
        Ok(Cruxes { rows, more, total })
    }

    /// A part of what a search finds among the cruxes of a generation: what fits best first. One statement.
    ///
    /// # Errors
    /// The database's.
    pub async fn cruxes_found(
        &self,
        generation: i32,
        filter: &CruxFilter,
        sought: &Sought,
        part: &CruxPart,
    ) -> Result<Cruxes, Fault> {
        let statement = |wanted: &str| {
            let mut query = QueryBuilder::new("");
            push_found(&mut query, sought, COLUMNS, |it| narrow(it, Some(generation), filter));
            query.push("select ").push(wanted).push(" from found where true");
            query
        };
        let (rows, more) = self.walked(statement("*, (select count(*) from found) as total"), "score", part).await?;
        let total = match rows.first().map(|it| it.total) {
            _ if !part.counted => None,
            Some(total) => total,
            None => {
                let mut query = statement("count(*)");
                let total = query.build_query_scalar().fetch_one(&self.pool).await;
                Some(total.map_err(Fault::database("count cruxes"))?)
            }
        };
        Ok(Cruxes { rows, more, total })
    }

    /// The rows of a statement from a place on, and whether there are more. The statement ends with a condition.
    async fn walked(
        &self,
        mut query: QueryBuilder<Postgres>,
        column: &str,
        part: &CruxPart,
    ) -> Result<(Vec<StoredCrux>, bool), Fault> {
        let limit = part.limit.clamp(1, LINES) as usize;
        let is_down = part.toward == Toward::Older;
        if let Some(place) = &part.from {
            query.push(format!(" and ({column}, debate_id, key) {} (", if is_down { "<" } else { ">" }));
            place.by.push(&mut query);
            query.push(", ").push_bind(place.debate.0).push(", ").push_bind(clean(&place.key)).push(")");
        }
        let way = if is_down { "desc" } else { "asc" };
        // As a literal: by a bound limit no plan can be made once for all, and it would be made for each page.
        query.push(format!(" order by {column} {way}, debate_id {way}, key {way} limit {}", limit + 1));
        let mut rows: Vec<StoredCrux> =
            query.build_query_as().fetch_all(&self.pool).await.map_err(Fault::database("list cruxes"))?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        if !is_down {
            rows.reverse();
        }
        Ok((rows, more))
    }

    async fn count_cruxes(&self, generation: Option<i32>, filter: &CruxFilter) -> Result<i64, Fault> {
        let mut query = QueryBuilder::new("select count(*) ");
        narrow(&mut query, generation, filter);
        query.build_query_scalar().fetch_one(&self.pool).await.map_err(Fault::database("count cruxes"))
    }
}

/// The cruxes that a filter lets through, from `from` on.
pub(crate) fn narrow(query: &mut QueryBuilder<Postgres>, generation: Option<i32>, filter: &CruxFilter) {
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
        // What has none is let through by no least.
        query.push(" and coalesce(pivotality, -1) >= ").push_bind(least.max(0.0));
    }
    if let Some(search) = &filter.search {
        query.push(" and words @@ websearch_to_tsquery('english', ").push_bind(clean(search)).push(")");
    }
}

/// Text that Postgres takes.
fn clean(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

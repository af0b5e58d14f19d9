//! Lists debates: one row each, newest first, filtered, paged in both directions.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sqlx::types::Json;
use sqlx::{Postgres, QueryBuilder};
use uuid::Uuid;

use crate::error::StoreError;
use crate::reads_row;
use crate::views::views::Views;
use faultline_core::events::ids::{DebateId, PersonaId};

/// Maximum number of rows in one page; greater limits are lowered to it.
pub const MAX_PAGE: i64 = 500;
/// Maximum number of characters in a topic search; a longer search matches nothing.
pub const MAX_SEARCH_CHARS: usize = 200;

/// Row of the list of debates.
#[derive(Clone, Debug, PartialEq)]
pub struct DebateRow {
    /// Generation of stored rows that the row belongs to.
    pub generation: i32,
    /// Id of the debate.
    pub debate: DebateId,
    /// Version of the debate's newest event in the fold.
    pub version: i64,
    /// Topic of the debate.
    pub topic: String,
    /// Registered name of the engine that runs the debate.
    pub engine: String,
    /// Registered name of the model provider.
    pub provider: String,
    /// Status of the debate, as the projection names it.
    pub status: String,
    /// Current phase, if the engine has phases.
    pub phase: Option<String>,
    /// Regime of the debate, if a verdict has determined one.
    pub regime: Option<String>,
    /// Time at which the debate was opened, by the log's clock like all times here.
    pub opened_at: DateTime<Utc>,
    /// Time at which the newest event was recorded.
    pub changed_at: DateTime<Utc>,
    /// Time at which the debate ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// Number of turns taken.
    pub n_turns: i64,
    /// Number of tokens read and written.
    pub tokens: i64,
    /// Cost in millionths of a US dollar.
    pub cost_micros: i64,
    /// Participants in speaking order.
    pub participants: Vec<PersonaId>,
    /// Kind of the outcome, or `cancelled`; `None` until the debate ends.
    pub outcome: Option<String>,
    /// Providers and models that answered.
    pub models: Vec<String>,
    /// Measures that have a value, by key; `None` until the debate ends.
    pub measures: Option<BTreeMap<String, f64>>,
    /// Figures of the participants in their order, one behind the other, each in the order of
    /// [`SPEAKER_FIGURES`](faultline_core::measures::speaker_figures::SPEAKER_FIGURES). Empty in a row of an earlier version
    /// of the program.
    pub speaker_figures: Vec<f64>,
    /// Number of arguments ever advanced; `None` in a row of an earlier version of the program, like the next two.
    pub n_arguments: Option<i64>,
    /// Number of attacks ever raised.
    pub n_attacks: Option<i64>,
    /// Number of concessions.
    pub n_concessions: Option<i64>,
}

/// Filter for debates; all given conditions must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebateQuery {
    /// Only debates with this status.
    pub status: Option<String>,
    /// Only debates run by this engine.
    pub engine: Option<String>,
    /// Only debates in which this persona takes part.
    pub persona: Option<PersonaId>,
    /// Only debates whose topic contains this text, ignoring case.
    pub topic: Option<String>,
    /// Only debates with this model provider.
    pub provider: Option<String>,
    /// Only debates in this regime, as the projection names it.
    pub regime: Option<String>,
    /// Only debates that ended with this outcome, as the log names it, or `cancelled`.
    pub outcome: Option<String>,
    /// Only debates in which this model answered: the name of the model, or provider and model.
    pub model: Option<String>,
    /// Only debates opened at this time or later.
    pub opened_after: Option<DateTime<Utc>>,
    /// Only debates opened before this time.
    pub opened_before: Option<DateTime<Utc>>,
}

/// Order of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebateSort {
    /// Most recently opened first.
    #[default]
    Newest,
    /// Most recently changed first.
    Changed,
}

/// Position in the list: next to a row, which may have been deleted since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebateCursor {
    /// Time that the list is ordered by: when the debate was opened, or when its newest event was recorded.
    pub at: DateTime<Utc>,
    /// Debate of the row.
    pub debate: DebateId,
}

/// Direction of paging from a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageDirection {
    /// Towards debates opened earlier; without a position, from the newest.
    Older,
    /// Towards debates opened later; without a position, from the oldest.
    Newer,
}

/// Requested page of the list.
#[derive(Clone, Debug)]
pub struct DebatePageRequest {
    /// Order of the list.
    pub order: DebateSort,
    /// Position next to which the page starts; `None` for an end of the list.
    pub from: Option<DebateCursor>,
    /// Direction of paging. `Older` is further down the list, whatever its order.
    pub toward: PageDirection,
    /// Maximum number of rows; at most [`MAX_PAGE`].
    pub limit: i64,
    /// True to count all debates that match the filter.
    pub counted: bool,
    /// True to read the rows without the summaries.
    pub brief: bool,
}

/// Page of the list without summaries.
#[derive(Clone, Debug, PartialEq)]
pub struct DebateRowPage {
    /// Rows, newest first, whatever the direction of paging.
    pub rows: Vec<DebateRow>,
    /// True if there are more rows in the direction of paging.
    pub more: bool,
}

/// Page of the list, each row with the debate's stored summary.
#[derive(Clone, Debug, Default)]
pub struct DebatePage {
    /// Rows in the list's order, whatever the direction of paging.
    pub lines: Vec<DebateSummaryRow>,
    /// True if there are more rows in the direction of paging.
    pub more: bool,
    /// Number of all matching debates, if requested.
    pub total: Option<i64>,
}

/// Row of the list with the debate's stored summary.
#[derive(Clone, Debug)]
pub struct DebateSummaryRow {
    /// Row of the debate.
    pub row: DebateRow,
    /// Summary as JSON, if requested; it is saved together with the row.
    pub summary: Option<String>,
}

struct Stored {
    generation: i32,
    debate_id: Uuid,
    version: i64,
    topic: String,
    engine: String,
    provider: String,
    status: String,
    phase: Option<String>,
    regime: Option<String>,
    opened_at: DateTime<Utc>,
    changed_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
    n_turns: i64,
    tokens: i64,
    cost_micros: i64,
    participants: Vec<String>,
    outcome: Option<String>,
    models: Option<Vec<String>>,
    measures: Option<Json<BTreeMap<String, f64>>>,
    speaker_figures: Option<Vec<f64>>,
    n_arguments: Option<i64>,
    n_attacks: Option<i64>,
    n_concessions: Option<i64>,
    summary: Option<String>,
    total: Option<i64>,
}

reads_row!(Stored {
    generation,
    debate_id,
    version,
    topic,
    engine,
    provider,
    status,
    phase,
    regime,
    opened_at,
    changed_at,
    ended_at,
    n_turns,
    tokens,
    cost_micros,
    participants,
    outcome,
    models,
    measures,
    speaker_figures,
    n_arguments,
    n_attacks,
    n_concessions,
    summary,
    total
});

/// Columns of a row.
const COLUMNS: &str = "
        generation, debate_id, version, topic, engine, provider, status, phase, regime, opened_at, changed_at, ended_at,
        n_turns, tokens, cost_micros, participants, outcome, models, measures, speaker_figures, n_arguments,
        n_attacks, n_concessions";
/// Summary that was saved with a row.
const SUMMARY: &str = "
        (
            select body::text
            from views
            where views.projection = 'summary'
            and views.generation = debates.generation
            and views.debate_id = debates.debate_id
        ) as summary";

impl DebateSort {
    /// Returns the column that the list is ordered by.
    fn column(self) -> &'static str {
        match self {
            DebateSort::Newest => "opened_at",
            DebateSort::Changed => "changed_at",
        }
    }

    /// Returns the position of a row in a list of this order.
    pub fn place(self, row: &DebateRow) -> DebateCursor {
        let at = match self {
            DebateSort::Newest => row.opened_at,
            DebateSort::Changed => row.changed_at,
        };
        DebateCursor { at, debate: row.debate }
    }
}

impl Views {
    /// Returns a page of at most `limit` rows (and at most [`MAX_PAGE`]), newest first, next to a position.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn list(
        &self,
        generation: i32,
        filter: &DebateQuery,
        from: Option<DebateCursor>,
        toward: PageDirection,
        limit: i64,
    ) -> Result<DebateRowPage, StoreError> {
        let part = DebatePageRequest { order: DebateSort::Newest, from, toward, limit, counted: false, brief: true };
        let listed = self.list_debates(Some(generation), filter, &part).await?;
        Ok(DebateRowPage { rows: listed.lines.into_iter().map(|line| line.row).collect(), more: listed.more })
    }

    /// Returns a page of the debates of a generation; `None` selects the served generation. One statement; a second one
    /// if a count is requested and the page is empty.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn list_debates(
        &self,
        generation: Option<i32>,
        filter: &DebateQuery,
        part: &DebatePageRequest,
    ) -> Result<DebatePage, StoreError> {
        let limit = part.limit.clamp(1, MAX_PAGE) as usize;
        if filter.topic.as_ref().is_some_and(|topic| topic.chars().count() > MAX_SEARCH_CHARS) {
            return Ok(DebatePage { total: part.counted.then_some(0), ..DebatePage::default() });
        }
        let summary = if part.brief { "null::text as summary" } else { SUMMARY };
        let mut query = QueryBuilder::new(format!("select {COLUMNS}, {summary}, "));
        if part.counted {
            query.push("(select count(*) ");
            push_filter(&mut query, generation, filter);
            query.push(") as total ");
        } else {
            query.push("null::bigint as total ");
        }
        push_filter(&mut query, generation, filter);
        let column = part.order.column();
        let is_down = part.toward == PageDirection::Older;
        if let Some(place) = part.from {
            query.push(format!(" and ({column}, debate_id) {} (", if is_down { "<" } else { ">" }));
            query.push_bind(place.at).push(", ").push_bind(place.debate.0).push(")");
        }
        let way = if is_down { "desc" } else { "asc" };
        // A literal, because Postgres cannot cache a generic plan for a bound limit and would plan the statement anew
        // for each page.
        query.push(format!(" order by {column} {way}, debate_id {way} limit {}", limit + 1));
        let mut rows: Vec<Stored> =
            query.build_query_as().fetch_all(&self.pool).await.map_err(StoreError::database("list debates"))?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        if !is_down {
            rows.reverse();
        }
        let total = match rows.first() {
            Some(row) => row.total,
            None if part.counted => Some(self.count_debates(generation, filter).await?),
            None => None,
        };
        Ok(DebatePage { lines: rows.into_iter().map(line).collect(), more, total })
    }

    async fn count_debates(&self, generation: Option<i32>, filter: &DebateQuery) -> Result<i64, StoreError> {
        let mut query = QueryBuilder::new("select count(*) ");
        push_filter(&mut query, generation, filter);
        query.build_query_scalar().fetch_one(&self.pool).await.map_err(StoreError::database("count debates"))
    }

    /// Returns the rows of these debates, in no particular order; debates without a row are omitted.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn lines(&self, generation: i32, debates: &[DebateId]) -> Result<Vec<DebateRow>, StoreError> {
        Ok(self.lines_of(generation, debates).await?.into_iter().map(|line| line.row).collect())
    }

    /// Returns the rows of these debates, each with the debate's stored summary. One statement.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn lines_of(&self, generation: i32, debates: &[DebateId]) -> Result<Vec<DebateSummaryRow>, StoreError> {
        let mut query = QueryBuilder::new(format!("select {COLUMNS}, {SUMMARY}, null::bigint as total "));
        push_filter(&mut query, Some(generation), &DebateQuery::default());
        query
            .push(" and debate_id = any (")
            .push_bind(debates.iter().map(|debate| debate.0).collect::<Vec<_>>())
            .push(")");
        let rows: Vec<Stored> = query
            .build_query_as()
            .fetch_all(&self.pool)
            .await
            .map_err(StoreError::database("read rows of the list of debates"))?;
        Ok(rows.into_iter().map(line).collect())
    }
}

/// Replaces NUL characters, which Postgres does not accept in text.
pub(crate) fn clean(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// Pushes the generation that a statement reads: the given one, or the one that is served when it runs.
pub(crate) fn push_generation(query: &mut QueryBuilder<Postgres>, generation: Option<i32>) {
    match generation {
        Some(generation) => query.push_bind(generation),
        None => query.push("(select generation from served where name = 'debates')"),
    };
}

/// Pushes a word from a small set as a literal, so that the plan can be cached and still reflects how rare the word is.
/// Anything else is bound as a parameter.
pub(crate) fn push_word(query: &mut QueryBuilder<Postgres>, word: &str) {
    match !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
        true => query.push("'").push(word).push("'"),
        false => query.push_bind(clean(word)),
    };
}

/// Pushes the `from` and `where` clauses of a filter.
pub(crate) fn push_filter(query: &mut QueryBuilder<Postgres>, generation: Option<i32>, filter: &DebateQuery) {
    query.push("from debates where generation = ");
    push_generation(query, generation);
    push_conditions(query, filter);
}

/// Pushes the conditions of a filter, each after ` and `.
pub(crate) fn push_conditions(query: &mut QueryBuilder<Postgres>, filter: &DebateQuery) {
    if let Some(status) = &filter.status {
        query.push(" and status = ");
        push_word(query, status);
    }
    if let Some(engine) = &filter.engine {
        query.push(" and engine = ").push_bind(clean(engine));
    }
    if let Some(persona) = &filter.persona {
        query.push(" and participants @> array[").push_bind(persona.as_str().to_owned()).push("]");
    }
    if let Some(topic) = &filter.topic {
        query.push(" and topic ilike ").push_bind(containing(topic));
    }
    if let Some(provider) = &filter.provider {
        query.push(" and provider = ").push_bind(clean(provider));
    }
    if let Some(regime) = &filter.regime {
        query.push(" and regime = ").push_bind(clean(regime));
    }
    if let Some(outcome) = &filter.outcome {
        query.push(" and outcome = ").push_bind(clean(outcome));
    }
    if let Some(model) = &filter.model {
        let model = clean(model);
        query.push(" and exists (select from unnest(models) as answered where answered = ").push_bind(model.clone());
        query.push(" or substr(answered, strpos(answered, '/') + 1) = ").push_bind(model).push(")");
    }
    if let Some(from) = filter.opened_after {
        query.push(" and opened_at >= ").push_bind(from);
    }
    if let Some(until) = filter.opened_before {
        query.push(" and opened_at < ").push_bind(until);
    }
}

/// Returns an `ilike` pattern that matches the text anywhere and treats no character of it as a wildcard.
fn containing(text: &str) -> String {
    let text = clean(text).replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{text}%")
}

fn line(row: Stored) -> DebateSummaryRow {
    let summary = row.summary;
    let row = DebateRow {
        generation: row.generation,
        debate: DebateId(row.debate_id),
        version: row.version,
        topic: row.topic,
        engine: row.engine,
        provider: row.provider,
        status: row.status,
        phase: row.phase,
        regime: row.regime,
        opened_at: row.opened_at,
        changed_at: row.changed_at,
        ended_at: row.ended_at,
        n_turns: row.n_turns,
        tokens: row.tokens,
        cost_micros: row.cost_micros,
        participants: row.participants.iter().filter_map(|participant| participant.parse().ok()).collect(),
        outcome: row.outcome,
        models: row.models.unwrap_or_default(),
        measures: row.measures.map(|measures| measures.0),
        speaker_figures: row.speaker_figures.unwrap_or_default(),
        n_arguments: row.n_arguments,
        n_attacks: row.n_attacks,
        n_concessions: row.n_concessions,
    };
    DebateSummaryRow { row, summary }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_search_treats_wildcards_literally() {
        for (text, pattern) in [("a", "%a%"), ("100%", "%100\\%%"), ("a_b", "%a\\_b%"), ("\\", "%\\\\%")] {
            assert_eq!(containing(text), pattern);
        }
    }
}

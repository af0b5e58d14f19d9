//! The list of debates: one line each, newest first, filtered, from any place in either direction.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection, Postgres, QueryBuilder};
use uuid::Uuid;

use crate::events::ids::{DebateId, PersonaId};
use crate::store::fault::Fault;
use crate::store::views::{ROWS, Views};

/// The name of all stored views together, among checkpoints and served generations.
pub const DEBATES: &str = "debates";
/// Lines in one answer at most; a greater limit counts as this one.
pub const LINES: i64 = 500;
/// Characters of a topic that are searched for at most; more of them find nothing.
pub const SEARCH_CHARS: usize = 200;

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebateRow {
    /// The generation of the fold that it is from.
    pub generation: i32,
    /// The debate.
    pub debate: DebateId,
    /// The debate's newest event in the fold.
    pub version: i64,
    /// What is debated.
    pub topic: String,
    /// The registered name of the engine that runs it.
    pub engine: String,
    /// The registered name of the provider that answers.
    pub provider: String,
    /// How it stands, in the fold's words.
    pub status: String,
    /// The phase it is in, where the engine has phases.
    pub phase: Option<String>,
    /// What it amounts to so far, where that has been judged.
    pub regime: Option<String>,
    /// When it was opened, by the log's clock, as all times here.
    pub opened_at: DateTime<Utc>,
    /// When its newest event was recorded.
    pub changed_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// Turns taken.
    pub n_turns: i64,
    /// Tokens read and written.
    pub tokens: i64,
    /// Money in millionths of a US dollar.
    pub cost_micros: i64,
    /// Who takes part, in speaking order.
    pub participants: Vec<PersonaId>,
}

/// Which debates to list: those to which everything given applies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// That stand so.
    pub status: Option<String>,
    /// That this engine runs.
    pub engine: Option<String>,
    /// In which this persona takes part.
    pub persona: Option<PersonaId>,
    /// Whose topic has this in it, in upper or lower case.
    pub topic: Option<String>,
}

/// In which order to list them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebateOrder {
    /// Those that were opened last.
    #[default]
    Newest,
    /// Those whose newest event was recorded last.
    Changed,
}

/// A place in the list: at a line, whether or not that is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListPlace {
    /// By what the list is ordered: when the line's debate was opened, or when its newest event was recorded.
    pub at: DateTime<Utc>,
    /// The line's debate.
    pub debate: DebateId,
}

/// Which way to go from a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    /// To debates opened earlier; from no place, from the newest.
    Older,
    /// To debates opened later; from no place, from the oldest.
    Newer,
}

/// A part of the list that is asked for.
#[derive(Clone, Debug)]
pub struct ListPart {
    /// In which order.
    pub order: DebateOrder,
    /// The place beside which it begins; one of the two ends where there is none.
    pub from: Option<ListPlace>,
    /// Which way to go: `Older` is further down the list, whatever its order.
    pub toward: Toward,
    /// How many at most; not more than [`LINES`].
    pub limit: i64,
    /// Whether to count all that the filter lets through.
    pub counted: bool,
    /// Whether the lines are enough: then no summaries are read.
    pub brief: bool,
}

/// A part of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The lines, newest first, whichever way was gone.
    pub rows: Vec<DebateRow>,
    /// Whether there are more that way.
    pub more: bool,
}

/// A part of the list, each line with the debate's stored summary.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    /// The lines in the list's order, whichever way was gone.
    pub lines: Vec<Line>,
    /// Whether there are more that way.
    pub more: bool,
    /// How many there are in all, where that was asked.
    pub total: Option<i64>,
}

/// A line of the list with the debate's stored summary.
#[derive(Clone, Debug)]
pub struct Line {
    /// The line.
    pub row: DebateRow,
    /// The summary as JSON, where it was wanted; it is saved with the line.
    pub summary: Option<String>,
}

#[derive(FromRow)]
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
    summary: Option<String>,
    total: Option<i64>,
}

/// The columns of a line.
const COLUMNS: &str = "
        generation, debate_id, version, topic, engine, provider, status, phase, regime, opened_at, changed_at, ended_at,
        n_turns, tokens, cost_micros, participants";
/// The summary that was saved with a line.
const SUMMARY: &str = "
        (
            select body::text
            from views
            where views.projection = 'summary'
            and views.generation = debates.generation
            and views.debate_id = debates.debate_id
        ) as summary";

impl DebateOrder {
    /// What the table calls it.
    fn column(self) -> &'static str {
        match self {
            DebateOrder::Newest => "opened_at",
            DebateOrder::Changed => "changed_at",
        }
    }

    /// Where a line stands in a list of this order.
    pub fn place(self, row: &DebateRow) -> ListPlace {
        let at = match self {
            DebateOrder::Newest => row.opened_at,
            DebateOrder::Changed => row.changed_at,
        };
        ListPlace { at, debate: row.debate }
    }
}

impl Views {
    /// At most `limit` lines of the list, or [`LINES`], newest first, from beside a place.
    ///
    /// # Errors
    /// The database's.
    pub async fn list(
        &self,
        generation: i32,
        filter: &Filter,
        from: Option<ListPlace>,
        toward: Toward,
        limit: i64,
    ) -> Result<Lines, Fault> {
        let part = ListPart { order: DebateOrder::Newest, from, toward, limit, counted: false, brief: true };
        let listed = self.listed(Some(generation), filter, &part).await?;
        Ok(Lines { rows: listed.lines.into_iter().map(|it| it.row).collect(), more: listed.more })
    }

    /// A part of the list of a generation; of the one that is served where none is given. One statement; another where the
    /// lines are to be counted and the part is empty.
    ///
    /// # Errors
    /// The database's.
    pub async fn listed(&self, generation: Option<i32>, filter: &Filter, part: &ListPart) -> Result<Listed, Fault> {
        let limit = part.limit.clamp(1, LINES) as usize;
        if filter.topic.as_ref().is_some_and(|it| it.chars().count() > SEARCH_CHARS) {
            return Ok(Listed { total: part.counted.then_some(0), ..Listed::default() });
        }
        let summary = if part.brief { "null::text as summary" } else { SUMMARY };
        let mut query = QueryBuilder::new(format!("select {COLUMNS}, {summary}, "));
        if part.counted {
            query.push("(select count(*) ");
            narrow(&mut query, generation, filter);
            query.push(") as total ");
        } else {
            query.push("null::bigint as total ");
        }
        narrow(&mut query, generation, filter);
        let column = part.order.column();
        let is_down = part.toward == Toward::Older;
        if let Some(place) = part.from {
            query.push(format!(" and ({column}, debate_id) {} (", if is_down { "<" } else { ">" }));
            query.push_bind(place.at).push(", ").push_bind(place.debate.0).push(")");
        }
        let way = if is_down { "desc" } else { "asc" };
        // As a literal: by a bound limit no plan can be made once for all, and it would be made for each page.
        query.push(format!(" order by {column} {way}, debate_id {way} limit {}", limit + 1));
        let mut rows: Vec<Stored> =
            query.build_query_as().fetch_all(&self.pool).await.map_err(Fault::database("list debates"))?;
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
        Ok(Listed { lines: rows.into_iter().map(line).collect(), more, total })
    }

    async fn count_debates(&self, generation: Option<i32>, filter: &Filter) -> Result<i64, Fault> {
        let mut query = QueryBuilder::new("select count(*) ");
        narrow(&mut query, generation, filter);
        query.build_query_scalar().fetch_one(&self.pool).await.map_err(Fault::database("count debates"))
    }

    /// The lines of these debates, in no order; those that have none are left out.
    ///
    /// # Errors
    /// The database's.
    pub async fn lines(&self, generation: i32, debates: &[DebateId]) -> Result<Vec<DebateRow>, Fault> {
        Ok(self.lines_of(generation, debates).await?.into_iter().map(|it| it.row).collect())
    }

    /// The same, each with the debate's stored summary. One statement.
    ///
    /// # Errors
    /// The database's.
    pub async fn lines_of(&self, generation: i32, debates: &[DebateId]) -> Result<Vec<Line>, Fault> {
        let mut query = QueryBuilder::new(format!("select {COLUMNS}, {SUMMARY}, null::bigint as total "));
        narrow(&mut query, Some(generation), &Filter::default());
        query.push(" and debate_id = any (").push_bind(debates.iter().map(|it| it.0).collect::<Vec<_>>()).push(")");
        let rows: Vec<Stored> =
            query.build_query_as().fetch_all(&self.pool).await.map_err(Fault::database("read lines of the list"))?;
        Ok(rows.into_iter().map(line).collect())
    }
}

/// Saves lines; never an older version over a newer.
pub(crate) async fn save(connection: &mut PgConnection, rows: &[DebateRow]) -> Result<(), Fault> {
    let mut newest: BTreeMap<(i32, DebateId), &DebateRow> = BTreeMap::new();
    for row in rows {
        let known = newest.entry((row.generation, row.debate)).or_insert(row);
        if row.version > known.version {
            *known = row;
        }
    }
    let rows: Vec<&DebateRow> = newest.into_values().collect();
    for rows in rows.chunks(ROWS) {
        let lines: Vec<serde_json::Value> = rows.iter().map(|it| json(it)).collect();
        sqlx::query(
            "insert into debates
            select *
            from jsonb_populate_recordset(null::debates, $1)
            on conflict (generation, debate_id) do update
            set
                version = excluded.version,
                topic = excluded.topic,
                engine = excluded.engine,
                provider = excluded.provider,
                status = excluded.status,
                phase = excluded.phase,
                regime = excluded.regime,
                opened_at = excluded.opened_at,
                changed_at = excluded.changed_at,
                ended_at = excluded.ended_at,
                n_turns = excluded.n_turns,
                tokens = excluded.tokens,
                cost_micros = excluded.cost_micros,
                participants = excluded.participants
            where debates.version <= excluded.version",
        )
        .bind(serde_json::Value::Array(lines))
        .execute(&mut *connection)
        .await
        .map_err(Fault::database("save the list of debates"))?;
    }
    Ok(())
}

/// The line under its columns' names. An array of arrays would not do for the participants, whose numbers differ.
fn json(row: &DebateRow) -> serde_json::Value {
    serde_json::json!({
        "generation": row.generation,
        "debate_id": row.debate,
        "version": row.version,
        "topic": clean(&row.topic),
        "engine": clean(&row.engine),
        "provider": clean(&row.provider),
        "status": clean(&row.status),
        "phase": row.phase.as_deref().map(clean),
        "regime": row.regime.as_deref().map(clean),
        "opened_at": row.opened_at,
        "changed_at": row.changed_at,
        "ended_at": row.ended_at,
        "n_turns": row.n_turns,
        "tokens": row.tokens,
        "cost_micros": row.cost_micros,
        "participants": row.participants,
    })
}

/// Text that Postgres takes.
fn clean(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// The generation that a statement reads: this one, or the one that is served when it runs.
pub(crate) fn push_generation(query: &mut QueryBuilder<Postgres>, generation: Option<i32>) {
    match generation {
        Some(generation) => query.push_bind(generation),
        None => query.push("(select generation from served where name = 'debates')"),
    };
}

/// One word of a few: as a literal, so that a plan can be made once for all and still knows how rare it is. What is no such
/// word is bound.
pub(crate) fn push_word(query: &mut QueryBuilder<Postgres>, word: &str) {
    match !word.is_empty() && word.bytes().all(|it| it.is_ascii_lowercase() || it == b'_') {
        true => query.push("'").push(word).push("'"),
        false => query.push_bind(clean(word)),
    };
}

/// The debates that a filter lets through, from `from` on.
fn narrow(query: &mut QueryBuilder<Postgres>, generation: Option<i32>, filter: &Filter) {
    query.push("from debates where generation = ");
    push_generation(query, generation);
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
}

/// A pattern for `ilike` that finds the text wherever it stands, and takes nothing in it for a wildcard.
fn containing(text: &str) -> String {
    let text = clean(text).replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{text}%")
}

fn line(row: Stored) -> Line {
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
        participants: row.participants.iter().filter_map(|it| it.parse().ok()).collect(),
    };
    Line { row, summary }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_has_no_wildcards() {
        for (text, pattern) in [("a", "%a%"), ("100%", "%100\\%%"), ("a_b", "%a\\_b%"), ("\\", "%\\\\%")] {
            assert_eq!(containing(text), pattern);
        }
    }
}

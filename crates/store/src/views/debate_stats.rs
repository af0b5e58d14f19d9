//! Statistics across debates: counts, means and spreads, by one or more properties of the debates.

use std::collections::BTreeMap;

use sqlx::QueryBuilder;

use crate::error::StoreError;
use crate::reads_row;
use crate::views::debates::{DebateQuery, push_conditions, push_generation};
use crate::views::views::Views;
use faultline_core::measures::measure::{MeasureDefinition, MeasureUnit};
use faultline_core::measures::registry::measure;
use faultline_core::measures::speaker_figures::SPEAKER_FIGURES;

/// Maximum number of groups; the ones with the most debates are returned.
pub const MAX_GROUPS: usize = 500;

/// Property by which debates are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupBy {
    /// Engine.
    Engine,
    /// Regime of the verdict.
    Regime,
    /// Kind of the outcome; empty while the debate goes on.
    Outcome,
    /// Status.
    Status,
    /// Participant; a debate counts once for each.
    Persona,
    /// Model provider.
    Provider,
    /// Model that answered; a debate counts once for each.
    Model,
    /// Topic.
    Topic,
    /// Month of the opening in UTC: `2026-03`.
    Month,
}

impl GroupBy {
    /// All properties.
    pub const ALL: [GroupBy; 9] = [
        GroupBy::Engine,
        GroupBy::Regime,
        GroupBy::Outcome,
        GroupBy::Status,
        GroupBy::Persona,
        GroupBy::Provider,
        GroupBy::Model,
        GroupBy::Topic,
        GroupBy::Month,
    ];

    /// Name of the property: `engine`, `regime`, `outcome`, `status`, `persona`, `provider`, `model`, `topic`, `month`.
    pub fn name(self) -> &'static str {
        match self {
            GroupBy::Engine => "engine",
            GroupBy::Regime => "regime",
            GroupBy::Outcome => "outcome",
            GroupBy::Status => "status",
            GroupBy::Persona => "persona",
            GroupBy::Provider => "provider",
            GroupBy::Model => "model",
            GroupBy::Topic => "topic",
            GroupBy::Month => "month",
        }
    }

    /// Finds the property with this name.
    pub fn named(name: &str) -> Option<GroupBy> {
        GroupBy::ALL.into_iter().find(|property| property.name() == name)
    }

    fn expression(self) -> &'static str {
        match self {
            GroupBy::Engine => "engine",
            GroupBy::Regime => "coalesce(regime, '')",
            GroupBy::Outcome => "coalesce(outcome, '')",
            GroupBy::Status => "status",
            GroupBy::Persona => "of_persona",
            GroupBy::Provider => "provider",
            GroupBy::Model => "of_model",
            GroupBy::Topic => "topic",
            GroupBy::Month => "to_char(opened_at at time zone 'UTC', 'YYYY-MM')",
        }
    }
}

/// Figure of a debate that is summarized.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// Turns taken.
    Turns,
    /// Tokens read and written.
    Tokens,
    /// Cost in US dollars.
    Cost,
    /// Seconds from the opening to the end; only of debates that have ended.
    Seconds,
    /// Figure of the participant by which debates are grouped, by its place in [`SPEAKER_FIGURES`]. Requires
    /// [`GroupBy::Persona`].
    Speaker(usize),
    /// Measure with this key; only of debates that have ended and for which it has a value.
    Measure(String),
}

impl Figure {
    /// True if all values are shares from 0 to 1.
    pub fn is_share(&self) -> bool {
        let Figure::Measure(key) = self else { return false };
        measure(key).is_some_and(|definition| definition.unit == MeasureUnit::Share)
    }

    /// Name of the figure: `turns`, `tokens`, `cost`, `seconds`, or the key of the measure.
    pub fn name(&self) -> &str {
        match self {
            Figure::Turns => "turns",
            Figure::Tokens => "tokens",
            Figure::Cost => "cost",
            Figure::Seconds => "seconds",
            Figure::Speaker(place) => SPEAKER_FIGURES.get(*place).map_or("", |(key, _)| *key),
            Figure::Measure(key) => key,
        }
    }
}

impl DebateStatsQuery {
    /// Creates a request with the figures that are always summarized, those of participants if debates are grouped by them,
    /// and these measures, medians included.
    pub fn new(by: Vec<GroupBy>, filter: DebateQuery, measures: &[&MeasureDefinition]) -> DebateStatsQuery {
        let mut figures = vec![Figure::Turns, Figure::Tokens, Figure::Cost, Figure::Seconds];
        if by.contains(&GroupBy::Persona) {
            figures.extend((0..SPEAKER_FIGURES.len()).map(Figure::Speaker));
        }
        for definition in measures {
            let figure = Figure::Measure(definition.key.to_owned());
            if !figures.contains(&figure) {
                figures.push(figure);
            }
        }
        DebateStatsQuery { by, filter, figures, with_medians: true }
    }
}

/// Requested statistics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebateStatsQuery {
    /// Properties by which debates are grouped; none for one group of all.
    pub by: Vec<GroupBy>,
    /// Filter; only matching debates count.
    pub filter: DebateQuery,
    /// Figures that are summarized.
    pub figures: Vec<Figure>,
    /// False to leave out the medians, for which the rows are sorted once for every figure.
    pub with_medians: bool,
}

/// Statistics by group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DebateStats {
    /// Generation that was read; `None` if nothing matches.
    pub generation: Option<i32>,
    /// Groups, the one with the most debates first, then by their values.
    pub groups: Vec<DebateGroup>,
    /// True if there are more than [`MAX_GROUPS`] groups.
    pub more: bool,
}

/// Debates with the same properties.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DebateGroup {
    /// Values of the properties, in the order of the request; empty for a value that is absent.
    pub values: Vec<String>,
    /// Number of debates.
    pub n_debates: i64,
    /// Number of those that have ended.
    pub n_ended: i64,
    /// Number of debates by regime.
    pub regimes: BTreeMap<String, i64>,
    /// Summaries of the figures, in the order of the request.
    pub figures: Vec<Spread>,
}

/// Summary of a figure over debates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Number of debates that have a value.
    pub n: i64,
    /// Sum; 0 without values.
    pub sum: f64,
    /// Mean; `None` without values.
    pub mean: Option<f64>,
    /// Standard deviation of the sample; `None` with fewer than two values.
    pub deviation: Option<f64>,
    /// Smallest value.
    pub least: Option<f64>,
    /// Median; `None` if it was not requested, too.
    pub median: Option<f64>,
    /// Greatest value.
    pub greatest: Option<f64>,
}

/// Numbers in the row of a figure.
const PER_FIGURE: usize = 7;
/// Regimes that are counted.
const REGIMES: [&str; 4] = ["consensus", "partial", "polarized", "undetermined"];

struct Row {
    generation: i32,
    values: Vec<String>,
    n_debates: i64,
    n_ended: i64,
    regimes: Vec<i64>,
    figures: Vec<Option<f64>>,
}

reads_row!(Row { generation, values, n_debates, n_ended, regimes, figures });

impl Views {
    /// Summarizes the debates of a generation by group; `None` selects the served generation. One statement, which reads the
    /// rows of the matching debates.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn debate_stats(
        &self,
        generation: Option<i32>,
        request: &DebateStatsQuery,
    ) -> Result<DebateStats, StoreError> {
        let names = |prefix: char, n: usize| (0..n).map(move |place| format!("{prefix}{place}"));
        let values: Vec<String> = names('v', request.by.len()).collect();
        let figures: Vec<String> =
            names('f', request.figures.len()).map(|name| summary(&name, request.with_medians)).collect();
        let counts = REGIMES.map(|regime| format!("count(*) filter (where regime = '{regime}')"));
        let mut query = QueryBuilder::new(format!(
            "select generation, array[{}]::text[] as \"values\", count(*) as n_debates, count(ended_at) as n_ended,
            array[{}]::bigint[] as regimes, array[{}]::float8[] as figures
            from (",
            values.join(", "),
            counts.join(", "),
            figures.join(", "),
        ));
        push_debates(&mut query, generation, request);
        query.push(") as debate group by generation");
        for value in &values {
            query.push(", ").push(value);
        }
        query.push(format!(" order by count(*) desc, 2 limit {}", MAX_GROUPS + 1));
        let mut rows: Vec<Row> =
            query.build_query_as().fetch_all(&self.pool).await.map_err(StoreError::database("summarize debates"))?;
        let more = rows.len() > MAX_GROUPS;
        rows.truncate(MAX_GROUPS);
        let generation = rows.first().map(|row| row.generation);
        Ok(DebateStats { generation, groups: rows.into_iter().map(group).collect(), more })
    }
}

/// Adds a query with one row per debate, participant and model that counts: the values by which it is grouped and its
/// figures. `offset 0` keeps the planner from computing each of them once for every number of its summary.
fn push_debates(query: &mut QueryBuilder<sqlx::Postgres>, generation: Option<i32>, request: &DebateStatsQuery) {
    query.push("select generation, regime, ended_at");
    for (place, property) in request.by.iter().enumerate() {
        query.push(format!(", {} as v{place}", property.expression()));
    }
    for (place, figure) in request.figures.iter().enumerate() {
        query.push(", ");
        push_figure(query, figure);
        query.push(format!(" as f{place}"));
    }
    query.push(" from debates");
    if request.by.contains(&GroupBy::Persona) {
        query.push(" cross join lateral unnest(participants) with ordinality as participant(of_persona, of_place)");
    }
    if request.by.contains(&GroupBy::Model) {
        query.push(" cross join lateral unnest(models) as of_model");
    }
    query.push(" where generation = ");
    push_generation(query, generation);
    push_conditions(query, &request.filter);
    query.push(" offset 0");
}

/// Adds the value of a figure for one debate.
fn push_figure(query: &mut QueryBuilder<sqlx::Postgres>, figure: &Figure) {
    match figure {
        Figure::Turns => query.push("n_turns::float8"),
        Figure::Tokens => query.push("tokens::float8"),
        Figure::Cost => query.push("cost_micros / 1e6::float8"),
        Figure::Seconds => query.push("extract(epoch from ended_at - opened_at)::float8"),
        Figure::Speaker(place) => {
            let (per_persona, place) = (SPEAKER_FIGURES.len(), place + 1);
            query.push(format!("speaker_figures[(of_place - 1) * {per_persona} + {place}]"))
        }
        Figure::Measure(key) => query.push("(measures ->> ").push_bind(key.clone()).push(")::float8"),
    };
}

/// The numbers that summarize a column, as the fields of a [`Spread`].
fn summary(column: &str, with_median: bool) -> String {
    let median =
        if with_median { format!("percentile_cont(0.5) within group (order by {column})") } else { "null".to_owned() };
    format!(
        "count({column})::float8, coalesce(sum({column}), 0), avg({column}), stddev_samp({column}), min({column}),
        {median}, max({column})"
    )
}

fn group(row: Row) -> DebateGroup {
    let regimes = REGIMES.iter().zip(&row.regimes).filter(|(_, count)| **count > 0);
    DebateGroup {
        values: row.values,
        n_debates: row.n_debates,
        n_ended: row.n_ended,
        regimes: regimes.map(|(regime, count)| ((*regime).to_owned(), *count)).collect(),
        figures: row.figures.chunks_exact(PER_FIGURE).map(spread).collect(),
    }
}

fn spread(numbers: &[Option<f64>]) -> Spread {
    let at = |place: usize| numbers.get(place).copied().flatten();
    Spread {
        n: at(0).unwrap_or(0.0) as i64,
        sum: at(1).unwrap_or(0.0),
        mean: at(2),
        deviation: at(3),
        least: at(4),
        median: at(5),
        greatest: at(6),
    }
}

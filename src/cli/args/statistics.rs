//! Arguments of commands over many debates: their filter, statistics, measures and experiments.

use std::path::PathBuf;

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use clap::{Args, Subcommand};

use crate::cli::output::exit::CliError;
use faultline_core::events::ids::Misnamed;
use faultline_store::views::debate_stats::GroupBy;
use faultline_store::views::debates::DebateQuery;

/// Regimes of a debate.
pub const REGIMES: [&str; 4] = ["consensus", "partial", "polarized", "undetermined"];
/// Outcomes of a debate.
pub const OUTCOMES: [&str; 6] = ["settled", "exhausted", "limit", "stalled", "failed", "cancelled"];

/// Filter of debates; all given conditions must hold.
#[derive(Args, Clone, Debug, Default)]
pub struct DebateFilterArgs {
    /// Only debates with this status: running, paused, concluded or cancelled.
    #[arg(long, value_parser = ["running", "paused", "concluded", "cancelled"])]
    pub status: Option<String>,
    /// Only debates in which this persona takes part.
    #[arg(long)]
    pub persona: Option<String>,
    /// Only debates whose topic contains this text.
    #[arg(long)]
    pub search: Option<String>,
    /// Conditions on how the debates were run, and ended.
    #[command(flatten)]
    pub origin: DebateOriginArgs,
}

/// Conditions on how debates were run, and ended.
#[derive(Args, Clone, Debug, Default)]
pub struct DebateOriginArgs {
    /// Only of debates run by this engine.
    #[arg(long)]
    pub engine: Option<String>,
    /// Only of debates with this verdict: consensus, partial, polarized or undetermined.
    #[arg(long, value_parser = REGIMES)]
    pub regime: Option<String>,
    /// Only of debates that ended so: settled, exhausted, limit, stalled, failed or cancelled.
    #[arg(long, value_parser = OUTCOMES)]
    pub outcome: Option<String>,
    /// Only of debates with this provider.
    #[arg(long)]
    pub provider: Option<String>,
    /// Only of debates in which this model answered.
    #[arg(long)]
    pub model: Option<String>,
    /// Only of debates opened on this day or later: a date (2026-03-01) or a time (2026-03-01T12:00:00Z), in UTC.
    #[arg(long, value_name = "DATE", value_parser = time)]
    pub since: Option<DateTime<Utc>>,
    /// Only of debates opened before this day or time.
    #[arg(long, value_name = "DATE", value_parser = time)]
    pub until: Option<DateTime<Utc>>,
}

/// Arguments of `stats`.
#[derive(Args)]
pub struct DebateStatsArgs {
    /// Properties by which debates are grouped, at most three: engine, regime, outcome, status, persona, provider, model,
    /// topic, month.
    #[arg(long, value_delimiter = ',', value_name = "PROPERTY", value_parser = grouping, num_args = 1..)]
    pub by: Vec<GroupBy>,
    /// Measures to summarize, by their keys; `faultline measures` lists them.
    #[arg(long, value_delimiter = ',', value_name = "KEY")]
    pub measure: Vec<String>,
    /// Conditions on the debates.
    #[command(flatten)]
    pub filter: DebateFilterArgs,
    /// Print one JSON value.
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print a CSV table with a line for each group and figure.
    #[arg(long)]
    pub csv: bool,
}

/// Arguments of `measures`.
#[derive(Args)]
pub struct MeasuresArgs {
    /// Id of the debate, or the start or end of it. Without one, all measures are listed with their formulas.
    pub id: Option<String>,
    /// Measure the debate as of this version.
    #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(i64).range(1..), requires = "id")]
    pub at: Option<i64>,
    /// Only these measures, by their keys.
    #[arg(long, value_delimiter = ',', value_name = "KEY")]
    pub measure: Vec<String>,
    /// Print the parts behind each value: participants, claims, attacks, and their turns.
    #[arg(long, requires = "id")]
    pub parts: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `experiment`.
#[derive(Args)]
pub struct ExperimentArgs {
    /// Subcommand to run.
    #[command(subcommand)]
    pub command: ExperimentCommand,
}

/// Subcommands of `faultline experiment`.
#[derive(Subcommand)]
pub enum ExperimentCommand {
    /// Run the debates of an experiment that are missing, and write the report.
    #[command(after_help = "Example: faultline experiment run engines.toml --out results\n\n\
            A run that was interrupted continues where it stopped: the same topic, arm and seed are the same debate.")]
    Run(ExperimentFileArgs),
    /// Write the report on the debates of an experiment that have ended; run none.
    #[command(after_help = "Example: faultline experiment report engines.toml --out results")]
    Report(ExperimentFileArgs),
    /// Print an example of an experiment file.
    #[command(after_help = "Example: faultline experiment example > engines.toml")]
    Example,
}

/// Arguments of `experiment run` and `experiment report`.
#[derive(Args)]
pub struct ExperimentFileArgs {
    /// Experiment file (TOML).
    pub file: PathBuf,
    /// Folder for report.md, report.html and results.csv; by default the Markdown report is printed.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the measured debates as one JSON value instead of the report.
    #[arg(long)]
    pub json: bool,
}

impl DebateFilterArgs {
    /// Returns the filter of the stored list.
    ///
    /// # Errors
    /// [`CliError::Usage`] if a persona id is malformed.
    pub fn query(&self) -> Result<DebateQuery, CliError> {
        let persona = self.persona.as_deref().map(str::parse).transpose();
        Ok(DebateQuery {
            status: self.status.clone(),
            persona: persona.map_err(|error: Misnamed| CliError::Usage(error.to_string()))?,
            topic: self.search.clone(),
            ..self.origin.query()
        })
    }
}

impl DebateOriginArgs {
    /// Returns the filter of the stored list.
    pub fn query(&self) -> DebateQuery {
        DebateQuery {
            engine: self.engine.clone(),
            provider: self.provider.clone(),
            regime: self.regime.clone(),
            outcome: self.outcome.clone(),
            model: self.model.clone(),
            opened_after: self.since,
            opened_before: self.until,
            ..DebateQuery::default()
        }
    }
}

fn time(text: &str) -> Result<DateTime<Utc>, String> {
    let day = text.parse::<NaiveDate>().map(|day| day.and_time(NaiveTime::MIN).and_utc());
    day.or_else(|_| text.parse::<DateTime<Utc>>())
        .map_err(|_| format!("\"{text}\" is neither a date such as 2026-03-01 nor a time such as 2026-03-01T12:00:00Z"))
}

fn grouping(text: &str) -> Result<GroupBy, String> {
    let names = || GroupBy::ALL.map(GroupBy::name).join(", ");
    GroupBy::named(text).ok_or_else(|| format!("unknown property \"{text}\"; available: {}", names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_read_as_utc() {
        let check = |text: &str, expected: Option<&str>| {
            let found = time(text).ok().map(|found| found.to_rfc3339());
            assert_eq!(found.as_deref(), expected, "{text}");
        };
        check("2026-03-01", Some("2026-03-01T00:00:00+00:00"));
        check("2026-03-01T12:30:00+02:00", Some("2026-03-01T10:30:00+00:00"));
        check("yesterday", None);
        check("2026-02-30", None);
    }
}

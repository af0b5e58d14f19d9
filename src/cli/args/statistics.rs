//! Arguments of commands for analysts: statistics, measures and experiments.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::args::debate_filter::DebateFilterArgs;
use faultline_store::views::debate_stats::GroupBy;

/// Arguments of `stats`.
#[derive(Args)]
pub struct DebateStatsArgs {
    /// Properties by which debates are grouped, at most three: engine, regime, outcome, status, persona, provider, model,
    /// topic, month.
    #[arg(long, value_delimiter = ',', value_name = "PROPERTY", value_parser = grouping, num_args = 1..)]
    pub by: Vec<GroupBy>,
    /// Measures to summarize, by their keys; `faultline measures` lists them. Those that take the timeline of a
    /// debate are not summarized.
    #[arg(long, value_delimiter = ',', value_name = "KEY")]
    pub measure: Vec<String>,
    /// Compare the sides of each pair of participants instead: the questions on which both hold a side, and the share of
    /// them on which it is the same.
    #[arg(long, conflicts_with_all = ["by", "measure"])]
    pub pairs: bool,
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

/// Arguments of `probe`.
#[derive(Args)]
pub struct ProbeArgs {
    /// Id of the debate, or the start or end of it.
    pub id: String,
    /// Provider that is asked; by default that of the debate, or else the first that is configured.
    #[arg(long)]
    pub provider: Option<String>,
    /// Print events as JSON lines, with the measures of probes as the last line.
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

fn grouping(text: &str) -> Result<GroupBy, String> {
    let names = || GroupBy::ALL.map(GroupBy::name).join(", ");
    GroupBy::named(text).ok_or_else(|| format!("unknown property \"{text}\"; available: {}", names()))
}

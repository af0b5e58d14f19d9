//! Arguments of the commands on debates.

use std::path::PathBuf;

use crate::cli::args::debate_filter::{DebateFilterArgs, DebateOriginArgs};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use crate::cli::args::speed::Speed;
use crate::cli::args::tables::TableArgs;
use faultline_core::engines::registry::{DEFAULT_ENGINE, ENGINES};
use faultline_core::events::ids::ArgumentId;
use faultline_core::export::registry::{ALIASES, EXPORTERS};

/// Arguments of `pause` and `resume`, and of `cancel` among others.
#[derive(Args)]
pub struct ControlArgs {
    /// Id of the debate, or the start or end of it.
    pub id: String,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `run`.
#[derive(Args)]
pub struct RunArgs {
    /// Id of the debate, or the start or end of it.
    pub id: String,
    /// Print events and verdict as JSON, one line each.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `debate`.
#[derive(Args)]
pub struct DebateArgs {
    /// Topic of the debate; for most engines a question that can be answered with yes or no.
    pub topic: String,
    /// Name of the engine.
    #[arg(long, default_value = DEFAULT_ENGINE.name, help = engine_help())]
    pub engine: String,
    /// Personas, in speaking order, separated by commas; pro and con are sides without a character, for providers with a
    /// model.
    #[arg(long, value_delimiter = ',', required = true, value_name = "ID,ID")]
    pub personas: Vec<String>,
    /// Seed of the debate's random choices; random by default.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Engine option (rounds=2) or limit (limits.calls=40). May be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Provider: offline, anthropic, openai or scripted; by default the first that is configured.
    #[arg(long)]
    pub provider: Option<String>,
    /// Model of a persona at the provider (edda-tolvane=gpt-5-mini). May be repeated; others have the provider's own.
    #[arg(long, value_name = "ID=MODEL")]
    pub model: Vec<String>,
    /// Print events as JSON lines, with the debate and its verdict as the last line.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `list`.
#[derive(Args)]
pub struct ListArgs {
    /// Conditions on the debates.
    #[command(flatten)]
    pub filter: DebateFilterArgs,
    /// Maximum number of debates, 1 to 500.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub first: u32,
    /// Print averages over the proposals of these debates instead of the list.
    #[arg(long)]
    pub averages: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `cruxes`.
#[derive(Args)]
pub struct CruxesArgs {
    /// Search by meaning and words; "phrases" in quotes, and `-` before words to exclude.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub search: Option<String>,
    /// List questions that come up in several debates, in any wording.
    #[arg(long, conflicts_with = "search")]
    pub recurring: bool,
    /// Only cruxes on which this persona takes a side, or which it proposed or agreed on as the crux.
    #[arg(long)]
    pub persona: Option<String>,
    /// Only cruxes of this kind: dispute, acknowledged, assumption, premise or claim.
    #[arg(long, value_parser = ["dispute", "acknowledged", "assumption", "premise", "claim"])]
    pub kind: Option<String>,
    /// Only cruxes that still divide the participants.
    #[arg(long, conflicts_with = "resolved")]
    pub open: bool,
    /// Only cruxes on which all participants came to agree.
    #[arg(long)]
    pub resolved: bool,
    /// Conditions on the debates of the cruxes.
    #[command(flatten)]
    pub origin: DebateOriginArgs,
    /// Order: newest, changed (latest turn first), pivotality (highest first) or dependents (most dependent arguments first).
    #[arg(long, default_value = "newest", conflicts_with_all = ["search", "recurring"],
          value_parser = ["newest", "changed", "pivotality", "dependents"])]
    pub order: String,
    /// Only cruxes with at least this pivotality, from 0 to 1.
    #[arg(long, value_name = "SHARE")]
    pub min_pivotality: Option<f64>,
    /// Maximum number of cruxes, 1 to 500; with --recurring, 1 to 100.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub first: u32,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `show`.
#[derive(Args)]
pub struct ShowArgs {
    /// Id of the debate, or the start or end of it.
    pub id: String,
    /// Show the debate as of this version.
    #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(i64).range(1..))]
    pub at: Option<i64>,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `export`.
#[derive(Args)]
pub struct ExportArgs {
    /// Id of the debate, or the start or end of it; with --table, all debates by default.
    #[arg(required_unless_present = "table")]
    pub id: Option<String>,
    /// Table over many debates, and its filters.
    #[command(flatten)]
    pub tables: TableArgs,
    /// Output format; by default chosen by the extension of the output file.
    #[arg(long, value_parser = exporters())]
    pub format: Option<String>,
    /// Export the debate as of this version.
    #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(i64).range(1..), conflicts_with = "table")]
    pub at: Option<i64>,
    /// Output file; standard output by default.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

fn exporters() -> PossibleValuesParser {
    let of_debates = EXPORTERS.iter().map(|exporter| {
        let aliases = ALIASES.iter().filter(|(_, name)| *name == exporter.name).map(|(alias, _)| *alias);
        PossibleValue::new(exporter.name).help(exporter.about).aliases(aliases)
    });
    let of_tables = [("csv", "a table as comma-separated values"), ("parquet", "a table as Apache Parquet")];
    PossibleValuesParser::new(of_debates.chain(of_tables.map(|(name, about)| PossibleValue::new(name).help(about))))
}

/// Arguments of `watch`.
#[derive(Args)]
pub struct WatchArgs {
    /// Id of the debate, or the start or end of it.
    pub id: String,
    /// Start after this version.
    #[arg(long, default_value_t = 0, value_name = "VERSION", value_parser = clap::value_parser!(i64).range(0..))]
    pub after: i64,
    /// Print events as JSON lines.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `history`.
#[derive(Args)]
pub struct HistoryArgs {
    /// Id of the debate, or the start or end of it.
    pub id: String,
    /// Print events as JSON lines.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `audit`.
#[derive(Args)]
pub struct AuditArgs {
    /// Id of the debate, or the start or end of it.
    pub id: String,
    /// Provider that reads the words, or nli; by default that of `FAULTLINE_AUDITOR`, or else the first that is configured.
    #[arg(long)]
    pub provider: Option<String>,
    /// Print events as JSON lines, with the debate and its verdict as the last line.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `cancel`.
#[derive(Args)]
pub struct CancelArgs {
    /// Debate to cancel.
    #[command(flatten)]
    pub debate: ControlArgs,
    /// Reason, recorded in the log.
    #[arg(long, default_value = "cancelled from the command line")]
    pub reason: String,
}

/// Arguments of `fork`.
#[derive(Args)]
pub struct ForkArgs {
    /// Id of the debate, or the start or end of it.
    pub id: String,
    /// Last version that the fork shares; by default the latest, without the final event of a debate that has ended.
    #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(i64).range(1..))]
    pub at: Option<i64>,
    /// Personas from here on, in speaking order; unchanged by default.
    #[arg(long, value_delimiter = ',', value_name = "ID,ID")]
    pub personas: Option<Vec<String>>,
    /// New seed of the random choices.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Engine option (rounds=2) or limit (limits.calls=40) to change. May be repeated; others keep their values.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Provider from here on.
    #[arg(long)]
    pub provider: Option<String>,
    /// Model of a persona at the provider from here on (edda-tolvane=gpt-5-mini). May be repeated, and replaces all earlier
    /// choices; by default they stay, unless the provider changes.
    #[arg(long, value_name = "ID=MODEL")]
    pub model: Vec<String>,
    /// Print events as JSON lines, with the debate and its verdict as the last line.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `redistill`.
#[derive(Args)]
pub struct RedistillArgs {
    /// Id of the debate, or the start or end of it.
    pub id: String,
    /// Engine whose clerk reads the talk: disputes (questions, stances and reasons) or dialogue (arguments and attacks).
    #[arg(long, value_name = "ENGINE", value_parser = ["disputes", "dialogue"], default_value = "disputes")]
    pub clerk: String,
    /// Last version whose turns are taken; by default the latest.
    #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(i64).range(1..))]
    pub at: Option<i64>,
    /// Provider that answers as the clerk; by default that of the debate.
    #[arg(long)]
    pub provider: Option<String>,
    /// Seed of the random choices; by default that of the debate.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Option of the engine baseline (audit=off) or limit (limits.calls=40). May be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Print events as JSON lines, with the debate and its verdict as the last line.
    #[arg(long)]
    pub json: bool,
}

/// Help text that names the engines whose debates this service drives.
fn engine_help() -> String {
    let names: Vec<&str> = ENGINES.iter().filter(|engine| !engine.is_external()).map(|engine| engine.name).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("Engine: {} or {last}", others.join(", ")),
        _ => format!("Engine: {}", names.join(", ")),
    }
}

/// Arguments of `import`.
#[derive(Args)]
pub struct ImportArgs {
    /// Files to read; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Report what would be imported, whether it is already here or differs from what is, and record nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Accept Faultline exports that were edited. They become debates of their own, whose stances, concessions and
    /// agreements are shown as reported and not counted.
    #[arg(long)]
    pub edited: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `replay`.
#[derive(Args)]
pub struct ReplayArgs {
    /// Id of the debate, or the start or end of it.
    pub id: String,
    /// Speed factor; 0 or `max` replays without pauses.
    #[arg(long, default_value = "1", value_name = "TIMES")]
    pub speed: Speed,
    /// Print events as JSON lines, with the debate and its verdict as the last line if the debate has ended.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `compare`.
#[derive(Args)]
pub struct CompareArgs {
    /// Id of the debate, or the start or end of it.
    pub id: String,
    /// First version; by default the latest.
    #[arg(long, value_name = "VERSION", required_unless_present = "with", value_parser = clap::value_parser!(i64).range(1..))]
    pub from: Option<i64>,
    /// Second version, of the debate in --with if there is one; by default the latest.
    #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(i64).range(1..))]
    pub to: Option<i64>,
    /// Debate to compare with: its id, or the start or end of it.
    #[arg(long, value_name = "ID")]
    pub with: Option<String>,
    /// Print one JSON value, with the names of the API.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `what-if`.
#[derive(Args)]
pub struct WhatIfArgs {
    /// Id of the debate, or the start or end of it.
    pub id: String,
    /// Arguments to withdraw, such as a3,a5, with all attacks on and by them.
    #[arg(long, value_delimiter = ',', required = true, value_name = "ARGUMENTS")]
    pub remove: Vec<ArgumentId>,
    /// Change the debate as of this version.
    #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(i64).range(1..))]
    pub at: Option<i64>,
    /// Print one JSON value, with the names of the API.
    #[arg(long)]
    pub json: bool,
}

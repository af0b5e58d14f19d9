//! Command-line arguments.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, Utc};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand};

use crate::api::admission::token_file::read_expiry;
use crate::api::role::Role;
use crate::cli::admin::erase::Erase;
use crate::cli::admin::keys::KeysArgs;
use crate::cli::argumentation::iccma::ReasoningProblem;
use crate::cli::corpus::corpus::Corpus;
use crate::cli::debates::replay::Speed;
use crate::cli::persona::args::PersonaArgs;
use faultline_argumentation::formats::format::Format;
use faultline_core::export::registry::EXPORTERS;

/// Top-level command line.
#[derive(Parser)]
#[command(
    name = "faultline",
    version,
    about,
    long_about = "Debates between personas, recorded event by event, and the cruxes computed from them.\n\n\
        Begin with `faultline demo`: it sets everything up, runs a debate and serves the API.",
    after_help = "Without DATABASE_URL a private PostgreSQL runs under FAULTLINE_HOME (default .faultline). \
        `faultline doctor` checks the setup and explains how to fix problems."
)]
pub struct Cli {
    /// Command to run.
    #[command(subcommand)]
    pub command: CliCommand,
}

/// Subcommands.
#[derive(Subcommand)]
pub enum CliCommand {
    /// Set everything up, run a debate, serve the API, and print what to try next.
    #[command(after_help = "Example: faultline demo --once")]
    Demo(DemoArgs),
    /// Serve the API and run every open debate.
    #[command(after_help = "Example: faultline serve --listen 127.0.0.1:7777")]
    Serve(ServeArgs),
    /// Run a debate and watch it.
    #[command(after_help = "Example: faultline debate \"Should the city close its centre to private cars?\" \
            --personas edda-tolvane,gus-ormerand --seed 7 --set rounds=2")]
    Debate(DebateArgs),
    /// List debates, newest first.
    #[command(after_help = "Example: faultline list --status concluded --search nuclear")]
    List(ListArgs),
    /// List cruxes across debates, newest first.
    #[command(
        after_help = "Examples: faultline cruxes --search \"are there enough crews\" --kind assumption --open\n          faultline cruxes --recurring --json"
    )]
    Cruxes(CruxesArgs),
    /// Manage the writings of personas: ingest, remove, search, re-embed.
    #[command(subcommand)]
    Corpus(Corpus),
    /// Show a debate: verdict, graph and transcript, as of any version.
    #[command(after_help = "Example: faultline show 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --at 30")]
    Show(ShowArgs),
    /// Export a debate to a file: its argument map as a picture or text, or its argumentation framework.
    #[command(after_help = "Example: faultline export 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --format svg -o debate.svg")]
    Export(Export),
    /// Follow a debate: past events first, then live ones.
    #[command(after_help = "Example: faultline watch 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --after 30")]
    Watch(Watch),
    /// Print a debate's events, one line each.
    #[command(after_help = "Example: faultline history 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --json")]
    History(HistoryArgs),
    /// Pause a debate.
    #[command(after_help = "Example: faultline pause 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b")]
    Pause(DebateIdArgs),
    /// Resume a paused debate.
    #[command(after_help = "Example: faultline resume 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b")]
    Resume(DebateIdArgs),
    /// Cancel a debate.
    #[command(after_help = "Example: faultline cancel 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --reason \"wrong topic\"")]
    Cancel(Cancel),
    /// Erase a debate permanently, or a persona with all its debates; the log remains verifiable.
    #[command(
        after_help = "Examples:\n  faultline erase 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --reason \"requested by its author\" --yes\n  \
            faultline erase --persona edda-tolvane --with-forks\n  faultline erase --list --json"
    )]
    Erase(Erase),
    /// Show the state of the encryption keys, and re-encrypt them under another master key.
    #[command(
        after_help = "Examples:\n  faultline keys --json\n  FAULTLINE_MASTER_KEY=new.key FAULTLINE_MASTER_KEY_ALSO=old.key \
            faultline keys --rewrap\n\nServices that know both master keys keep running meanwhile. If interrupted, run \
            the command again; it continues where it stopped."
    )]
    Keys(KeysArgs),
    /// Fork a debate at a version with changes, and watch the fork.
    #[command(after_help = "Example: faultline fork 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --at 30 --set rounds=5")]
    Fork(ForkArgs),
    /// Solve a problem of abstract argumentation read from a file, by the conventions of the ICCMA competitions.
    #[command(after_help = "Examples:\n  faultline argue -p EE-PR -f debate.apx\n  \
            faultline argue -p DS-PR -f debate.af -a 3 --timeout 10\n  \
            faultline export ID --format tgf | faultline argue -p CE-CO -f -\n\n\
            A problem is a task and a semantics. Tasks: SE one extension, EE all extensions, CE their number, \
            DC is ARG in some, DS is ARG in all. Semantics: GR grounded, CO complete, PR preferred, ST stable, \
            SST semi-stable, STG stage, ID ideal.\n\
            Answers for apx and tgf are printed as in ICCMA 2015 to 2021, [a,b] and [[a,b],[c]]; for af as in 2023, \
            w 1 2, with an extension as the witness of a YES to DC or a NO to DS.\n\
            Exit codes: 0 complete answer, 1 a limit was reached or the file cannot be read, 2 invalid arguments.")]
    Argue(Argue),
    /// Read one document from standard input within resource limits; ingests run this to isolate untrusted input.
    #[command(hide = true)]
    ParseDocument,
    /// List, show, check and draft personas.
    #[command(after_help = "Example: faultline persona check agnes-wetherlow")]
    Persona(PersonaArgs),
    /// Print the GraphQL schema.
    #[command(after_help = "Example: faultline schema > schema.graphql")]
    Schema,
    /// Verify the log: contiguous versions, intact hash chains, and views that equal a fresh fold.
    #[command(after_help = "Examples:\n  faultline verify --json\n  faultline verify --print-heads > heads.txt\n  \
            faultline verify --heads heads.txt\n\n\
            A hash chain cannot reveal that its newest events were cut off. A comparison with saved heads does.")]
    Verify(Verify),
    /// Rebuild the stored views from the whole log, next to the served ones, and cut over.
    #[command(
        after_help = "Examples:\n  faultline rebuild --workers 2\n  faultline rebuild debates --diff --dry-run\n\n\
            Readers see the old views until the new ones have caught up. If killed, a rebuild continues where it \
            stopped as soon as a service or another rebuild runs. After an unreadable event, the rest of its debate is \
            left out; if the served views contain that part, cut-over is refused without --allow-letters."
    )]
    Rebuild(Rebuild),
    /// List the generations of stored views, their progress, and the events they could not read.
    #[command(after_help = "Examples:\n  faultline projections --json\n  faultline projections --retry\n\n\
            An unreadable event is listed as a dead letter; its debate stays as it was before that event.")]
    Projections(ProjectionsArgs),
    /// Import debates of earlier systems (v1 and v2 result files, event streams) and Faultline exports.
    #[command(after_help = "Example: faultline import blitz-2p.events.jsonl result.json --dry-run\n\n\
            Importing a file again changes nothing. `-` reads standard input.")]
    Import(Import),
    /// Replay a past debate with its original timing.
    #[command(after_help = "Example: faultline replay 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --speed 4")]
    Replay(Replay),
    /// Check the setup and explain how to fix problems.
    #[command(after_help = "Example: faultline doctor")]
    Doctor(Doctor),
    /// Create a bearer token for the API, and the line for the token file.
    #[command(after_help = "Example: faultline token frontend --role reader")]
    Token(TokenArgs),
}

/// Arguments of `demo`.
#[derive(Args)]
pub struct DemoArgs {
    /// Exit after the verdict instead of serving.
    #[arg(long)]
    pub once: bool,
    /// Address on which to serve the API.
    #[arg(long, default_value = "127.0.0.1:7777", value_name = "ADDRESS")]
    pub listen: SocketAddr,
    /// Seed of the debate.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Arguments of `serve`.
#[derive(Args)]
pub struct ServeArgs {
    /// Address on which to serve the API.
    #[arg(long, default_value = "127.0.0.1:7777", value_name = "ADDRESS")]
    pub listen: SocketAddr,
    /// Serve on an address reachable by others although no token file is configured, so clients are not authenticated.
    #[arg(long)]
    pub insecure: bool,
}

/// Arguments of `token`.
#[derive(Args)]
pub struct TokenArgs {
    /// Name of the token: 1 to 64 letters, digits, - and _.
    #[arg(required_unless_present = "list")]
    pub name: Option<String>,
    /// Role of the token: reader (query and subscribe), writer (change debates as well) or admin (administer the
    /// service as well).
    #[arg(long, required_unless_present = "list")]
    pub role: Option<Role>,
    /// Expiry: a number of days (90d), or the start of a day in UTC (2027-01-31); without it, the token never expires.
    #[arg(long, value_parser = read_expiry, value_name = "WHEN")]
    pub expires: Option<DateTime<Utc>>,
    /// List the tokens in the configured file: names, roles, expiry, and which need to be replaced.
    #[arg(long, conflicts_with_all = ["name", "role", "expires", "append"])]
    pub list: bool,
    /// Append the line to the configured token file, and print only the token.
    #[arg(long)]
    pub append: bool,
}

/// Arguments of `debate`.
#[derive(Args)]
pub struct DebateArgs {
    /// Topic of the debate; for most engines a question that can be answered with yes or no.
    pub topic: String,
    /// Engine: graph, dialectic, dialogue or disputes.
    #[arg(long, default_value = "graph")]
    pub engine: String,
    /// Personas, in speaking order, separated by commas.
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
    /// Print events as JSON lines, with the verdict as the last line.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `list`.
#[derive(Args)]
pub struct ListArgs {
    /// Only debates with this status: running, paused, concluded or aborted.
    #[arg(long, value_parser = ["running", "paused", "concluded", "aborted"])]
    pub status: Option<String>,
    /// Only debates run by this engine.
    #[arg(long)]
    pub engine: Option<String>,
    /// Only debates in which this persona takes part.
    #[arg(long)]
    pub persona: Option<String>,
    /// Only debates whose topic contains this text.
    #[arg(long)]
    pub search: Option<String>,
    /// Maximum number of debates, 1 to 500.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub first: u32,
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
    /// Only cruxes on which this persona takes a side.
    #[arg(long)]
    pub persona: Option<String>,
    /// Only cruxes of this kind: dispute, assumption, premise or claim.
    #[arg(long, value_parser = ["dispute", "assumption", "premise", "claim"])]
    pub kind: Option<String>,
    /// Only cruxes that still divide the participants.
    #[arg(long, conflicts_with = "resolved")]
    pub open: bool,
    /// Only cruxes on which all participants came to agree.
    #[arg(long)]
    pub resolved: bool,
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
pub struct Export {
    /// Id of the debate, or the start or end of it.
    pub id: String,
    /// Output format; by default chosen by the extension of the output file.
    #[arg(long, value_parser = exporters())]
    pub format: Option<String>,
    /// Export the debate as of this version.
    #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(i64).range(1..))]
    pub at: Option<i64>,
    /// Output file; standard output by default.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

fn exporters() -> PossibleValuesParser {
    PossibleValuesParser::new(EXPORTERS.iter().map(|it| PossibleValue::new(it.name).help(it.about)))
}

/// Arguments of `watch`.
#[derive(Args)]
pub struct Watch {
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

/// Argument of commands on one debate.
#[derive(Args)]
pub struct DebateIdArgs {
    /// Id of the debate, or the start or end of it.
    pub id: String,
}

/// Arguments of `cancel`.
#[derive(Args)]
pub struct Cancel {
    /// Id of the debate, or the start or end of it.
    pub id: String,
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
    /// Print events as JSON lines, with the verdict as the last line.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `argue`.
#[derive(Args)]
pub struct Argue {
    /// Problem to solve, such as DS-PR.
    #[arg(short, long, value_name = "TASK-SEM")]
    pub problem: Option<ReasoningProblem>,
    /// Input file; - reads standard input.
    #[arg(short, long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Argument to which DC and DS apply.
    #[arg(short, long, value_name = "ARG")]
    pub argument: Option<String>,
    /// Format of the file: apx, tgf or af; by default detected by name or content.
    #[arg(long)]
    pub format: Option<Format>,
    /// Maximum number of extensions to list for EE.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Maximum number of search steps, and of conflicts of the SAT solver; unlimited by default.
    #[arg(long, value_name = "STEPS")]
    pub budget: Option<u64>,
    /// Stop after this number of seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Do not search for a witness extension for DC or DS.
    #[arg(long)]
    pub no_witness: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
    /// Print the problems that can be solved.
    #[arg(long)]
    pub problems: bool,
    /// Print the supported input formats.
    #[arg(long)]
    pub formats: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds, such as 10 or 0.5".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|it| it.to_string())
}

/// Arguments of `verify`.
#[derive(Args)]
pub struct Verify {
    /// Id of the debate, or the start of it; all debates by default.
    pub id: Option<String>,
    /// Print the head of each debate, to be saved elsewhere: its id, its version and the hash at that version.
    #[arg(long, conflicts_with = "json")]
    pub print_heads: bool,
    /// Compare the log with the heads saved in this file, and report what was cut off or rewritten since.
    #[arg(long, value_name = "FILE")]
    pub heads: Option<PathBuf>,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `rebuild`.
#[derive(Args)]
pub struct Rebuild {
    /// Names listed by `faultline projections`. All are rebuilt together, so any name stands for all of them.
    #[arg(value_name = "PROJECTION")]
    pub projections: Vec<String>,
    /// Number of workers, 1 to 16; one per core by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=16))]
    pub workers: Option<i32>,
    /// Report differences before the cut-over: regimes, cruxes, camps, labels.
    #[arg(long)]
    pub diff: bool,
    /// Report differences, and do not cut over.
    #[arg(long)]
    pub dry_run: bool,
    /// Cut over even if served debates would be left out because some of their events cannot be read.
    #[arg(long, conflicts_with = "dry_run")]
    pub allow_letters: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `projections`.
#[derive(Args)]
pub struct ProjectionsArgs {
    /// Retry events that could not be read.
    #[arg(long)]
    pub retry: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `doctor`.
#[derive(Args)]
pub struct Doctor {
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `import`.
#[derive(Args)]
pub struct Import {
    /// Files to read; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Report what would be imported, and record nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `replay`.
#[derive(Args)]
pub struct Replay {
    /// Id of the debate, or the start or end of it.
    pub id: String,
    /// Speed factor; 0 or `max` replays without pauses.
    #[arg(long, default_value = "1", value_name = "TIMES")]
    pub speed: Speed,
}

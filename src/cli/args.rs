//! What can be said on the command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, Utc};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand};

use crate::api::role::Role;
use crate::api::token_file::read_expiry;
use crate::argumentation::formats::format::Format;
use crate::cli::corpus::corpus::Corpus;
use crate::cli::erase::Erase;
use crate::cli::iccma::Problem;
use crate::cli::keys::Keys;
use crate::cli::persona::args::Persona;
use crate::cli::replay::Speed;
use crate::export::registry::EXPORTERS;

/// Debates between personas, and what they really disagree on.
#[derive(Parser)]
#[command(
    name = "faultline",
    version,
    about,
    long_about = "Debates between personas, recorded event by event, and the cruxes computed from them.\n\n\
        Begin with `faultline demo`: it sets everything up, runs a debate and serves the API.",
    after_help = "Without DATABASE_URL a private PostgreSQL is kept under FAULTLINE_HOME (default .faultline). \
        `faultline doctor` says what is configured, found and missing."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Commands.
#[derive(Subcommand)]
pub enum Command {
    /// Set everything up, run a debate, serve the API, and say what to try next.
    #[command(after_help = "Example: faultline demo --once")]
    Demo(Demo),
    /// Serve the API, and run every debate that is open.
    #[command(after_help = "Example: faultline serve --listen 127.0.0.1:7777")]
    Serve(Serve),
    /// Run a debate and watch it.
    #[command(after_help = "Example: faultline debate \"Should the city close its centre to private cars?\" \
            --personas edda-tolvane,gus-ormerand --seed 7 --set rounds=2")]
    Debate(Debate),
    /// List debates, newest first.
    #[command(after_help = "Example: faultline list --status concluded --search nuclear")]
    List(List),
    /// List what debates turn on, those that came up last first.
    #[command(
        after_help = "Examples: faultline cruxes --search \"are there enough crews\" --kind assumption --open\n          faultline cruxes --recurring --json"
    )]
    Cruxes(Cruxes),
    /// What personas wrote: bring it in, take it out, search it, embed it anew.
    #[command(subcommand)]
    Corpus(Corpus),
    /// Show a debate: verdict, graph, transcript; as of any version.
    #[command(after_help = "Example: faultline show 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --at 30")]
    Show(Show),
    /// Write a debate to a file: its argument map as a picture or as text, or its framework.
    #[command(after_help = "Example: faultline export 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --format svg -o debate.svg")]
    Export(Export),
    /// Follow a debate: history, then live.
    #[command(after_help = "Example: faultline watch 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --after 30")]
    Watch(Watch),
    /// Print a debate's events, one line each.
    #[command(after_help = "Example: faultline history 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --json")]
    History(History),
    /// Let a debate wait.
    #[command(after_help = "Example: faultline pause 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b")]
    Pause(One),
    /// Let a debate go on.
    #[command(after_help = "Example: faultline resume 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b")]
    Resume(One),
    /// End a debate.
    #[command(after_help = "Example: faultline cancel 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --reason \"wrong topic\"")]
    Cancel(Cancel),
    /// Forget a debate for good, or a persona with all its debates; the log stays whole.
    #[command(
        after_help = "Examples:\n  faultline erase 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --reason \"asked for by its author\" --yes\n  \
            faultline erase --persona edda-tolvane --with-forks\n  faultline erase --list --json"
    )]
    Erase(Erase),
    /// Say how the keys of sealed debates are kept, and wrap them under another master key.
    #[command(
        after_help = "Examples:\n  faultline keys --json\n  FAULTLINE_MASTER_KEY=new.key FAULTLINE_MASTER_KEY_ALSO=old.key \
            faultline keys --rewrap\n\nServices that know both master keys go on meanwhile. Broken off, it goes on where it \
            was when it is run again."
    )]
    Keys(Keys),
    /// Go on from a moment of a debate with something changed, and watch.
    #[command(after_help = "Example: faultline fork 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --at 30 --set rounds=5")]
    Fork(Fork),
    /// Answer a problem of abstract argumentation on a file, by the conventions of its competitions (ICCMA).
    #[command(after_help = "Examples:\n  faultline argue -p EE-PR -f debate.apx\n  \
            faultline argue -p DS-PR -f debate.af -a 3 --timeout 10\n  \
            faultline export ID --format tgf | faultline argue -p CE-CO -f -\n\n\
            A problem is a task and a semantics: SE some extension, EE every extension, CE how many, DC is ARG in some, \
            DS is ARG in every one; GR grounded, CO complete, PR preferred, ST stable, SST semi-stable, STG stage, \
            ID ideal.\n\
            apx and tgf are answered as in ICCMA 2015 to 2021, [a,b] and [[a,b],[c]]; af as in 2023, w 1 2, with an \
            extension that shows a YES to DC or a NO to DS.\n\
            Exits with 0 if the answer is whole, 1 if a limit came first or the file cannot be read, 2 for wrong words.")]
    Argue(Argue),
    /// Read one document from standard input, within limits: how an ingest parses what strangers wrote.
    #[command(hide = true)]
    ParseDocument,
    /// List, show, check and draft personas.
    #[command(after_help = "Example: faultline persona check agnes-wetherlow")]
    Persona(Persona),
    /// Print the GraphQL schema.
    #[command(after_help = "Example: faultline schema > schema.graphql")]
    Schema,
    /// Check the log: versions without gaps, hashes that chain, views that equal a fresh fold.
    #[command(after_help = "Examples:\n  faultline verify --json\n  faultline verify --print-heads > heads.txt\n  \
            faultline verify --heads heads.txt\n\n\
            That the newest events were cut off no chain can show; heads that were kept elsewhere do.")]
    Verify(Verify),
    /// Make the stored views anew from the whole log, beside those that are read from, and switch.
    #[command(
        after_help = "Examples:\n  faultline rebuild --workers 2\n  faultline rebuild debates --diff --dry-run\n\n\
            Readers see the old views until the new ones have caught up, then the new ones. Killed, it goes on where it \
            was as soon as a service or another rebuild runs. An event that cannot be read leaves its debate out from there \
            on; where that is shown now, nothing is switched without --allow-letters."
    )]
    Rebuild(Rebuild),
    /// Say which generations of stored views there are, how far they are, and which events they could not read.
    #[command(after_help = "Examples:\n  faultline projections --json\n  faultline projections --retry\n\n\
            An event that cannot be read is left out by name, as a dead letter; its debate stays as it was before it.")]
    Projections(Projections),
    /// Bring in debates of earlier systems (v1 and v2 result files, event streams), and exports of ours.
    #[command(after_help = "Example: faultline import blitz-2p.events.jsonl result.json --dry-run\n\n\
            A file that was imported before changes nothing. `-` reads standard input.")]
    Import(Import),
    /// Show a past debate as it happened, with its pauses.
    #[command(after_help = "Example: faultline replay 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --speed 4")]
    Replay(Replay),
    /// Say what is configured, found, reachable, and what is not, and how to mend it.
    #[command(after_help = "Example: faultline doctor")]
    Doctor(Doctor),
    /// Make a bearer token for the API, and the line that lets it in.
    #[command(after_help = "Example: faultline token frontend --role reader")]
    Token(Token),
}

/// Arguments of `demo`.
#[derive(Args)]
pub struct Demo {
    /// Exit after the verdict instead of serving.
    #[arg(long)]
    pub once: bool,
    /// Where to serve the API.
    #[arg(long, default_value = "127.0.0.1:7777", value_name = "ADDRESS")]
    pub listen: SocketAddr,
    /// The seed of the debate.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Arguments of `serve`.
#[derive(Args)]
pub struct Serve {
    /// Where to serve the API.
    #[arg(long, default_value = "127.0.0.1:7777", value_name = "ADDRESS")]
    pub listen: SocketAddr,
    /// Serve on an address that others can reach, although without a file of tokens nobody has to say who they are.
    #[arg(long)]
    pub insecure: bool,
}

/// Arguments of `token`.
#[derive(Args)]
pub struct Token {
    /// What to call it: 1 to 64 letters, digits, - and _.
    #[arg(required_unless_present = "list")]
    pub name: Option<String>,
    /// What it allows: reader (ask and subscribe), writer (change debates as well) or admin (keep the service as well).
    #[arg(long, required_unless_present = "list")]
    pub role: Option<Role>,
    /// When it ends: after so many days (90d), or at the beginning of a day in UTC (2027-01-31); never where nothing is said.
    #[arg(long, value_parser = read_expiry, value_name = "WHEN")]
    pub expires: Option<DateTime<Utc>>,
    /// List the tokens of the file that is configured: names, roles, ends, and which are to be made anew.
    #[arg(long, conflicts_with_all = ["name", "role", "expires", "append"])]
    pub list: bool,
    /// Append the line to the file of tokens that is configured, and print the token alone.
    #[arg(long)]
    pub append: bool,
}

/// Arguments of `debate`.
#[derive(Args)]
pub struct Debate {
    /// What to debate: a question that can be answered with yes or no, for most engines.
    pub topic: String,
    /// The engine: graph, dialectic, dialogue or disputes.
    #[arg(long, default_value = "graph")]
    pub engine: String,
    /// Personas, in speaking order, separated by commas.
    #[arg(long, value_delimiter = ',', required = true, value_name = "ID,ID")]
    pub personas: Vec<String>,
    /// The seed of its choices; drawn where none is given.
    #[arg(long)]
    pub seed: Option<u64>,
    /// An option of the engine (rounds=2), or a limit (limits.calls=40). May be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Who answers: offline, anthropic, openai or scripted; the first that is configured where none is named.
    #[arg(long)]
    pub provider: Option<String>,
    /// Print events as JSON lines, and the verdict as the last.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `list`.
#[derive(Args)]
pub struct List {
    /// Only these: running, paused, concluded or aborted.
    #[arg(long, value_parser = ["running", "paused", "concluded", "aborted"])]
    pub status: Option<String>,
    /// Only those run by this engine.
    #[arg(long)]
    pub engine: Option<String>,
    /// Only those in which this persona takes part.
    #[arg(long)]
    pub persona: Option<String>,
    /// Only those whose topic holds this text.
    #[arg(long)]
    pub search: Option<String>,
    /// How many, 1 to 500.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub first: u32,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `cruxes`.
#[derive(Args)]
pub struct Cruxes {
    /// Only those that ask this, by meaning and by words; "phrases" in quotes, and `-` before what is not wanted.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub search: Option<String>,
    /// The questions that come up in several debates, in whatever words.
    #[arg(long, conflicts_with = "search")]
    pub recurring: bool,
    /// Only those on which this persona says yes or no.
    #[arg(long)]
    pub persona: Option<String>,
    /// Only these: dispute, assumption, premise or claim.
    #[arg(long, value_parser = ["dispute", "assumption", "premise", "claim"])]
    pub kind: Option<String>,
    /// Only those that still divide.
    #[arg(long, conflicts_with = "resolved")]
    pub open: bool,
    /// Only those on which all came to one side.
    #[arg(long)]
    pub resolved: bool,
    /// How many, 1 to 500; of recurring questions 1 to 100.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub first: u32,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `show`.
#[derive(Args)]
pub struct Show {
    /// The debate's id, or the beginning or end of it.
    pub id: String,
    /// As of this version.
    #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(i64).range(1..))]
    pub at: Option<i64>,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `export`.
#[derive(Args)]
pub struct Export {
    /// The debate's id, or the beginning or end of it.
    pub id: String,
    /// The format; what the file's name ends in where none is given.
    #[arg(long, value_parser = exporters())]
    pub format: Option<String>,
    /// As of this version.
    #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(i64).range(1..))]
    pub at: Option<i64>,
    /// The file; standard output where none is given.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

fn exporters() -> PossibleValuesParser {
    PossibleValuesParser::new(EXPORTERS.iter().map(|it| PossibleValue::new(it.name).help(it.about)))
}

/// Arguments of `watch`.
#[derive(Args)]
pub struct Watch {
    /// The debate's id, or the beginning or end of it.
    pub id: String,
    /// Begin after this version.
    #[arg(long, default_value_t = 0, value_name = "VERSION", value_parser = clap::value_parser!(i64).range(0..))]
    pub after: i64,
    /// Print events as JSON lines.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `history`.
#[derive(Args)]
pub struct History {
    /// The debate's id, or the beginning or end of it.
    pub id: String,
    /// Print events as JSON lines.
    #[arg(long)]
    pub json: bool,
}

/// A debate.
#[derive(Args)]
pub struct One {
    /// The debate's id, or the beginning or end of it.
    pub id: String,
}

/// Arguments of `cancel`.
#[derive(Args)]
pub struct Cancel {
    /// The debate's id, or the beginning or end of it.
    pub id: String,
    /// Why.
    #[arg(long, default_value = "cancelled from the command line")]
    pub reason: String,
}

/// Arguments of `fork`.
#[derive(Args)]
pub struct Fork {
    /// The debate's id, or the beginning or end of it.
    pub id: String,
    /// Share the debate up to this version; all but its end where none is given.
    #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(i64).range(1..))]
    pub at: Option<i64>,
    /// Who takes part from here on, in speaking order; as before where nobody is named.
    #[arg(long, value_delimiter = ',', value_name = "ID,ID")]
    pub personas: Option<Vec<String>>,
    /// Another seed for its choices.
    #[arg(long)]
    pub seed: Option<u64>,
    /// An option of the engine (rounds=2), or a limit (limits.calls=40). May be repeated. The others stay as they are.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Who answers from here on.
    #[arg(long)]
    pub provider: Option<String>,
    /// Print events as JSON lines, and the verdict as the last.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `argue`.
#[derive(Args)]
pub struct Argue {
    /// The problem, such as DS-PR.
    #[arg(short, long, value_name = "TASK-SEM")]
    pub problem: Option<Problem>,
    /// The file; - is standard input.
    #[arg(short, long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The argument that DC and DS are asked of.
    #[arg(short, long, value_name = "ARG")]
    pub argument: Option<String>,
    /// The format of the file: apx, tgf or af; by its name or its content where none is given.
    #[arg(long)]
    pub format: Option<Format>,
    /// At most so many extensions of EE.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// At most so many steps of the search, and conflicts of the solver that learns; without end where none is given.
    #[arg(long, value_name = "STEPS")]
    pub budget: Option<u64>,
    /// Stop after so many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Look for no extension that shows the answer to DC or DS.
    #[arg(long)]
    pub no_witness: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
    /// Print the problems that can be answered.
    #[arg(long)]
    pub problems: bool,
    /// Print the formats that can be read.
    #[arg(long)]
    pub formats: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds, such as 10 or 0.5".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|it| it.to_string())
}

/// Arguments of `verify`.
#[derive(Args)]
pub struct Verify {
    /// The debate's id, or the beginning of it; all debates where none is named.
    pub id: Option<String>,
    /// Print where each debate stands, to be kept elsewhere: its id, its version and the hash there.
    #[arg(long, conflicts_with = "json")]
    pub print_heads: bool,
    /// Hold the log against heads that were kept in this file: what was cut off or rewritten since is named.
    #[arg(long, value_name = "FILE")]
    pub heads: Option<PathBuf>,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `rebuild`.
#[derive(Args)]
pub struct Rebuild {
    /// Any of those that `faultline projections` lists. They are made together: one stands for all.
    #[arg(value_name = "PROJECTION")]
    pub projections: Vec<String>,
    /// How many work on it, 1 to 16; one a core where none is given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=16))]
    pub workers: Option<i32>,
    /// Say what differs, before the switch: regimes, cruxes, camps, labels.
    #[arg(long)]
    pub diff: bool,
    /// Say what differs, and do not switch.
    #[arg(long)]
    pub dry_run: bool,
    /// Switch although debates would be left out that are shown now, since events of theirs cannot be read.
    #[arg(long, conflicts_with = "dry_run")]
    pub allow_letters: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `projections`.
#[derive(Args)]
pub struct Projections {
    /// Try again what could not be read.
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
    /// Say what would be imported, and record nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `replay`.
#[derive(Args)]
pub struct Replay {
    /// The debate's id, or the beginning or end of it.
    pub id: String,
    /// How many times as fast as it happened; 0 or `max` is without pauses.
    #[arg(long, default_value = "1", value_name = "TIMES")]
    pub speed: Speed,
}

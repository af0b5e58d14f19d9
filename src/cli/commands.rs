//! Command line: the commands, their help and their arguments.

use clap::{Parser, Subcommand};

use crate::cli::args::admin::{DoctorArgs, EraseArgs, KeysArgs, ProjectionsArgs, RebuildArgs, TokenArgs, VerifyArgs};
use crate::cli::args::debates::{
    AuditArgs, CancelArgs, CruxesArgs, DebateArgs, DebateIdArgs, ExportArgs, ForkArgs, HistoryArgs, ImportArgs,
    ListArgs, ReplayArgs, RunArgs, ShowArgs, WatchArgs,
};
use crate::cli::args::schema::SchemaArgs;
use crate::cli::args::service::{DemoArgs, ServeArgs};
use crate::cli::argumentation::argue_args::ArgueArgs;
use crate::cli::corpus::corpus::CorpusCommand;
use crate::cli::persona::args::PersonaArgs;
use crate::cli::provider::args::ProviderArgs;
use crate::cli::topics::args::TopicsArgs;

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
    #[command(after_help = "Examples:\n  faultline list --status concluded --search nuclear\n  \
            faultline list --engine dialectic --averages")]
    List(ListArgs),
    /// List cruxes across debates, newest first.
    #[command(
        after_help = "Examples: faultline cruxes --search \"are there enough crews\" --kind assumption --open\n          faultline cruxes --recurring --json"
    )]
    Cruxes(CruxesArgs),
    /// Manage the writings of personas and shared corpora: ingest, remove, search, re-embed.
    #[command(subcommand)]
    Corpus(CorpusCommand),
    /// Show a debate: verdict, graph and transcript, as of any version.
    #[command(after_help = "Example: faultline show 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --at 30")]
    Show(ShowArgs),
    /// Export a debate to a file (a report, its map, its argumentation framework), or a table over many debates.
    #[command(
        after_help = "Examples:\n  faultline export 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --format svg -o debate.svg\n  \
            faultline export --table debates --format csv --engine graph\n  \
            faultline export --table turns -o turns.parquet --opened-after 2027-01-01"
    )]
    Export(ExportArgs),
    /// Drive a debate that is running and that no service drives, until it ends, and show it.
    #[command(after_help = "Example: faultline run 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b")]
    Run(RunArgs),
    /// Follow a debate: past events first, then live ones.
    #[command(after_help = "Example: faultline watch 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --after 30")]
    Watch(WatchArgs),
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
    Cancel(CancelArgs),
    /// Have the words on which a debate's verdict rests read once more, and show the verdict.
    #[command(after_help = "Example: faultline audit 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --provider openai\n\n\
            Debates audit themselves when they end. This command is for imports, for external debates, and for debates \
            that ended at a limit or were audited by a model that did not qualify. `faultline provider check --audit` \
            qualifies a model.")]
    Audit(AuditArgs),
    /// Erase a debate permanently, or a persona with all its debates; the log remains verifiable.
    #[command(
        after_help = "Examples:\n  faultline erase 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --reason \"requested by its author\" --yes\n  \
            faultline erase --persona edda-tolvane --with-forks\n  faultline erase --list --json"
    )]
    Erase(EraseArgs),
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
            faultline export ID --format tgf | faultline argue -p CE-CO -f -\n  \
            faultline argue -p SE-GR -f debate.apx --changes changes.apx\n  \
            faultline argue -p IS-PR -f debate.apx -a thesis\n\n\
            A problem is a task and a semantics. Tasks: SE one extension, EE all extensions, CE their number, \
            DC is ARG in some, DS is ARG in all. Semantics: GR grounded, CO complete, PR preferred, ST stable, \
            SST semi-stable, STG stage, ID ideal. IS-PR lists the issues on which the preferred labellings divide and, \
            with -a, a set of issues that decides ARG.\n\
            Answers for apx and tgf are printed as in ICCMA 2015 to 2021, [a,b] and [[a,b],[c]]; for af as in 2023, \
            w 1 2, with an extension as the witness of a YES to DC or a NO to DS.\n\
            Exit codes: 0 complete answer, 1 a limit was reached or the file cannot be read, 2 invalid arguments.")]
    Argue(ArgueArgs),
    /// Read one document from standard input within resource limits; ingests run this to isolate untrusted input.
    #[command(hide = true)]
    ParseDocument,
    /// List, show, check and draft personas.
    #[command(after_help = "Example: faultline persona check agnes-wetherlow")]
    Persona(PersonaArgs),
    /// Suggest questions to debate, from the writings of personas.
    #[command(after_help = "Example: faultline topics suggest --personas edda-tolvane,gus-ormerand")]
    Topics(TopicsArgs),
    /// Check the configured providers, and qualify their models to audit words.
    #[command(after_help = "Example: faultline provider check --audit")]
    Provider(ProviderArgs),
    /// Print the GraphQL schema, or the reference of event kinds.
    #[command(after_help = "Examples:\n  faultline schema > schema.graphql\n  \
            faultline schema --events > events.schema.json\n  \
            faultline schema --events --format markdown > events.md")]
    Schema(SchemaArgs),
    /// Verify the log: contiguous versions, intact hash chains, and views that equal a fresh fold.
    #[command(after_help = "Examples:\n  faultline verify --json\n  faultline verify --print-heads > heads.txt\n  \
            faultline verify --heads heads.txt\n\n\
            A hash chain cannot reveal that its newest events were cut off. A comparison with saved heads does.")]
    Verify(VerifyArgs),
    /// Rebuild the stored views from the whole log, next to the served ones, and cut over.
    #[command(
        after_help = "Examples:\n  faultline rebuild --workers 2\n  faultline rebuild debates --diff --dry-run\n\n\
            Readers see the old views until the new ones have caught up. If killed, a rebuild continues where it \
            stopped as soon as a service or another rebuild runs. After an unreadable event, the rest of its debate is \
            left out; if the served views contain that part, cut-over is refused without --allow-letters."
    )]
    Rebuild(RebuildArgs),
    /// List the generations of stored views, their progress, and the events they could not read.
    #[command(after_help = "Examples:\n  faultline projections --json\n  faultline projections --retry\n\n\
            An unreadable event is listed as a dead letter; its debate stays as it was before that event.")]
    Projections(ProjectionsArgs),
    /// Import debates of earlier systems (v1 and v2 result files, event streams) and Faultline exports.
    #[command(after_help = "Example: faultline import blitz-2p.events.jsonl result.json --dry-run\n\n\
            Importing a file again changes nothing. `-` reads standard input.")]
    Import(ImportArgs),
    /// Replay a past debate with its original timing.
    #[command(after_help = "Example: faultline replay 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --speed 4")]
    Replay(ReplayArgs),
    /// Check the setup and explain how to fix problems.
    #[command(after_help = "Example: faultline doctor")]
    Doctor(DoctorArgs),
    /// Create a bearer token for the API, and the line for the token file.
    #[command(after_help = "Example: faultline token frontend --role reader")]
    Token(TokenArgs),
}

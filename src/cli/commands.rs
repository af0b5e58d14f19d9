//! Command line: the commands, their help and their arguments.

use clap::{Parser, Subcommand};

use crate::cli::args::admin::{
    DoctorArgs, EraseArgs, KeysArgs, LanesArgs, ProjectionsArgs, QuestionsArgs, RebuildArgs, TokenArgs, VerifyArgs,
};
use crate::cli::args::debates::{
    AuditArgs, CancelArgs, CompareArgs, ControlArgs, CruxesArgs, DebateArgs, ExportArgs, ForkArgs, HistoryArgs,
    ImportArgs, ListArgs, RedistillArgs, ReplayArgs, RunArgs, ShowArgs, WatchArgs, WhatIfArgs,
};
use crate::cli::args::schema::SchemaArgs;
use crate::cli::args::service::{DemoArgs, ServeArgs};
use crate::cli::args::statistics::{DebateStatsArgs, ExperimentArgs, MeasuresArgs, ProbeArgs};
use crate::cli::argumentation::argue_args::ArgueArgs;
use crate::cli::corpus::corpus::CorpusCommand;
use crate::cli::init::InitArgs;
use crate::cli::persona::args::PersonaArgs;
use crate::cli::provider::args::ProviderArgs;
use crate::cli::shell::completions::CompletionsArgs;
use crate::cli::shell::config::ConfigArgs;
use crate::cli::shell::man::ManArgs;
use crate::cli::shell::open::OpenArgs;
use crate::cli::shell::version;
use crate::cli::topics::args::TopicsArgs;

/// Top-level command line.
#[derive(Parser)]
#[command(
    name = "faultline",
    version = version::short(),
    long_version = version::long(),
    about,
    long_about = "Debates between personas, recorded event by event, and the cruxes computed from them.\n\n\
        Begin with `faultline demo`: it sets everything up, runs a debate and serves the API.",
    after_help = "Without DATABASE_URL a private PostgreSQL runs under FAULTLINE_HOME (default .faultline). \
        `faultline doctor` checks the setup and explains how to fix problems.\n\n\
        Exit codes: 0 success, 1 refused or not found, 2 invalid usage or configuration, 3 internal fault, 4 the debate \
        stalled or failed, 130 interrupted by Ctrl-C."
)]
pub struct Cli {
    /// Print long output straight to the terminal instead of through a pager (`FAULTLINE_PAGER`, `PAGER` or less).
    #[arg(long, global = true, help_heading = "Global options")]
    pub no_pager: bool,
    /// Command to run.
    #[command(subcommand)]
    pub command: CliCommand,
}

/// Subcommands.
#[derive(Subcommand)]
pub enum CliCommand {
    /// Set everything up, run a first debate, and serve the API.
    #[command(after_help = "Example: faultline demo --once")]
    Demo(DemoArgs),
    /// Serve the API and the studio, and run every open debate.
    #[command(after_help = "Example: faultline serve --listen 127.0.0.1:7777\n\n\
            Ends with exit code 0 on SIGTERM, and with 130 on Ctrl-C.")]
    Serve(ServeArgs),
    /// Write the built-in personas, corpora and positions to a folder, to edit them.
    #[command(after_help = "Example: faultline init my-debates")]
    Init(InitArgs),
    /// Run a debate and watch it.
    #[command(after_help = "Example: faultline debate \"Should the city close its centre to private cars?\" \
            --personas edda-tolvane,gus-ormerand --seed 7 --set rounds=2")]
    Debate(DebateArgs),
    /// List debates, newest first.
    #[command(after_help = "Examples:\n  faultline list --status concluded --search nuclear\n  \
            faultline list --engine dialectic --averages\n\n\
            If standard output is not a terminal, each debate is one line with tabs between: id, status, verdict, engine, \
            provider, turns, time of opening, personas, topic.")]
    List(ListArgs),
    /// Summarize debates by engine, verdict, persona, month and other properties.
    #[command(after_help = "Examples:\n  faultline stats --by engine --measure novelty,crux_quality\n  \
            faultline stats --by persona,regime --since 2026-01-01 --csv\n\n\
            Means come with the interval that contains the mean of all such debates with a confidence of 95 % \
            (Student's t). A debate counts once for each of its participants or models, if it is grouped by them.")]
    Stats(DebateStatsArgs),
    /// Measure a debate, with the turns behind each figure; without an id, list all measures.
    #[command(after_help = "Examples:\n  faultline measures\n  \
            faultline measures 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --measure dropped_attacks,novelty --parts")]
    Measures(MeasuresArgs),
    /// Probe a debate that has ended by small requests, and show what they measure.
    #[command(after_help = "Example: faultline probe 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --provider openai\n\n\
            A clerk reads each participant's turns beside the participant's contract, and pairs of agreed statements; each \
            participant rates the agreed statements. No verdict depends on the answers. A second probe shows how many \
            answers stay the same.")]
    Probe(ProbeArgs),
    /// Run an experiment over topics, arms and seeds, and compare the arms by their measures.
    Experiment(ExperimentArgs),
    /// List cruxes across debates, newest first.
    #[command(
        after_help = "Examples:\n  faultline cruxes --search \"are there enough crews\" --kind assumption --open\n  \
            faultline cruxes --recurring --json\n\n\
            If standard output is not a terminal, each crux is one line with tabs between: id, origin, open or resolved, \
            pivotality, positions, question; with --recurring, each question: cruxes, debates, first and last seen, question."
    )]
    Cruxes(CruxesArgs),
    /// Ingest, search, re-embed and remove the writings of personas.
    #[command(subcommand)]
    Corpus(CorpusCommand),
    /// Show a debate as of any version: verdict, graph and transcript.
    #[command(after_help = "Example: faultline show 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --at 30")]
    Show(ShowArgs),
    /// Open the studio, or a debate in it, in the browser.
    #[command(after_help = "Example: faultline open 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b")]
    Open(OpenArgs),
    /// Compare two versions of a debate, or two debates.
    #[command(after_help = "Examples:\n  faultline compare 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --from 20 --to 50\n  \
            faultline compare 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --with 0199c9d1-77b0-7f35-9a10-2f6b1c8d9e0a\n\n\
            Cruxes of two debates are shared if they have the same origin in the log, as in a fork, or ask the same \
            question in the same words.")]
    Compare(CompareArgs),
    /// Compute what would change if arguments were withdrawn.
    #[command(after_help = "Example: faultline what-if 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --remove a3,a5")]
    WhatIf(WhatIfArgs),
    /// Export a debate as a report, a map or data, or a table over many debates.
    #[command(
        after_help = "Examples:\n  faultline export 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --format svg -o debate.svg\n  \
            faultline export --table debates --format csv --engine graph\n  \
            faultline export --table turns -o turns.parquet --since 2026-01-01"
    )]
    Export(ExportArgs),
    /// Drive a running debate to its end if no service does.
    #[command(after_help = "Example: faultline run 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b")]
    Run(RunArgs),
    /// Follow a debate: past events first, then live ones.
    #[command(after_help = "Example: faultline watch 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --after 30")]
    Watch(WatchArgs),
    /// Print a debate's events, one line each.
    #[command(after_help = "Example: faultline history 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --json\n\n\
            If standard output is not a terminal, lines are not cut, and have tabs between: version, time, kind, summary.")]
    History(HistoryArgs),
    /// Pause a debate.
    #[command(after_help = "Example: faultline pause 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b")]
    Pause(ControlArgs),
    /// Resume a paused debate.
    #[command(after_help = "Example: faultline resume 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b")]
    Resume(ControlArgs),
    /// Cancel a debate.
    #[command(after_help = "Example: faultline cancel 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --reason \"wrong topic\"")]
    Cancel(CancelArgs),
    /// Audit the words behind a debate's verdict once more.
    #[command(after_help = "Example: faultline audit 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --provider openai\n\n\
            Debates audit themselves when they end. This command is for imports, for external debates, and for debates \
            that ended at a limit or were audited by a model that did not qualify. `faultline provider check --audit` \
            qualifies a model.")]
    Audit(AuditArgs),
    /// Erase a debate, or a persona with all its debates, permanently.
    #[command(
        after_help = "Examples:\n  faultline erase 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --reason \"requested by its author\" --yes\n  \
            faultline erase --persona edda-tolvane --with-forks\n  faultline erase --list --json"
    )]
    Erase(EraseArgs),
    /// Show the state of the encryption keys, or change the master key.
    #[command(
        after_help = "Examples:\n  faultline keys --json\n  FAULTLINE_MASTER_KEY=new.key FAULTLINE_MASTER_KEY_ALSO=old.key \
            faultline keys --rewrap\n\nServices that know both master keys keep running meanwhile. If interrupted, run \
            the command again; it continues where it stopped."
    )]
    Keys(KeysArgs),
    /// Fork a debate at a version with changes, and watch the fork.
    #[command(after_help = "Example: faultline fork 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --at 30 --set rounds=5")]
    Fork(ForkArgs),
    /// Distil the talk of a debate anew, by another clerk or provider.
    #[command(
        after_help = "Example: faultline redistill 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --clerk dialogue\n\nThe turns \
        become a new debate with the engine baseline, and its clerk reads them as if they had just been said. Compare \
        the two verdicts with `faultline compare ID --with ID`."
    )]
    Redistill(RedistillArgs),
    /// Solve an abstract argumentation problem, as in the ICCMA competitions.
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
    /// Suggest questions on which the writings of personas differ.
    #[command(after_help = "Example: faultline topics suggest --personas edda-tolvane,gus-ormerand")]
    Topics(TopicsArgs),
    /// Check model providers, and qualify their models as auditors.
    #[command(after_help = "Example: faultline provider check --audit")]
    Provider(ProviderArgs),
    /// Print the GraphQL schema, or the reference of event kinds.
    #[command(after_help = "Examples:\n  faultline schema > schema.graphql\n  \
            faultline schema --events > events.schema.json\n  \
            faultline schema --events --format markdown > events.md")]
    Schema(SchemaArgs),
    /// Verify the log's versions and hash chains, and the stored views.
    #[command(after_help = "Examples:\n  faultline verify --json\n  faultline verify --print-heads > heads.txt\n  \
            faultline verify --heads heads.txt\n\n\
            A hash chain cannot reveal that its newest events were cut off. A comparison with saved heads does.")]
    Verify(VerifyArgs),
    /// Rebuild the stored views from the log, and cut over to them.
    #[command(
        after_help = "Examples:\n  faultline rebuild --workers 2\n  faultline rebuild debates --diff --dry-run\n\n\
            Readers see the old views until the new ones have caught up. If killed, a rebuild continues where it \
            stopped as soon as a service or another rebuild runs. After an unreadable event, the rest of its debate is \
            left out; if the served views contain that part, cut-over is refused without --allow-letters."
    )]
    Rebuild(RebuildArgs),
    /// List the generations of stored views and their progress.
    #[command(after_help = "Examples:\n  faultline projections --json\n  faultline projections --retry\n\n\
            An unreadable event is listed as a dead letter; its debate stays as it was before that event.")]
    Projections(ProjectionsArgs),
    /// List the lanes of the log and their servers, or move lanes to another server.
    #[command(after_help = "Examples:\n  faultline lanes\n  faultline lanes move 8-15 --to b\n\n\
            FAULTLINE_SHARDS names the servers besides DATABASE_URL, which is called home. Lanes are moved while services run.")]
    Lanes(LanesArgs),
    /// Count the questions of all debates, or move their vectors to another server.
    #[command(after_help = "Examples:\n  faultline questions\n  faultline questions move --to b\n\n\
            Questions are the texts of cruxes and disputes. Their vectors serve searches by meaning, and to find the same question \
            in several debates.")]
    Questions(QuestionsArgs),
    /// Import debates of earlier systems, and Faultline exports.
    #[command(after_help = "Example: faultline import blitz-2p.events.jsonl result.json --dry-run\n\n\
            Importing a file again changes nothing. `-` reads standard input.")]
    Import(ImportArgs),
    /// Replay a past debate with its original timing.
    #[command(after_help = "Example: faultline replay 0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b --speed 4")]
    Replay(ReplayArgs),
    /// Print every setting with its value and origin.
    #[command(after_help = "Examples:\n  faultline config\n  faultline config path\n\n\
            A setting is read from its environment variable, else from the configuration file, else it has its default. The \
            file is the one that FAULTLINE_CONFIG names, else faultline.toml in the current folder, else \
            faultline/config.toml in XDG_CONFIG_HOME (default ~/.config). Secrets are hidden.")]
    Config(ConfigArgs),
    /// Print a completion script for a shell.
    #[command(after_help = "Examples:\n  \
            faultline completions bash > ~/.local/share/bash-completion/completions/faultline\n  \
            faultline completions zsh > \"${fpath[1]}/_faultline\"\n  \
            faultline completions fish > ~/.config/fish/completions/faultline.fish\n  \
            faultline completions powershell >> $PROFILE\n  \
            faultline completions elvish >> ~/.config/elvish/rc.elv")]
    Completions(CompletionsArgs),
    /// Print the manual page, or write one page a command.
    #[command(after_help = "Examples:\n  faultline man ~/.local/share/man/man1\n  faultline man | man -l -")]
    Man(ManArgs),
    /// Check the setup and explain how to fix problems.
    #[command(after_help = "Example: faultline doctor")]
    Doctor(DoctorArgs),
    /// Create a bearer token for the API, or list the existing ones.
    #[command(
        after_help = "Examples:\n  faultline token frontend --role reader --expires 90d\n  faultline token --list --json"
    )]
    Token(TokenArgs),
}

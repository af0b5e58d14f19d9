//! Entry point: dispatches the command line to a command and returns its exit code.

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::app::telemetry::Telemetry;
use crate::cli::admin::{doctor, erase, keys, lanes, projections, questions, rebuild, token, verify};
use crate::cli::analysis::{experiment, measures, probe, stats};
use crate::cli::args::engine_options::with_engine_options;
use crate::cli::args::statistics::ExperimentCommand;
use crate::cli::argumentation::argue;
use crate::cli::commands::{Cli, CliCommand};
use crate::cli::corpus::corpus;
use crate::cli::corpus::corpus::CorpusCommand;
use crate::cli::debates::run as continue_debate;
use crate::cli::debates::{
    audit, compare, control, cruxes, debate, export, fork, history, import, list, redistill, replay, show, watch,
    what_if,
};
use crate::cli::output::exit::CliError;
use crate::cli::output::interrupts::exit_on_interrupt;
use crate::cli::output::pager;
use crate::cli::persona::args::PersonaCommand;
use crate::cli::provider::args::ProviderCommand;
use crate::cli::shell::help_groups::grouped;
use crate::cli::shell::{completions, config, man, open};
use crate::cli::topics::args::TopicsCommand;
use crate::cli::{demo, init, persona, provider, schema, serve, topics};
use crate::config::Config;
use faultline_core::kernel::command;
use faultline_ingest::readers::read::serve_one;

/// Parses the command line of this process and runs the command.
pub fn run() -> ExitCode {
    let cli = parse();
    if cli.no_pager {
        pager::disable();
    }
    let outcome = run_plain(&cli.command).unwrap_or_else(|| dispatch_configured(cli.command));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !error.is_silent() {
                eprintln!("faultline: {}", error.to_string().replace('\n', "\n           "));
            }
            error.code()
        }
    }
}

/// Runs a command that needs neither configuration, tracing nor threads; `None` if the command needs them.
fn run_plain(command: &CliCommand) -> Option<Result<(), CliError>> {
    Some(match command {
        CliCommand::Argue(args) => argue::run(args),
        // Started by an ingest; standard input is its only source.
        CliCommand::ParseDocument => parse_document(),
        CliCommand::Config(args) => config::run(args),
        CliCommand::Completions(args) => completions::run(Cli::command(), args),
        CliCommand::Man(args) => man::run(Cli::command(), args),
        _ => return None,
    })
}

fn parse() -> Cli {
    let arguments: Vec<String> = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let matches = grouped(with_engine_options(Cli::command(), &arguments)).get_matches();
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

fn parse_document() -> Result<(), CliError> {
    serve_one().map_err(|error| {
        CliError::Fault(format!("parse-document failed; it is only meant to be run by an ingest: {error}"))
    })
}

fn dispatch_configured(command: CliCommand) -> Result<(), CliError> {
    let config = Config::load().map_err(|error| CliError::Usage(error.to_string()))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| CliError::Fault(format!("cannot start the worker threads: {error}")))?;
    let traced = runtime.block_on(async { Telemetry::start(&config) });
    let telemetry = traced.map_err(|error| CliError::Usage(error.to_string()))?;
    let outcome = runtime.block_on(async {
        if !ends_in_order(&command) {
            exit_on_interrupt();
        }
        dispatch(command, &config).await
    });
    telemetry.close();
    outcome
}

/// Returns true if the command itself waits for Ctrl-C, to close what it opened.
fn ends_in_order(command: &CliCommand) -> bool {
    match command {
        CliCommand::Demo(_)
        | CliCommand::Serve(_)
        | CliCommand::Debate(_)
        | CliCommand::Run(_)
        | CliCommand::Fork(_)
        | CliCommand::Redistill(_)
        | CliCommand::Audit(_)
        | CliCommand::Probe(_)
        | CliCommand::Replay(_)
        | CliCommand::Provider(_) => true,
        CliCommand::Experiment(args) => matches!(args.command, ExperimentCommand::Run(_)),
        CliCommand::Corpus(command) => matches!(command, CorpusCommand::Ingest(_) | CorpusCommand::Reembed(_)),
        _ => false,
    }
}

async fn dispatch(command: CliCommand, config: &Config) -> Result<(), CliError> {
    match command {
        CliCommand::Demo(args) => demo::run(config, args).await,
        CliCommand::Serve(args) => serve::run(config, args).await,
        CliCommand::Init(args) => init::run(&args),
        CliCommand::Debate(args) => debate::run(config, args).await,
        CliCommand::List(args) => list::run(config, args).await,
        CliCommand::Stats(args) => stats::run(config, args).await,
        CliCommand::Measures(args) => measures::run(config, args).await,
        CliCommand::Probe(args) => probe::run(config, args).await,
        CliCommand::Experiment(args) => experiment::run(config, args).await,
        CliCommand::Cruxes(args) => cruxes::run(config, args).await,
        CliCommand::Corpus(command) => corpus::run(config, command).await,
        CliCommand::Run(args) => continue_debate::run(config, args).await,
        CliCommand::Show(args) => show::run(config, args).await,
        CliCommand::Watch(args) => watch::run(config, args).await,
        CliCommand::History(args) => history::run(config, args).await,
        CliCommand::Pause(args) => control::run(config, args, command::Command::Pause).await,
        CliCommand::Resume(args) => control::run(config, args, command::Command::Resume).await,
        CliCommand::Cancel(args) => control::run(config, args.debate, command::Command::Cancel(args.reason)).await,
        CliCommand::Open(args) => open::run(config, args).await,
        CliCommand::Compare(args) => compare::run(config, args).await,
        CliCommand::WhatIf(args) => what_if::run(config, args).await,
        CliCommand::Audit(args) => audit::run(config, args).await,
        CliCommand::Erase(args) => erase::run(config, args).await,
        CliCommand::Keys(args) => keys::run(config, args).await,
        CliCommand::Fork(args) => fork::run(config, args).await,
        CliCommand::Redistill(args) => redistill::run(config, args).await,
        CliCommand::Import(args) => import::run(config, args).await,
        CliCommand::Replay(args) => replay::run(config, args).await,
        CliCommand::Export(args) => export::run(config, args).await,
        plain @ (CliCommand::Argue(_)
        | CliCommand::ParseDocument
        | CliCommand::Config(_)
        | CliCommand::Completions(_)
        | CliCommand::Man(_)) => run_plain(&plain).unwrap_or(Ok(())),
        CliCommand::Persona(args) => match args.command {
            PersonaCommand::List(args) => persona::list::run(config, &args),
            PersonaCommand::Show(args) => persona::show::run(config, args).await,
            PersonaCommand::History(args) => persona::history::run(config, args).await,
            PersonaCommand::Check(args) => persona::check::run(config, args).await,
            PersonaCommand::Build(args) => persona::build::run(config, args).await,
        },
        CliCommand::Topics(args) => match args.command {
            TopicsCommand::Suggest(args) => topics::suggest::run(config, &args).await,
        },
        CliCommand::Provider(args) => match args.command {
            ProviderCommand::Check(args) => provider::check::run(config, args).await,
        },
        CliCommand::Schema(args) => schema::run(&args),
        CliCommand::Rebuild(args) => rebuild::run(config, args).await,
        CliCommand::Projections(args) => projections::run(config, args).await,
        CliCommand::Lanes(args) => lanes::run(config, args).await,
        CliCommand::Questions(args) => questions::run(config, args).await,
        CliCommand::Verify(args) => verify::run(config, args).await,
        CliCommand::Doctor(args) => doctor::run(config, args).await,
        CliCommand::Token(args) => token::run(config, args),
    }
}

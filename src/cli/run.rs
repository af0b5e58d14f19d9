//! Entry point: dispatches the command line to a command and returns its exit code.

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::app::telemetry::Telemetry;
use crate::cli::admin::{doctor, erase, keys, projections, rebuild, token, verify};
use crate::cli::analysis::{experiment, measures, stats};
use crate::cli::args::engine_options::with_engine_options;
use crate::cli::argumentation::argue;
use crate::cli::commands::{Cli, CliCommand};
use crate::cli::corpus::corpus;
use crate::cli::debates::run as continue_debate;
use crate::cli::debates::{audit, control, cruxes, debate, export, fork, history, import, list, replay, show, watch};
use crate::cli::output::exit::CliError;
use crate::cli::persona::args::PersonaCommand;
use crate::cli::provider::args::ProviderCommand;
use crate::cli::topics::args::TopicsCommand;
use crate::cli::{demo, init, persona, provider, schema, serve, topics};
use crate::config::Config;
use faultline_core::kernel::command;
use faultline_ingest::readers::read::serve_one;

/// Parses the command line of this process and runs the command.
pub fn run() -> ExitCode {
    let cli = parse();
    let outcome = match cli.command {
        // Reads a file and prints an answer: needs no configuration, tracing or threads.
        CliCommand::Argue(args) => argue::run(&args),
        // Started by an ingest; standard input is its only source.
        CliCommand::ParseDocument => parse_document(),
        command => dispatch_configured(command),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !matches!(error, CliError::OutputClosed) {
                eprintln!("faultline: {}", error.to_string().replace('\n', "\n           "));
            }
            error.code()
        }
    }
}

fn parse() -> Cli {
    let arguments: Vec<String> = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let matches = with_engine_options(Cli::command(), &arguments).get_matches();
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

fn parse_document() -> Result<(), CliError> {
    serve_one().map_err(|error| {
        CliError::Fault(format!("parse-document failed; it is only meant to be run by an ingest: {error}"))
    })
}

fn dispatch_configured(command: CliCommand) -> Result<(), CliError> {
    let config = Config::from_env().map_err(|error| CliError::Usage(error.to_string()))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| CliError::Fault(format!("cannot start the worker threads: {error}")))?;
    let traced = runtime.block_on(async { Telemetry::start(&config) });
    let telemetry = traced.map_err(|error| CliError::Usage(error.to_string()))?;
    let outcome = runtime.block_on(dispatch(command, &config));
    telemetry.close();
    outcome
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
        CliCommand::Experiment(args) => experiment::run(config, args).await,
        CliCommand::Cruxes(args) => cruxes::run(config, args).await,
        CliCommand::Corpus(command) => corpus::run(config, command).await,
        CliCommand::Run(args) => continue_debate::run(config, args).await,
        CliCommand::Show(args) => show::run(config, args).await,
        CliCommand::Watch(args) => watch::run(config, args).await,
        CliCommand::History(args) => history::run(config, args).await,
        CliCommand::Pause(args) => control::run(config, &args.id, command::Command::Pause).await,
        CliCommand::Resume(args) => control::run(config, &args.id, command::Command::Resume).await,
        CliCommand::Cancel(args) => control::run(config, &args.id, command::Command::Cancel(args.reason)).await,
        CliCommand::Audit(args) => audit::run(config, args).await,
        CliCommand::Erase(args) => erase::run(config, args).await,
        CliCommand::Keys(args) => keys::run(config, args).await,
        CliCommand::Fork(args) => fork::run(config, args).await,
        CliCommand::Import(args) => import::run(config, args).await,
        CliCommand::Replay(args) => replay::run(config, args).await,
        CliCommand::Export(args) => export::run(config, args).await,
        CliCommand::Argue(args) => argue::run(&args),
        CliCommand::ParseDocument => parse_document(),
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
        CliCommand::Verify(args) => verify::run(config, args).await,
        CliCommand::Doctor(args) => doctor::run(config, args).await,
        CliCommand::Token(args) => token::run(config, args),
    }
}

//! Entry point: dispatches the command line to a command and returns its exit code.

use std::process::ExitCode;

use clap::Parser;

use crate::app::telemetry::Telemetry;
use crate::cli::args::{Cli, Command};
use crate::cli::corpus::corpus;
use crate::cli::exit::CliError;
use crate::cli::persona::args::PersonaCommand;
use crate::cli::{
    argue, control, cruxes, debate, demo, doctor, erase, export, fork, history, import, keys, list, persona,
    projections, rebuild, replay, schema, serve, show, token, verify, watch,
};
use crate::config::Config;
use crate::ingest::readers::read::serve_one;
use crate::kernel::command;

/// Parses the command line of this process and runs the command.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let told = match cli.command {
        // Reads a file and prints an answer: needs no configuration, tracing or threads.
        Command::Argue(args) => argue::run(&args),
        // Started by an ingest; standard input is its only source.
        Command::ParseDocument => parse_document(),
        command => obey_configured(command),
    };
    match told {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !matches!(error, CliError::Unread) {
                eprintln!("faultline: {}", error.to_string().replace('\n', " "));
            }
            error.code()
        }
    }
}

fn parse_document() -> Result<(), CliError> {
    serve_one()
        .map_err(|it| CliError::Fault(format!("parse-document failed; it is only meant to be run by an ingest: {it}")))
}

fn obey_configured(command: Command) -> Result<(), CliError> {
    let config = Config::from_env().map_err(|it| CliError::Usage(it.to_string()))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|it| CliError::Fault(format!("cannot start the worker threads: {it}")))?;
    let traced = runtime.block_on(async { Telemetry::start(&config) });
    let telemetry = traced.map_err(|it| CliError::Usage(it.to_string()))?;
    let told = runtime.block_on(obey(command, &config));
    telemetry.close();
    told
}

async fn obey(command: Command, config: &Config) -> Result<(), CliError> {
    match command {
        Command::Demo(args) => demo::run(config, args).await,
        Command::Serve(args) => serve::run(config, args).await,
        Command::Debate(args) => debate::run(config, args).await,
        Command::List(args) => list::run(config, args).await,
        Command::Cruxes(args) => cruxes::run(config, args).await,
        Command::Corpus(command) => corpus::run(config, command).await,
        Command::Show(args) => show::run(config, args).await,
        Command::Watch(args) => watch::run(config, args).await,
        Command::History(args) => history::run(config, args).await,
        Command::Pause(args) => control::run(config, &args.id, command::Command::Pause).await,
        Command::Resume(args) => control::run(config, &args.id, command::Command::Resume).await,
        Command::Cancel(args) => control::run(config, &args.id, command::Command::Cancel(args.reason)).await,
        Command::Erase(args) => erase::run(config, args).await,
        Command::Keys(args) => keys::run(config, args).await,
        Command::Fork(args) => fork::run(config, args).await,
        Command::Import(args) => import::run(config, args).await,
        Command::Replay(args) => replay::run(config, args).await,
        Command::Export(args) => export::run(config, args).await,
        Command::Argue(args) => argue::run(&args),
        Command::ParseDocument => parse_document(),
        Command::Persona(args) => match args.command {
            PersonaCommand::List(args) => persona::list::run(config, &args),
            PersonaCommand::Show(args) => persona::show::run(config, args).await,
            PersonaCommand::History(args) => persona::history::run(config, args).await,
            PersonaCommand::Check(args) => persona::check::run(config, args).await,
            PersonaCommand::Build(args) => persona::build::run(config, args).await,
        },
        Command::Schema => schema::run(),
        Command::Rebuild(args) => rebuild::run(config, args).await,
        Command::Projections(args) => projections::run(config, args).await,
        Command::Verify(args) => verify::run(config, args).await,
        Command::Doctor(args) => doctor::run(config, args).await,
        Command::Token(args) => token::run(config, args),
    }
}

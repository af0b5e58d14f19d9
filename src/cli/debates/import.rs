//! `faultline import`: imports debates of earlier systems and Faultline exports.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use rustix::fs::OFlags;
use serde_json::{Value, json};

use crate::app::open_app::OpenApp;
use crate::cli::args::debates::ImportArgs;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::imports::import::{Imported, read, read_edited};
use faultline_core::imports::import_error::ImportError;
use faultline_core::imports::limits::MAX_FILE_BYTES;
use faultline_service::audit::Actor;
use faultline_store::erasure::restore::RestoreOutcome;
use faultline_terminal::tables::imported::{import_report, refused};

/// Imports files one after another and reports the result of each.
///
/// # Errors
/// [`CliError::Refused`] if a file cannot be read or imported; the other files are imported nevertheless.
pub async fn run(config: &Config, args: ImportArgs) -> Result<(), CliError> {
    // Reads all files first: nothing is started if none of them is readable.
    let files: Vec<(&PathBuf, Result<Imported, String>)> =
        args.files.iter().map(|path| (path, read_file(path, args.edited))).collect();
    let readable = files.iter().any(|(_, outcome)| outcome.is_ok());
    let destination = if readable { Destination::open(config, args.dry_run).await? } else { Destination::NotNeeded };
    let imported = import(&destination, &files, &args).await;
    if let Destination::Open(app) = destination {
        app.close().await;
    }
    imported
}

/// Database in which debates are recorded, or compared with those in files.
enum Destination {
    Open(Box<OpenApp>),
    /// It cannot be opened, which a dry run accepts.
    Unknown,
    /// No file is readable.
    NotNeeded,
}

impl Destination {
    async fn open(config: &Config, is_dry_run: bool) -> Result<Destination, CliError> {
        match OpenApp::open(config, &terminal::progress_reporter()).await {
            Ok(app) => Ok(Destination::Open(Box::new(app))),
            Err(error) if is_dry_run => {
                tracing::warn!(%error, "the files are not compared with the debates in the database");
                Ok(Destination::Unknown)
            }
            Err(error) => Err(error.into()),
        }
    }
}

async fn import(
    destination: &Destination,
    files: &[(&PathBuf, Result<Imported, String>)],
    args: &ImportArgs,
) -> Result<(), CliError> {
    let mut lines: Vec<Value> = Vec::new();
    let mut n_refused = 0;
    // Files are read already: what takes time is recording their events.
    let bar = if files.len() > 1 { terminal::bar("importing") } else { ProgressBar::hidden() };
    bar.set_length(files.len() as u64);
    for (path, file) in files {
        let name = path.display().to_string();
        let outcome = match file {
            Ok(imported) => outcome(destination, imported, args.dry_run).await?,
            Err(reason) => Err(reason.clone()),
        };
        n_refused += usize::from(outcome.is_err());
        match (args.json, file, outcome) {
            (true, file, outcome) => lines.push(as_line(&name, file.as_ref().ok(), &outcome)),
            (false, Ok(imported), Ok(became)) => {
                let report = import_report(&name, &imported.report, &became, terminal::terminal_style());
                bar.suspend(|| print(&report))?
            }
            (false, _, Ok(_)) => {}
            (false, _, Err(reason)) => bar.suspend(|| print(&refused(&name, &reason, terminal::terminal_style())))?,
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if args.json {
        json_line(&lines)?;
    }
    match n_refused {
        0 => Ok(()),
        n => {
            Err(CliError::Refused(format!("{n} of {} files could not be imported; they changed nothing", files.len())))
        }
    }
}

/// Records a debate, or foretells that in a dry run; the inner result is a description of the outcome, or the reason
/// for a refusal.
async fn outcome(
    destination: &Destination,
    imported: &Imported,
    is_dry_run: bool,
) -> Result<Result<String, String>, CliError> {
    let Destination::Open(app) = destination else {
        return Ok(Ok("valid; not compared with the database, which cannot be opened (dry run)".to_owned()));
    };
    let service = app.service().acting_as(&Actor::command_line());
    let outcome = if is_dry_run { service.foretell_import(imported).await } else { service.import(imported).await };
    match outcome {
        Ok(RestoreOutcome::Recorded) if is_dry_run => Ok(Ok("would be recorded (dry run)".to_owned())),
        Ok(RestoreOutcome::Recorded) => Ok(Ok("recorded".to_owned())),
        Ok(RestoreOutcome::AlreadyPresent { n_newer: 0 }) => Ok(Ok("already imported; nothing changed".to_owned())),
        Ok(RestoreOutcome::AlreadyPresent { n_newer }) => {
            Ok(Ok(format!("already imported, and {n_newer} events longer here; nothing changed")))
        }
        Err(error) => match CliError::from(error) {
            CliError::Refused(reason) => Ok(Err(reason)),
            other => Err(other),
        },
    }
}

fn as_line(name: &str, imported: Option<&Imported>, outcome: &Result<String, String>) -> Value {
    let (became, error) = (outcome.as_ref().ok(), outcome.as_ref().err());
    json!({ "file": name, "became": became, "error": error, "report": imported.map(|imported| &imported.report) })
}

/// Reads the debate in a file, or from standard input if the path is `-`, up to the size limit.
fn read_file(path: &Path, is_edited: bool) -> Result<Imported, String> {
    let mut bytes = Vec::new();
    let most = MAX_FILE_BYTES as u64 + 1;
    let read_in = if path == Path::new("-") {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        open_file(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read_in.map_err(|error| format!("the file cannot be read: {error}"))?;
    let read = if is_edited { read_edited(&bytes) } else { read(&bytes) };
    read.map_err(|error: ImportError| error.to_string())
}

/// Opens a regular file; reading a pipe or a device could block forever.
fn open_file(path: &Path) -> io::Result<File> {
    // Makes opening a pipe without a writer return at once.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::other("it is a directory, a pipe or a device; give a regular file, or - for standard input"))
}

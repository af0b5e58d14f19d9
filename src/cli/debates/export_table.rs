//! `faultline export --table`: exports a table over many debates.

use std::fs::File;
use std::io::{IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};

use crate::app::open_app::OpenApp;
use crate::cli::args::debates::ExportArgs;
use crate::cli::catch_up::{catch_up, find};
use crate::cli::output::exit::CliError;
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::export::tables::registry::find_table;
use faultline_service::scans::table_export::{TableError, TableExport};
use faultline_service::scans::table_scan::TableSelection;
use faultline_tables::format::TableFormat;
use faultline_terminal::text::clean::is_unwanted;

/// Exports a table to a file or to standard output.
///
/// # Errors
/// [`CliError::Usage`] if a filter or the format is unknown, or Parquet would be written to a terminal;
/// [`CliError::Refused`] if a single debate does not exist, or the file cannot be written; [`CliError::Fault`] if a debate
/// cannot be read, with its id.
pub async fn run(config: &Config, args: ExportArgs) -> Result<(), CliError> {
    if let (Some(_), Some(option)) = (&args.id, args.tables.filter.first_given()) {
        return Err(CliError::Usage(format!("{option} selects debates, and cannot be used with the id of one")));
    }
    let name = args.tables.table.as_deref().unwrap_or_default();
    let table = find_table(name).ok_or_else(|| CliError::Usage(format!("there is no table {name:?}")))?;
    let format = format(args.format.as_deref(), args.output.as_deref())?;
    let filter = args.tables.filter.query()?;
    if args.output.is_none() && !format.is_text() && stdout().is_terminal() {
        return Err(CliError::Usage("Parquet is no text: name a file with -o, or redirect the output".to_owned()));
    }
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let exported = async {
        catch_up(&mut app).await?;
        let selection = match &args.id {
            Some(id) => TableSelection::Debate(find(&mut app, id).await?),
            None => TableSelection::Filter(filter),
        };
        let reads = app.read_router(None);
        let export = TableExport::open(reads.now().await, table, format, selection).await?;
        let mut output = Output::open(args.output.as_deref())?;
        let written = write(export, &mut output).await;
        output.close(written)
    };
    let exported = exported.await;
    app.close().await;
    exported
}

async fn write(mut export: TableExport, output: &mut Output) -> Result<(), CliError> {
    while let Some(piece) = export.next().await? {
        output.write(&piece)?;
    }
    Ok(())
}

impl From<TableError> for CliError {
    fn from(error: TableError) -> CliError {
        match error {
            TableError::Read(error) => error.into(),
            TableError::Encode(error) => CliError::Fault(error.to_string()),
        }
    }
}

/// Chooses the format by name, or by the extension of the output file.
fn format(format: Option<&str>, output: Option<&Path>) -> Result<TableFormat, CliError> {
    let extension = output.and_then(Path::extension).and_then(|extension| extension.to_str());
    format.or(extension).and_then(TableFormat::named).ok_or_else(|| {
        let names = TableFormat::ALL.map(TableFormat::name).join(", ");
        CliError::Usage(format!("choose a format of tables with --format: {names}"))
    })
}

/// Destination of the table.
enum Output {
    /// Standard output.
    Standard,
    /// A terminal: control characters are replaced.
    Terminal,
    /// A new file beside the requested one, which it replaces when it is complete.
    Replacing { file: File, partial: PathBuf, path: PathBuf },
    /// Something that is no regular file, such as a pipe.
    Special { file: File, path: PathBuf },
}

impl Output {
    fn open(path: Option<&Path>) -> Result<Output, CliError> {
        let Some(path) = path else {
            return Ok(if stdout().is_terminal() { Output::Terminal } else { Output::Standard });
        };
        // A symbolic link stays one: the file behind it is replaced.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            let file = File::options().write(true).open(&path).map_err(|error| unwritable(&path, &error))?;
            return Ok(Output::Special { file, path });
        }
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".partial");
        let partial = path.with_file_name(name);
        let file = File::create(&partial).map_err(|error| unwritable(&partial, &error))?;
        Ok(Output::Replacing { file, partial, path })
    }

    fn write(&mut self, piece: &[u8]) -> Result<(), CliError> {
        match self {
            Output::Standard => Ok(stdout().lock().write_all(piece)?),
            Output::Terminal => {
                let text = String::from_utf8_lossy(piece);
                let is_control = |letter: char| letter >= ' ' && is_unwanted(letter);
                Ok(stdout().lock().write_all(text.replace(is_control, "\u{fffd}").as_bytes())?)
            }
            Output::Replacing { file, partial, .. } => {
                file.write_all(piece).map_err(|error| unwritable(partial, &error))
            }
            Output::Special { file, path } => file.write_all(piece).map_err(|error| unwritable(path, &error)),
        }
    }

    /// Ends the output: the complete file takes its place, an incomplete one is deleted.
    fn close(self, exported: Result<(), CliError>) -> Result<(), CliError> {
        match self {
            Output::Standard | Output::Terminal => exported.and_then(|()| Ok(stdout().lock().flush()?)),
            Output::Special { .. } => exported,
            Output::Replacing { file, partial, path } => {
                drop(file);
                let placed =
                    exported.and_then(|()| std::fs::rename(&partial, &path).map_err(|error| unwritable(&path, &error)));
                if placed.is_err() {
                    // The first error is the one to report.
                    let _ignored = std::fs::remove_file(&partial);
                }
                placed
            }
        }
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> CliError {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe => CliError::OutputClosed,
        _ => CliError::Refused(format!("{} could not be written: {error}", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_is_chosen_by_option_or_file_extension() {
        let check = |option: Option<&str>, output: Option<&str>, expected: Option<TableFormat>| {
            assert_eq!(format(option, output.map(Path::new)).ok(), expected, "{option:?} {output:?}");
        };
        check(Some("csv"), None, Some(TableFormat::Csv));
        check(Some("jsonl"), Some("turns.parquet"), Some(TableFormat::Jsonl));
        check(None, Some("turns.parquet"), Some(TableFormat::Parquet));
        check(Some("svg"), None, None);
        check(None, Some("turns"), None);
        check(None, None, None);
    }
}

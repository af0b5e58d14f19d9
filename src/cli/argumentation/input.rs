//! Files that `argue` reads.

use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;

use crate::cli::output::exit::CliError;
use faultline_argumentation::formats::apx_changes::{ChangeLine, read_changes};
use faultline_argumentation::formats::file_limits::{FileLimits, MAX_FILE_BYTES};
use faultline_argumentation::formats::format::Format;
use faultline_argumentation::formats::named_framework::NamedFramework;
use faultline_argumentation::formats::read;

/// Path that stands for standard input.
pub const STDIN: &str = "-";

/// Reads the framework from a file, or from standard input if the path is `-`. Without a given format, detects it by
/// the extension or the content.
///
/// # Errors
/// [`CliError::Refused`] if the file cannot be read or parsed, or its format cannot be detected.
pub fn framework(path: &Path, format: Option<Format>) -> Result<(NamedFramework, Format), CliError> {
    let content = content(path)?;
    let shown = shown(path);
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let detected = format.or_else(|| Format::of_extension(extension)).or_else(|| Format::of_content(&content));
    let format = detected.ok_or_else(|| {
        CliError::Refused(format!("the format of {shown} cannot be detected: specify it with --format"))
    })?;
    let read = read::read(&content, format, &FileLimits::default());
    Ok((read.map_err(|error| CliError::Refused(format!("{shown}: {error}")))?, format))
}

/// Reads the changes to a framework from a file, or from standard input if the path is `-`.
///
/// # Errors
/// [`CliError::Refused`] if the file cannot be read or parsed.
pub fn changes(path: &Path) -> Result<Vec<ChangeLine>, CliError> {
    let read = read_changes(&content(path)?, &FileLimits::default());
    read.map_err(|error| CliError::Refused(format!("{}: {error}", shown(path))))
}

/// Returns the name of a file for messages.
pub fn shown(path: &Path) -> String {
    if path == Path::new(STDIN) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Reads a file, up to one byte beyond the limit.
fn content(path: &Path) -> Result<Vec<u8>, CliError> {
    let mut content = Vec::new();
    let most = MAX_FILE_BYTES as u64 + 1;
    let taken = if path == Path::new(STDIN) {
        stdin().lock().take(most).read_to_end(&mut content)
    } else {
        File::open(path).and_then(|file| file.take(most).read_to_end(&mut content))
    };
    taken.map_err(|error| CliError::Refused(format!("{} cannot be read: {error}", shown(path))))?;
    Ok(content)
}

//! Small tables as CSV (RFC 4180), for commands that print one.

use crate::cli::output::exit::CliError;

/// Writes lines of values; the first line is the header.
///
/// # Errors
/// [`CliError::Fault`] if the lines differ in length.
pub fn csv_text<'a>(lines: impl IntoIterator<Item = Vec<std::borrow::Cow<'a, str>>>) -> Result<String, CliError> {
    let fault = |error: &dyn std::fmt::Display| CliError::Fault(format!("writing CSV failed: {error}"));
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    for line in lines {
        writer.write_record(line.iter().map(|value| value.as_bytes())).map_err(|error| fault(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| fault(&error))?;
    String::from_utf8(bytes).map_err(|error| fault(&error))
}

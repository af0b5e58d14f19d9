//! Parsing of files in any of the formats.

use crate::formats::cursor::ByteCursor;
use crate::formats::file_limits::{FileLimits, MAX_FILE_BYTES};
use crate::formats::format::{BOM, Format};
use crate::formats::named_framework::NamedFramework;
use crate::formats::parse_error::{ParseError, ParseProblem, ProblemAt};
use crate::formats::{af, apx, tgf};

/// Parses a file. Linear in its bytes.
///
/// The text is UTF-8, with or without a byte order mark, with any kind of line breaks. Duplicate attacks count once.
///
/// # Errors
/// [`ParseError`] at the first place that violates the format or exceeds a limit.
pub fn read(content: &[u8], format: Format, limits: &FileLimits) -> Result<NamedFramework, ParseError> {
    parse(content, format, limits).map_err(|problem| problem.into_parse_error(format, content))
}

fn parse(content: &[u8], format: Format, limits: &FileLimits) -> Result<NamedFramework, ProblemAt> {
    let most = limits.bytes.min(MAX_FILE_BYTES);
    if content.len() > most {
        return Err(ProblemAt { at: 0, flaw: ParseProblem::Beyond { what: "bytes", most } });
    }
    if let Err(error) = str::from_utf8(content) {
        let at = error.valid_up_to();
        return Err(ProblemAt { at, flaw: ParseProblem::NotText(content[at]) });
    }
    let mut cursor = ByteCursor::new(content);
    cursor.take(BOM);
    match format {
        Format::Apx => apx::parse(&mut cursor, limits),
        Format::Tgf => tgf::parse(&mut cursor, limits),
        Format::Af => af::parse(&mut cursor, limits),
    }
}

//! Parsing of files in any of the formats.

use crate::formats::cursor::ByteCursor;
use crate::formats::format::{BOM, Format};
use crate::formats::interner::NameSpan;
use crate::formats::names::{ArgumentNames, MAX_NAME_BYTES, is_fit};
use crate::formats::parse_error::{ParseError, ParseProblem, ProblemAt};
use crate::formats::{af, apx, tgf};
use crate::framework::{Framework, MAX_ARGUMENTS};

/// Maximum size of a file: 1 GiB.
pub const MAX_FILE_BYTES: usize = 1 << 30;

/// Maximum number of attacks in a file, duplicates included.
pub const MAX_FILE_ATTACKS: usize = 1 << 26;

/// Limits on the size of a file. Names have their own limit: [`MAX_NAME_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLimits {
    /// Bytes. Default and maximum: [`MAX_FILE_BYTES`].
    pub bytes: usize,
    /// Arguments. Default and maximum: [`MAX_ARGUMENTS`].
    pub arguments: usize,
    /// Attacks, duplicates included. Default: [`MAX_FILE_ATTACKS`].
    pub attacks: usize,
}

impl Default for FileLimits {
    fn default() -> Self {
        Self { bytes: MAX_FILE_BYTES, arguments: MAX_ARGUMENTS, attacks: MAX_FILE_ATTACKS }
    }
}

/// Content of a file: arguments with their names, and attacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFramework {
    /// Name of each argument.
    pub names: ArgumentNames,
    /// Arguments and attacks by index.
    pub framework: Framework,
}

/// Parses a file. Linear in its bytes.
///
/// The text is UTF-8, with or without a byte order mark, with any kind of line breaks. Duplicate attacks count once.
///
/// # Errors
/// [`ParseError`] at the first place that violates the format or exceeds a limit.
pub fn read(content: &[u8], format: Format, limits: &FileLimits) -> Result<NamedFramework, ParseError> {
    parse(content, format, limits).map_err(|it| it.into_parse_error(format, content))
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

/// Attacks collected by a parser, up to a limit.
#[derive(Debug)]
pub struct AttackCollector {
    pairs: Vec<(u32, u32)>,
    most: usize,
}

impl AttackCollector {
    /// Creates an empty collection with capacity for a file with about `line_bytes` bytes per line.
    pub fn new(content: &[u8], line_bytes: usize, limits: &FileLimits) -> Self {
        Self { pairs: Vec::with_capacity((content.len() / line_bytes).min(1 << 20)), most: limits.attacks }
    }

    /// Adds an attack that is written at byte `at`.
    ///
    /// # Errors
    /// [`ParseProblem::Beyond`] at this byte if the limit is exceeded.
    #[inline]
    pub fn push(&mut self, attack: (u32, u32), at: usize) -> Result<(), ProblemAt> {
        if self.pairs.len() >= self.most {
            return Err(ProblemAt { at, flaw: ParseProblem::Beyond { what: "attacks", most: self.most } });
        }
        self.pairs.push(attack);
        Ok(())
    }

    /// Builds the framework of these attacks.
    pub fn framework(self, arguments: usize) -> Framework {
        Framework::new(arguments, self.pairs).expect("parsers respect the limits and number arguments from 0")
    }

    /// Renumbers the arguments of the attacks.
    pub fn renumbered(mut self, numbers: &[u32]) -> Self {
        self.pairs.iter_mut().for_each(|(a, b)| (*a, *b) = (numbers[*a as usize], numbers[*b as usize]));
        self
    }
}

/// Returns the name from byte `start` to the cursor, if it is valid.
///
/// # Errors
/// [`ProblemAt`] at the beginning of an invalid name.
#[inline]
pub fn span(cursor: &ByteCursor<'_>, start: usize) -> Result<NameSpan, ProblemAt> {
    let name = &cursor.bytes[start..cursor.at];
    // Parsers stop at the control characters of ASCII, but there are others.
    if !cursor.is_ascii || name.len() > MAX_NAME_BYTES {
        check_fit(name, start)?;
    }
    Ok(NameSpan::new(start, name.len()))
}

/// Checks that the name written at byte `at` is not too long and has no control characters.
///
/// # Errors
/// [`ProblemAt`] at this byte if the name is invalid.
pub fn check_fit(name: &[u8], at: usize) -> Result<(), ProblemAt> {
    if str::from_utf8(name).is_ok_and(is_fit) { Ok(()) } else { Err(unfit(name, at)) }
}

#[cold]
fn unfit(name: &[u8], at: usize) -> ProblemAt {
    if name.len() > MAX_NAME_BYTES {
        return ProblemAt { at, flaw: ParseProblem::Beyond { what: "bytes in a name", most: MAX_NAME_BYTES } };
    }
    let text = String::from_utf8_lossy(name);
    let found = text.chars().find(|it| it.is_control()).map_or(0, u32::from);
    let found = format!("one with the character U+{found:04X}");
    ProblemAt { at, flaw: ParseProblem::Unexpected { expected: "a name without control characters", found } }
}

/// Checks that the number of arguments at byte `at` does not exceed the limit.
///
/// # Errors
/// [`ParseProblem::Beyond`] at this byte if it does.
#[inline]
pub fn check_argument_limit(arguments: usize, limits: &FileLimits, at: usize) -> Result<(), ProblemAt> {
    let most = limits.arguments.min(MAX_ARGUMENTS);
    if arguments > most {
        return Err(ProblemAt { at, flaw: ParseProblem::Beyond { what: "arguments", most } });
    }
    Ok(())
}

//! Parsing of files in any of the formats.

use crate::argumentation::formats::cursor::Cursor;
use crate::argumentation::formats::format::{BOM, Format};
use crate::argumentation::formats::interner::Span;
use crate::argumentation::formats::misread::{Flaw, Flawed, Misread};
use crate::argumentation::formats::names::{MAX_NAME_BYTES, Names, is_fit};
use crate::argumentation::formats::{af, apx, tgf};
use crate::argumentation::framework::{Framework, MAX_ARGUMENTS};

/// Maximum size of a file: 1 GiB.
pub const MAX_FILE_BYTES: usize = 1 << 30;

/// Maximum number of attacks in a file, duplicates included.
pub const MAX_FILE_ATTACKS: usize = 1 << 26;

/// Limits on the size of a file. Names have their own limit: [`MAX_NAME_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes. Default and maximum: [`MAX_FILE_BYTES`].
    pub bytes: usize,
    /// Arguments. Default and maximum: [`MAX_ARGUMENTS`].
    pub arguments: usize,
    /// Attacks, duplicates included. Default: [`MAX_FILE_ATTACKS`].
    pub attacks: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: MAX_FILE_BYTES, arguments: MAX_ARGUMENTS, attacks: MAX_FILE_ATTACKS }
    }
}

/// Content of a file: arguments with their names, and attacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Name of each argument.
    pub names: Names,
    /// Arguments and attacks by index.
    pub framework: Framework,
}

/// Parses a file. Linear in its bytes.
///
/// The text is UTF-8, with or without a byte order mark, with any kind of line breaks. Duplicate attacks count once.
///
/// # Errors
/// [`Misread`] at the first place that violates the format or exceeds a limit.
pub fn read(content: &[u8], format: Format, limits: &Limits) -> Result<Named, Misread> {
    parse(content, format, limits).map_err(|it| it.told(format, content))
}

fn parse(content: &[u8], format: Format, limits: &Limits) -> Result<Named, Flawed> {
    let most = limits.bytes.min(MAX_FILE_BYTES);
    if content.len() > most {
        return Err(Flawed { at: 0, flaw: Flaw::Beyond { what: "bytes", most } });
    }
    if let Err(error) = str::from_utf8(content) {
        let at = error.valid_up_to();
        return Err(Flawed { at, flaw: Flaw::NotText(content[at]) });
    }
    let mut cursor = Cursor::new(content);
    cursor.take(BOM);
    match format {
        Format::Apx => apx::parse(&mut cursor, limits),
        Format::Tgf => tgf::parse(&mut cursor, limits),
        Format::Af => af::parse(&mut cursor, limits),
    }
}

/// Attacks collected by a parser, up to a limit.
#[derive(Debug)]
pub struct Attacks {
    pairs: Vec<(u32, u32)>,
    most: usize,
}

impl Attacks {
    /// Creates an empty collection with capacity for a file with about `line_bytes` bytes per line.
    pub fn new(content: &[u8], line_bytes: usize, limits: &Limits) -> Self {
        Self { pairs: Vec::with_capacity((content.len() / line_bytes).min(1 << 20)), most: limits.attacks }
    }

    /// Adds an attack that is written at byte `at`.
    ///
    /// # Errors
    /// [`Flaw::Beyond`] at this byte if the limit is exceeded.
    #[inline]
    pub fn push(&mut self, attack: (u32, u32), at: usize) -> Result<(), Flawed> {
        if self.pairs.len() >= self.most {
            return Err(Flawed { at, flaw: Flaw::Beyond { what: "attacks", most: self.most } });
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
/// [`Flawed`] at the beginning of an invalid name.
#[inline]
pub fn span(cursor: &Cursor<'_>, start: usize) -> Result<Span, Flawed> {
    let name = &cursor.bytes[start..cursor.at];
    // Parsers stop at the control characters of ASCII, but there are others.
    if !cursor.is_ascii || name.len() > MAX_NAME_BYTES {
        check_fit(name, start)?;
    }
    Ok(Span::new(start, name.len()))
}

/// Checks that the name written at byte `at` is not too long and has no control characters.
///
/// # Errors
/// [`Flawed`] at this byte if the name is invalid.
pub fn check_fit(name: &[u8], at: usize) -> Result<(), Flawed> {
    if str::from_utf8(name).is_ok_and(is_fit) { Ok(()) } else { Err(unfit(name, at)) }
}

#[cold]
fn unfit(name: &[u8], at: usize) -> Flawed {
    if name.len() > MAX_NAME_BYTES {
        return Flawed { at, flaw: Flaw::Beyond { what: "bytes in a name", most: MAX_NAME_BYTES } };
    }
    let text = String::from_utf8_lossy(name);
    let found = text.chars().find(|it| it.is_control()).map_or(0, u32::from);
    let found = format!("one with the character U+{found:04X}");
    Flawed { at, flaw: Flaw::Unexpected { expected: "a name without control characters", found } }
}

/// Checks that the number of arguments at byte `at` does not exceed the limit.
///
/// # Errors
/// [`Flaw::Beyond`] at this byte if it does.
#[inline]
pub fn room(arguments: usize, limits: &Limits, at: usize) -> Result<(), Flawed> {
    let most = limits.arguments.min(MAX_ARGUMENTS);
    if arguments > most {
        return Err(Flawed { at, flaw: Flaw::Beyond { what: "arguments", most } });
    }
    Ok(())
}

//! Reading a file of any of the formats.

use crate::argumentation::formats::cursor::Cursor;
use crate::argumentation::formats::format::{BOM, Format};
use crate::argumentation::formats::interner::Span;
use crate::argumentation::formats::misread::{Flaw, Flawed, Misread};
use crate::argumentation::formats::names::{MAX_NAME_BYTES, Names, is_fit};
use crate::argumentation::formats::{af, apx, tgf};
use crate::argumentation::framework::{Framework, MAX_ARGUMENTS};

/// The most bytes that a file may have: 1 GiB.
pub const MAX_FILE_BYTES: usize = 1 << 30;

/// The most attacks that a file may have, repetitions counted.
pub const MAX_FILE_ATTACKS: usize = 1 << 26;

/// How large a file may be. Names have a limit of their own: [`MAX_NAME_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes. Default and most: [`MAX_FILE_BYTES`].
    pub bytes: usize,
    /// Arguments. Default and most: [`MAX_ARGUMENTS`].
    pub arguments: usize,
    /// Attacks, repetitions counted. Default: [`MAX_FILE_ATTACKS`].
    pub attacks: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: MAX_FILE_BYTES, arguments: MAX_ARGUMENTS, attacks: MAX_FILE_ATTACKS }
    }
}

/// What a file says: arguments, what they are called, and who attacks whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// What each argument is called.
    pub names: Names,
    /// Arguments and attacks by index.
    pub framework: Framework,
}

/// Reads a file. Linear in its bytes.
///
/// The text is UTF-8, with or without a byte order mark; lines end as they do anywhere. An attack counts once however
/// often it is written.
///
/// # Errors
/// At the first place that is not as the format has it, or where a limit is reached.
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

/// What a parser gathers: attacks, as many as the limit allows.
#[derive(Debug)]
pub struct Attacks {
    pairs: Vec<(u32, u32)>,
    most: usize,
}

impl Attacks {
    /// None yet, of a file of which a line has about so many bytes.
    pub fn new(content: &[u8], line_bytes: usize, limits: &Limits) -> Self {
        Self { pairs: Vec::with_capacity((content.len() / line_bytes).min(1 << 20)), most: limits.attacks }
    }

    /// One more, written at this byte.
    ///
    /// # Errors
    /// Where the limit is reached.
    #[inline]
    pub fn push(&mut self, attack: (u32, u32), at: usize) -> Result<(), Flawed> {
        if self.pairs.len() >= self.most {
            return Err(Flawed { at, flaw: Flaw::Beyond { what: "attacks", most: self.most } });
        }
        self.pairs.push(attack);
        Ok(())
    }

    /// The framework of these attacks.
    pub fn framework(self, arguments: usize) -> Framework {
        Framework::new(arguments, self.pairs).expect("parsers keep to the limits and number arguments from 0")
    }

    /// The same attacks between arguments of other numbers.
    pub fn renumbered(mut self, numbers: &[u32]) -> Self {
        self.pairs.iter_mut().for_each(|(a, b)| (*a, *b) = (numbers[*a as usize], numbers[*b as usize]));
        self
    }
}

/// The name from a byte to the cursor, where it is fit to be one.
///
/// # Errors
/// At its beginning.
#[inline]
pub fn span(cursor: &Cursor<'_>, start: usize) -> Result<Span, Flawed> {
    let name = &cursor.bytes[start..cursor.at];
    // Parsers stop at the control characters of ASCII; there are others.
    if !cursor.is_ascii || name.len() > MAX_NAME_BYTES {
        check_fit(name, start)?;
    }
    Ok(Span::new(start, name.len()))
}

/// Refuses a name, written at a byte, that is too long or has control characters.
///
/// # Errors
/// Where it is refused.
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

/// Refuses more arguments than the limit, at the byte where there is one too many.
///
/// # Errors
/// Where there are too many.
#[inline]
pub fn room(arguments: usize, limits: &Limits, at: usize) -> Result<(), Flawed> {
    let most = limits.arguments.min(MAX_ARGUMENTS);
    if arguments > most {
        return Err(Flawed { at, flaw: Flaw::Beyond { what: "arguments", most } });
    }
    Ok(())
}

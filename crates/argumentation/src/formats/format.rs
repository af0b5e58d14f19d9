//! The three file formats by name, and detection of the format of a file.

use std::fmt;
use std::str::FromStr;

/// A file format of abstract argumentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Facts: `arg(a). att(a,b).`
    Apx,
    /// Names, then `#`, then pairs of names.
    Tgf,
    /// `p af n`, then pairs of numbers from 1.
    Af,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Apx, Self::Tgf, Self::Af];

    /// Returns the name, which is also the file extension.
    pub fn name(self) -> &'static str {
        match self {
            Self::Apx => "apx",
            Self::Tgf => "tgf",
            Self::Af => "af",
        }
    }

    /// Returns the format with this file extension, in any case; `None` for any other extension.
    pub fn of_extension(extension: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(extension))
    }

    /// Detects the format of a content; `None` if there is no evidence.
    ///
    /// The first line that is neither blank nor begins with `#` decides: `p af` is `af`; a comment with `%`, or a fact
    /// of `arg` or `att`, is `apx`; anything else can only be `tgf`. If there is no such line, a lone `#` is a `tgf`
    /// file without arguments.
    pub fn of_content(content: &[u8]) -> Option<Self> {
        let content = content.strip_prefix(BOM.as_slice()).unwrap_or(content);
        let mut parted = false;
        for line in content.split(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::trim_ascii) {
            match line.first() {
                None => {}
                Some(b'#') => parted |= line.len() == 1,
                Some(b'%') => return Some(Self::Apx),
                Some(_) => return Some(Self::of_line(line)),
            }
        }
        parted.then_some(Self::Tgf)
    }

    fn of_line(line: &[u8]) -> Self {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        if (words.next(), words.next()) == (Some(b"p"), Some(b"af")) {
            return Self::Af;
        }
        let rest = line.strip_prefix(b"arg").or_else(|| line.strip_prefix(b"att"));
        match rest.map(<[u8]>::trim_ascii_start) {
            Some([] | [b'(', ..]) => Self::Apx,
            _ => Self::Tgf,
        }
    }
}

/// Byte order mark that some programs write before a text in UTF-8. It is skipped.
pub const BOM: &[u8; 3] = b"\xEF\xBB\xBF";

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        Self::ALL.into_iter().find(|format| format.name() == text).ok_or(UnknownFormat)
    }
}

/// Error of parsing a format name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown format; available: apx, tgf, af")]
pub struct UnknownFormat;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_names_a_format() {
        let check = |extension: &str, expected| assert_eq!(Format::of_extension(extension), expected, "{extension}");
        check("apx", Some(Format::Apx));
        check("TGF", Some(Format::Tgf));
        check("af", Some(Format::Af));
        check("txt", None);
        check("", None);
    }

    #[test]
    fn the_format_is_detected_from_the_content() {
        let check =
            |content: &str, expected| assert_eq!(Format::of_content(content.as_bytes()), expected, "{content:?}");
        check("", None);
        check(" \r\n\t\n", None);
        check("# only a comment", None);
        check("#", Some(Format::Tgf));
        check("p af 0", Some(Format::Af));
        check("# c\n#\n\n  p\taf 3\n1 2", Some(Format::Af));
        check("\u{feff}p af 3", Some(Format::Af));
        check("arg(a).", Some(Format::Apx));
        check("\natt ( a,b ).", Some(Format::Apx));
        check("arg\n(a).", Some(Format::Apx));
        check("% what\n1", Some(Format::Apx));
        check("1\n2\n#\n1 2", Some(Format::Tgf));
        check("arg1\n#\n", Some(Format::Tgf));
        check("p\n#\n", Some(Format::Tgf));
        check("\r\r\ra\r#", Some(Format::Tgf));
    }
}

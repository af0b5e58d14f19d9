//! Terminal style: width, colours and character set.

use std::io::stdout;

use anstream::{AutoStream, ColorChoice};
use anstyle::{Ansi256Color, AnsiColor, Style};
use faultline_core::export::marks::mark;

/// Minimum width of the layout; on a narrower terminal, lines wrap by themselves.
pub const MIN_NARROWEST: usize = 60;
/// Maximum width of the layout.
pub const MAX_WIDEST: usize = 120;
/// Maximum width of prose: longer lines are hard to read.
const MAX_MEASURE: usize = 100;

/// Style of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalStyle {
    /// Columns of the terminal; values outside [`MIN_NARROWEST`] to [`MAX_WIDEST`] are clamped.
    pub width: usize,
    /// True to use colours. Without them, marks and words carry the same information.
    pub colour: bool,
    /// True to use characters beyond ASCII.
    pub unicode: bool,
}

impl TerminalStyle {
    /// Detects the style of standard output: its width; whether it takes colours (respecting `NO_COLOR`,
    /// `CLICOLOR_FORCE` and `TERM`); and whether it shows Unicode, as the locale says.
    pub fn of_stdout() -> TerminalStyle {
        TerminalStyle {
            width: textwrap::termwidth(),
            colour: AutoStream::choice(&stdout()) != ColorChoice::Never,
            unicode: shows_unicode(&|name| std::env::var(name).ok()),
        }
    }

    /// Returns the maximum width of a table.
    pub fn columns(&self) -> usize {
        self.width.clamp(MIN_NARROWEST, MAX_WIDEST)
    }

    /// Returns true if the terminal is wide enough for two texts beside each other.
    pub fn is_wide(&self) -> bool {
        self.columns() >= MAX_WIDEST
    }

    /// Returns the maximum width of prose.
    pub fn measure(&self) -> usize {
        self.columns().min(MAX_MEASURE)
    }
}

/// Returns true if the locale names UTF-8, or is unset and the terminal is not dumb. A dumb terminal cannot move the cursor
/// and has no colours, but shows the letters of its locale.
fn shows_unicode(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    match ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set) {
        Some(locale) => locale.to_lowercase().replace('-', "").contains("utf8"),
        None => set("TERM").as_deref() != Some("dumb"),
    }
}

/// Role of a piece of text, which determines its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Ordinary text.
    Plain,
    /// Titles and emphasis.
    Strong,
    /// Secondary text: grounds, reasons, notices.
    Quiet,
    /// Rules and frames.
    Faint,
    /// Accepted, valid or agreed.
    Good,
    /// Rejected or invalid.
    Bad,
    /// Undecided, or in need of attention.
    Open,
    /// Added words.
    Added,
    /// Removed words.
    Removed,
    /// Item of the speaker at this position.
    Of(usize),
    /// Name of the speaker at this position.
    Name(usize),
}

impl Tone {
    /// Returns the terminal style of the tone.
    pub fn style(self) -> Style {
        let shade = |code: u8| Style::new().fg_color(Some(Ansi256Color(code).into()));
        match self {
            Tone::Plain => Style::new(),
            Tone::Strong => Style::new().bold(),
            Tone::Quiet => shade(245),
            Tone::Faint => shade(241),
            Tone::Good => AnsiColor::Green.on_default(),
            Tone::Bad => AnsiColor::Red.on_default(),
            Tone::Open => AnsiColor::Yellow.on_default(),
            Tone::Added => AnsiColor::Green.on_default(),
            Tone::Removed => AnsiColor::Red.on_default(),
            Tone::Of(place) => shade(mark(place).colour.terminal),
            Tone::Name(place) => shade(mark(place).colour.terminal).bold(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_decides_on_unicode_and_a_dumb_terminal_only_without_one() {
        let check = |variables: &[(&str, &str)], expected: bool| {
            let value =
                |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            assert_eq!(shows_unicode(&value), expected, "{variables:?}");
        };
        check(&[], true);
        check(&[("TERM", "dumb")], false);
        check(&[("TERM", "dumb"), ("LANG", "ja_JP.UTF-8")], true);
        check(&[("TERM", "dumb"), ("LC_ALL", "C.utf8"), ("LANG", "C")], true);
        check(&[("LANG", "C")], false);
        check(&[("TERM", "xterm"), ("LC_ALL", "POSIX"), ("LANG", "en_GB.UTF-8")], false);
    }
}

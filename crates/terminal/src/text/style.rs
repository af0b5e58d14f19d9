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
    /// `CLICOLOR_FORCE` and `TERM`); and whether it shows Unicode, which is assumed unless the locale names an encoding
    /// other than UTF-8 or the terminal is dumb.
    pub fn of_stdout() -> TerminalStyle {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
        let speaks_utf8 = locale.is_none_or(|locale| locale.to_lowercase().replace('-', "").contains("utf8"));
        TerminalStyle {
            width: textwrap::termwidth(),
            colour: AutoStream::choice(&stdout()) != ColorChoice::Never,
            unicode: speaks_utf8 && set("TERM").as_deref() != Some("dumb"),
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

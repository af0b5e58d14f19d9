//! How the terminal is to look: its width, its colours, its letters.

use std::io::stdout;

use anstream::{AutoStream, ColorChoice};
use anstyle::{Ansi256Color, AnsiColor, Style};

/// The narrowest page that is laid out; on a narrower terminal lines break by themselves.
pub const NARROWEST: usize = 60;
/// The widest page that is laid out.
pub const WIDEST: usize = 120;
/// The widest column of prose: longer lines are hard to follow.
const MEASURE: usize = 100;

/// How the terminal is to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Columns of the terminal; taken as at least [`NARROWEST`] and at most [`WIDEST`].
    pub width: usize,
    /// Whether there are colours. Without, marks and words say it all.
    pub colour: bool,
    /// Whether there are letters and marks beyond ASCII.
    pub unicode: bool,
}

impl Look {
    /// As standard output has it: its width, whether it takes colours (`NO_COLOR`, `CLICOLOR_FORCE` and `TERM` are
    /// heeded), and whether it shows more than ASCII: it does, unless the locale names another encoding than UTF-8 or the
    /// terminal is a dumb one.
    pub fn of_stdout() -> Look {
        let set = |name: &str| std::env::var(name).ok().filter(|it| !it.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
        let speaks_utf8 = locale.is_none_or(|it| it.to_lowercase().replace('-', "").contains("utf8"));
        Look {
            width: textwrap::termwidth(),
            colour: AutoStream::choice(&stdout()) != ColorChoice::Never,
            unicode: speaks_utf8 && set("TERM").as_deref() != Some("dumb"),
        }
    }

    /// The columns that a table may take.
    pub fn columns(&self) -> usize {
        self.width.clamp(NARROWEST, WIDEST)
    }

    /// The columns that prose may take.
    pub fn measure(&self) -> usize {
        self.columns().min(MEASURE)
    }
}

/// What a piece of text is, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// What is said.
    Plain,
    /// What comes first.
    Strong,
    /// What stands back: grounds, reasons, asides.
    Quiet,
    /// Rules and frames.
    Faint,
    /// It stands, it holds, it is agreed.
    Good,
    /// It fell, it does not hold.
    Bad,
    /// It is undecided, or wants attention.
    Open,
    /// Words that were added.
    Added,
    /// Words that were taken out.
    Removed,
    /// Something of the speaker at this place.
    Of(usize),
    /// The speaker's own name.
    Name(usize),
}

/// Colours of speakers: of middle lightness, legible on dark and light ground, the first two apart for every eye.
const SPEAKERS: &[u8] = &[67, 136, 97, 65, 131, 30, 103, 94, 168, 61, 101, 96];

impl Tone {
    /// The style of the terminal for it.
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
            Tone::Of(place) => shade(SPEAKERS[place % SPEAKERS.len()]),
            Tone::Name(place) => shade(SPEAKERS[place % SPEAKERS.len()]).bold(),
        }
    }
}

//! Context shared by the sections of a verdict, and their level of detail.

use crate::cli::stage::page::Page;
use crate::cli::stage::span::{Line, Span, glued, own};
use crate::cli::stage::speakers::Speakers;
use crate::cli::stage::style::Tone;
use crate::cli::stage::words;
use crate::events::ids::{ArgumentId, PersonaId, TurnId};
use crate::verdicts::board::Board;
use crate::verdicts::verdict::Verdict;

/// Width of the column of labels such as `Examined`.
const WORD: usize = 12;

/// Debate with its verdict, as input of the sections.
#[derive(Debug)]
pub struct Telling<'a> {
    /// Read model of the debate.
    pub board: &'a Board,
    /// Verdict on the debate.
    pub verdict: &'a Verdict,
    /// Speakers of the debate.
    pub speakers: &'a Speakers,
    /// True to show everything, regardless of length.
    pub in_full: bool,
}

impl Telling<'_> {
    /// Returns the maximum number of items to show, where `on_a_card` is the limit for a card.
    pub fn most(&self, on_a_card: usize) -> usize {
        if self.in_full { usize::MAX } else { on_a_card }
    }

    /// Returns the id of an argument in its speaker's tone.
    pub fn argument(&self, id: ArgumentId) -> Span {
        self.speakers.maybe(self.board.arguments.speaker(id)).owns(id)
    }

    /// Formats the first ids of a list of arguments.
    pub fn arguments(&self, ids: &[ArgumentId], on_a_card: usize) -> Line {
        let most = self.most(on_a_card);
        let mut line = Line::new();
        for id in ids.iter().take(most) {
            if !line.is_empty() {
                line.push(own(Tone::Plain, " "));
            }
            line.push(self.argument(*id));
        }
        if ids.len() > most {
            line.push(own(Tone::Quiet, format!(" and {} more", ids.len() - most)));
        }
        line
    }

    /// Returns the command that shows more of the debate.
    pub fn command(&self) -> Span {
        let debate = self.board.summary.debate.map_or_else(|| "ID".to_owned(), words::short);
        let whole = if self.in_full { " --json" } else { "" };
        glued(Tone::Plain, &format!("faultline show {debate}{whole}"))
    }

    /// Renders the number of omitted items, and the command that shows them.
    pub fn more(&self, page: &mut Page, indent: usize, n: usize) {
        page.hang(&[], &[], indent, &[own(Tone::Quiet, format!("and {n} more: ")), self.command()]);
    }

    /// Formats a persona with a turn.
    pub fn holder(&self, persona: &PersonaId, turn: TurnId) -> Line {
        let mut line = self.speakers.get(persona).badge();
        line.push(glued(Tone::Quiet, &format!(" {turn}")));
        line
    }
}

/// Renders the title of a section with a short explanation.
pub fn title(page: &mut Page, title: &str, about: &str) {
    page.blank();
    page.text(&[own(Tone::Strong, title), own(Tone::Quiet, format!("  {about}").replace("  ", "\u{a0}\u{a0}"))]);
}

/// Renders a fact after its label.
pub fn fact(page: &mut Page, word: &str, body: &[Span]) {
    page.hang(&[], &[own(Tone::Quiet, word)], WORD, body);
}

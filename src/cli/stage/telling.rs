//! What the parts of a verdict are told from, and how much of each.

use crate::cli::stage::page::Page;
use crate::cli::stage::span::{Line, Span, glued, own};
use crate::cli::stage::speakers::Speakers;
use crate::cli::stage::style::Tone;
use crate::cli::stage::words;
use crate::events::ids::{ArgumentId, PersonaId, TurnId};
use crate::verdicts::board::Board;
use crate::verdicts::verdict::Verdict;

/// Columns of a word such as `Examined` before what it names.
const WORD: usize = 12;

/// A debate and the verdict over it, about to be told.
#[derive(Debug)]
pub struct Telling<'a> {
    /// The debate.
    pub board: &'a Board,
    /// What may be said of it.
    pub verdict: &'a Verdict,
    /// Who takes part.
    pub speakers: &'a Speakers,
    /// Whether everything is told, however long.
    pub in_full: bool,
}

impl Telling<'_> {
    /// How many of something are told, where a card tells `on_a_card`.
    pub fn most(&self, on_a_card: usize) -> usize {
        if self.in_full { usize::MAX } else { on_a_card }
    }

    /// The name of an argument, in its speaker's tone.
    pub fn argument(&self, id: ArgumentId) -> Span {
        self.speakers.maybe(self.board.arguments.speaker(id)).owns(id)
    }

    /// The names of arguments, the first few of them.
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

    /// The command that shows more of the debate than is shown here.
    pub fn command(&self) -> Span {
        let debate = self.board.summary.debate.map_or_else(|| "ID".to_owned(), words::short);
        let whole = if self.in_full { " --json" } else { "" };
        glued(Tone::Plain, &format!("faultline show {debate}{whole}"))
    }

    /// That there is more, and how to see it.
    pub fn more(&self, page: &mut Page, indent: usize, n: usize) {
        page.hang(&[], &[], indent, &[own(Tone::Quiet, format!("and {n} more: ")), self.command()]);
    }

    /// Somebody, and the turn in which they said it.
    pub fn holder(&self, persona: &PersonaId, turn: TurnId) -> Line {
        let mut line = self.speakers.get(persona).badge();
        line.push(glued(Tone::Quiet, &format!(" {turn}")));
        line
    }
}

/// The title of a part, and what it is, for those who see it for the first time.
pub fn title(page: &mut Page, title: &str, about: &str) {
    page.blank();
    page.text(&[own(Tone::Strong, title), own(Tone::Quiet, format!("  {about}").replace("  ", "\u{a0}\u{a0}"))]);
}

/// A fact after the word for it.
pub fn fact(page: &mut Page, word: &str, body: &[Span]) {
    page.hang(&[], &[own(Tone::Quiet, word)], WORD, body);
}

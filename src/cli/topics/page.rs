//! Lines of a suggested question, for people.

use crate::cli::output::terminal;
use faultline_core::events::dispute::Side;
use faultline_core::events::ids::PersonaId;
use faultline_ingest::personas::PersonaFile;
use faultline_terminal::labels;
use faultline_terminal::text::page::TextPage;
use faultline_terminal::text::span::{trusted, untrusted};
use faultline_terminal::text::style::Tone;

/// Width of the indentation of sides and quotations.
const INDENT: usize = 2;

/// Page of suggested questions.
pub struct SuggestionPage<'a> {
    page: TextPage,
    files: &'a [PersonaFile],
}

impl<'a> SuggestionPage<'a> {
    /// Creates an empty page, on which personas of these files have their display names.
    pub fn new(files: &'a [PersonaFile]) -> SuggestionPage<'a> {
        SuggestionPage { page: TextPage::new(terminal::terminal_style()), files }
    }

    /// Adds a paragraph of the program's own words.
    pub fn note(&mut self, tone: Tone, text: &str) {
        self.page.text(&[trusted(tone, text)]);
    }

    /// Adds an empty line.
    pub fn blank(&mut self) {
        self.page.blank();
    }

    /// Adds a question, after an empty line if it is not the first.
    pub fn question(&mut self, question: &str) {
        if !self.page.is_empty() {
            self.page.blank();
        }
        self.page.text(&[untrusted(Tone::Strong, question)]);
    }

    /// Adds the topic on which a question came up.
    pub fn came_up_on(&mut self, topic: &str) {
        self.page.text(&[trusted(Tone::Quiet, "came up on: "), untrusted(Tone::Quiet, topic)]);
    }

    /// Adds the side of a persona with its words.
    pub fn position(&mut self, persona: &PersonaId, side: Side, (quote, document): (&str, &str)) {
        let file = self.files.iter().find(|file| file.persona.id == *persona);
        let name = file.map_or(persona.as_str(), |file| file.persona.name.as_str());
        let words = format!("“{quote}” ({document})");
        let line = [
            untrusted(Tone::Plain, name),
            trusted(Tone::Plain, " "),
            labels::side(side),
            trusted(Tone::Plain, " "),
            untrusted(Tone::Quiet, &words),
        ];
        self.page.hang(&[], &[], INDENT, &line);
    }

    /// Adds a command.
    pub fn command(&mut self, command: &str) {
        self.page.text(&[untrusted(Tone::Quiet, command)]);
    }

    /// Returns the page as text.
    pub fn print(&self) -> String {
        self.page.print()
    }
}

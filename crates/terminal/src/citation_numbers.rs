//! Numbering of cited passages, shown as superscripts.

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::text::span::{Span, trusted};
use crate::text::style::Tone;
use faultline_core::events::citation::Citation;
use faultline_core::events::receipt::WebPage;
use faultline_core::verdicts::read_model::DebateReadModel;

/// Passages that a debate cites, numbered in order of first citation.
#[derive(Clone, Debug, Default)]
pub struct CitationNumbers {
    seen: Vec<Uuid>,
    pages: BTreeMap<Uuid, WebPage>,
}

impl CitationNumbers {
    /// Returns the passages cited so far.
    pub fn of(read_model: &DebateReadModel) -> CitationNumbers {
        let mut sources = CitationNumbers::default();
        for turn in &read_model.transcript.turns {
            let arguments =
                read_model.arguments.arguments.values().filter(|argument| argument.advanced.turn == turn.turn);
            let evidence = arguments.flat_map(|argument| &argument.advanced.evidence);
            for citation in turn.citations.iter().chain(evidence.filter_map(|evidence| evidence.citation.as_ref())) {
                sources.number(citation);
            }
        }
        sources
    }

    /// Ids of the passages: the first has the number 1.
    pub fn chunks(&self) -> &[Uuid] {
        &self.seen
    }

    /// Returns the web page of a passage; `None` for passages of a corpus.
    pub fn page(&self, chunk: Uuid) -> Option<&WebPage> {
        self.pages.get(&chunk)
    }

    /// Number of passages.
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// Returns whether nothing is cited.
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// Returns the superscript numbers of these passages, to append to the text that cites them.
    pub fn marks<'a>(&mut self, citations: impl IntoIterator<Item = &'a Citation>) -> Span {
        let numbers: Vec<String> = citations.into_iter().map(|citation| raised(self.number(citation))).collect();
        trusted(Tone::Quiet, numbers.iter().map(|number| format!("\u{a0}{number}")).collect::<String>())
    }

    /// Returns the text of a turn with numbers for the passages that it names as its prompt did, such as `[g2]`: their
    /// names mean nothing outside the prompt.
    pub fn in_text(&mut self, text: &str, citations: &[Citation]) -> String {
        citations.iter().fold(text.to_owned(), |text, citation| {
            let name = format!("[{}]", citation.alias);
            if text.contains(&name) { text.replace(&name, &raised(self.number(citation))) } else { text }
        })
    }

    /// Returns the passage's number, starting from 1.
    fn number(&mut self, citation: &Citation) -> usize {
        let at = self.seen.iter().position(|passage| *passage == citation.chunk);
        at.unwrap_or_else(|| {
            self.seen.push(citation.chunk);
            self.pages.extend(citation.page.clone().map(|page| (citation.chunk, page)));
            self.seen.len() - 1
        }) + 1
    }
}

fn raised(number: usize) -> String {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let number = number.to_string();
    number.bytes().map(|byte| digits[usize::from(byte - b'0')]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_keeps_its_number() {
        let mut sources = CitationNumbers::default();
        let cited = |number: u128| Citation::new("g1", Uuid::from_u128(number));
        assert_eq!(sources.marks(&[cited(9), cited(4)]).text, "\u{a0}¹\u{a0}²");
        assert_eq!(sources.marks(&[cited(4)]).text, "\u{a0}²");
        assert_eq!(raised(120), "¹²⁰");
        let text = "Nine [g1], not ten [g2].";
        assert_eq!(sources.in_text(text, &[cited(4)]), "Nine ², not ten [g2].");
    }
}

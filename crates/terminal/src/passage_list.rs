//! Numbered list of the passages that the superscripts of a text refer to.

use crate::citation_numbers::CitationNumbers;
use crate::text::page::TextPage;
use crate::text::span::{shortened, trusted, untrusted};
use crate::text::style::{TerminalStyle, Tone};
use faultline_store::library::recall::StoredPassage;

/// Maximum number of characters shown of a passage.
const MAX_TEXT: usize = 8_000;
/// Maximum number of characters of a passage that is only to be told from others of the same document.
const MAX_BEGINNING: usize = 60;
/// Width of the column of numbers.
const NUMBER: usize = 4;

/// Renders the documents of the cited passages on a page of their own, with the beginning of each passage; returns an empty
/// text if nothing is cited.
pub fn cited_documents(cited: &CitationNumbers, passages: &[StoredPassage], look: TerminalStyle) -> String {
    let mut page = TextPage::new(look);
    entries(&mut page, cited, passages, false);
    page.print()
}

/// Renders a title and one entry for each cited passage, in the order of the numbers: the document, its author or shared
/// corpus, its date, and the passage. A passage that is not among `passages` is no longer in the library, and shown by its id.
pub fn list(page: &mut TextPage, cited: &CitationNumbers, passages: &[StoredPassage]) {
    entries(page, cited, passages, true);
}

fn entries(page: &mut TextPage, cited: &CitationNumbers, passages: &[StoredPassage], with_text: bool) {
    if cited.is_empty() {
        return;
    }
    page.blank();
    page.rule("Passages cited");
    page.blank();
    for (number, chunk) in (1..).zip(cited.chunks()) {
        if with_text && number > 1 {
            page.blank();
        }
        let label = [trusted(Tone::Strong, number.to_string())];
        if let Some(page_of) = cited.page(*chunk) {
            let address = format!(", {}", page_of.address);
            let document = [untrusted(Tone::Plain, &page_of.title), untrusted(Tone::Quiet, &address)];
            page.hang(&[], &label, NUMBER, &document);
            continue;
        }
        let Some(passage) = passages.iter().find(|passage| passage.chunk == *chunk) else {
            let gone = format!("passage {chunk}, which is no longer in the library");
            page.hang(&[], &label, NUMBER, &[trusted(Tone::Quiet, gone)]);
            continue;
        };
        let source = format!(", {}, {}", passage.source, passage.date);
        let document = [
            untrusted(Tone::Strong, passage.persona.as_str()),
            trusted(Tone::Quiet, if passage.is_shared { " (shared corpus)" } else { "" }),
            trusted(Tone::Quiet, " · "),
            untrusted(Tone::Plain, &passage.title),
            untrusted(Tone::Quiet, &source),
        ];
        page.hang(&[], &label, NUMBER, &document);
        let most = if with_text { MAX_TEXT } else { MAX_BEGINNING };
        page.hang(&[], &[], NUMBER, &shortened(Tone::Plain, &passage.text, most));
    }
}

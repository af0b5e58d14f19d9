//! Search results: a paragraph per passage, with its source and the reasons for the hit.

use crate::text::page::TextPage;
use crate::text::span::{SpanLine, trusted, untrusted};
use crate::text::style::{TerminalStyle, Tone};
use faultline_service::passage_search::PassageMatch;

/// Width of the column of ranks.
const PLACE: usize = 4;

/// Renders the passages, best first; `empty` tells whether the library is empty.
pub fn passages(hits: &[PassageMatch], empty: bool, look: TerminalStyle) -> String {
    let mut page = TextPage::new(look);
    match (hits.is_empty(), empty) {
        (true, true) => page.text(&[
            trusted(Tone::Quiet, "The library is empty: run "),
            trusted(Tone::Plain, "faultline corpus ingest"),
            trusted(Tone::Quiet, " to fill it."),
        ]),
        (true, false) => page.text(&[trusted(Tone::Quiet, "No passage found.")]),
        _ => {}
    }
    for (at, hit) in hits.iter().enumerate() {
        if at > 0 {
            page.blank();
        }
        let place = [trusted(Tone::Strong, format!("{}.", at + 1))];
        page.hang(&[], &place, PLACE, &from(hit));
        page.hang(&[], &[], PLACE, &text(hit));
        page.hang(&[], &[], PLACE, &[trusted(Tone::Quiet, why(hit))]);
    }
    page.print()
}

/// Formats persona or shared corpus, document and date.
fn from(hit: &PassageMatch) -> SpanLine {
    let passage = &hit.passage;
    vec![
        untrusted(Tone::Strong, passage.persona.as_str()),
        trusted(Tone::Quiet, if passage.is_shared { " (shared corpus)" } else { "" }),
        trusted(Tone::Quiet, " · "),
        untrusted(Tone::Plain, &passage.title),
        untrusted(Tone::Quiet, &format!(", {}, {}", passage.source, passage.date)),
    ]
}

/// Formats the passage with matched words highlighted.
fn text(hit: &PassageMatch) -> SpanLine {
    let (text, mut at, mut line) = (hit.passage.text.as_str(), 0, SpanLine::new());
    for word in &hit.words {
        let (Some(before), Some(within)) = (text.get(at..word.start), text.get(word.clone())) else { continue };
        line.push(untrusted(Tone::Plain, before));
        line.push(untrusted(Tone::Strong, within));
        at = word.end;
    }
    line.push(untrusted(Tone::Plain, text.get(at..).unwrap_or_default()));
    line
}

/// Formats the rankings that found the passage.
fn why(hit: &PassageMatch) -> String {
    let mut parts = Vec::new();
    if let Some(place) = hit.why.by_meaning {
        let cosine = hit.why.cosine.map_or_else(String::new, |it| format!(", cosine {it:.2}"));
        let sentence =
            hit.why.sentence_cosine.map_or_else(String::new, |cosine| format!(", nearest sentence {cosine:.2}"));
        parts.push(format!("no. {place} by meaning{cosine}{sentence}"));
    }
    if let Some(place) = hit.why.by_words {
        let whole = if hit.why.as_written { ", exact wording" } else { "" };
        parts.push(format!("no. {place} by words, {:.0} % of their weight{whole}", hit.why.share * 100.0));
    }
    if !hit.folded.is_empty() {
        parts.push(format!("{} more say the same", hit.folded.len()));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use faultline_store::library::recall::{MatchReasons, StoredPassage};
    use uuid::Uuid;

    fn hit(text: &str, words: Vec<std::ops::Range<usize>>) -> PassageMatch {
        let passage = StoredPassage {
            persona: "edda-tolvane".parse().expect("an id"),
            is_shared: false,
            chunk: Uuid::nil(),
            document: "notebook".to_owned(),
            ordinal: 0,
            text: text.to_owned(),
            title: "Parapet \u{1b}[31mNotebook".to_owned(),
            source: "a drawer".to_owned(),
            date: "2025-02-20".parse().expect("a date"),
            kind: "notebook".to_owned(),
            score: 0.3,
        };
        let why = MatchReasons {
            cosine: Some(0.512),
            sentence_cosine: Some(0.6),
            by_meaning: Some(2),
            by_words: Some(1),
            share: 0.75,
            as_written: true,
        };
        PassageMatch { passage, why, words, folded: vec![Uuid::nil()] }
    }

    #[test]
    fn a_hit_shows_its_source_and_rankings() {
        let look = TerminalStyle { width: 100, colour: false, unicode: true };
        let shown = passages(&[hit("A gull took my sandwich.", vec![2..6, 15..23])], false, look);
        assert!(shown.contains("edda-tolvane · Parapet") && shown.contains("a drawer, 2025-02-20"), "{shown}");
        assert!(!shown.contains("\u{1b}[31m"), "text of a corpus contains no escape sequences: {shown:?}");
        assert!(shown.contains("A gull took my sandwich."), "{shown}");
        let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("no. 2 by meaning, cosine 0.51, nearest sentence 0.60"), "{shown}");
        assert!(words.contains("75 % of their weight, exact wording"), "{shown}");
    }

    #[test]
    fn a_shared_corpus_is_told_from_a_persona() {
        let look = TerminalStyle { width: 100, colour: false, unicode: true };
        let mut shared = hit("A gull took my sandwich.", Vec::new());
        shared.passage.is_shared = true;
        let shown = passages(&[shared], false, look);
        assert!(shown.contains("edda-tolvane (shared corpus) · Parapet"), "{shown}");
    }

    #[test]
    fn an_empty_result_is_explained() {
        let look = TerminalStyle { width: 80, colour: false, unicode: true };
        assert!(passages(&[], true, look).contains("faultline corpus ingest"));
        assert!(passages(&[], false, look).contains("No passage found."));
        // Ranges outside the text are ignored.
        assert!(passages(&[hit("é", vec![1..9, 0..1])], false, look).contains('é'));
    }
}

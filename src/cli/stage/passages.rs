//! Passages that a search found, a paragraph each, with where they are from and why they were found.

use crate::cli::stage::page::Page;
use crate::cli::stage::span::{Line, own, told};
use crate::cli::stage::style::{Look, Tone};
use crate::desk::passages::PassageHit;

/// Columns of a place in the list.
const PLACE: usize = 4;

/// The passages, the best first; `empty` where nothing could be found because nothing is there.
pub fn passages(hits: &[PassageHit], empty: bool, look: Look) -> String {
    let mut page = Page::new(look);
    match (hits.is_empty(), empty) {
        (true, true) => page.text(&[
            own(Tone::Quiet, "There is nothing to search yet: "),
            own(Tone::Plain, "faultline corpus ingest"),
            own(Tone::Quiet, " fills the library."),
        ]),
        (true, false) => page.text(&[own(Tone::Quiet, "No passage was found.")]),
        _ => {}
    }
    for (at, hit) in hits.iter().enumerate() {
        if at > 0 {
            page.blank();
        }
        let place = [own(Tone::Strong, format!("{}.", at + 1))];
        page.hang(&[], &place, PLACE, &from(hit));
        page.hang(&[], &[], PLACE, &text(hit));
        page.hang(&[], &[], PLACE, &[own(Tone::Quiet, why(hit))]);
    }
    page.print()
}

/// Whose, from which document, and when.
fn from(hit: &PassageHit) -> Line {
    let passage = &hit.passage;
    vec![
        told(Tone::Strong, passage.persona.as_str()),
        own(Tone::Quiet, " · "),
        told(Tone::Plain, &passage.title),
        told(Tone::Quiet, &format!(", {}, {}", passage.source, passage.date)),
    ]
}

/// The passage, words that hit made to stand out.
fn text(hit: &PassageHit) -> Line {
    let (text, mut at, mut line) = (hit.passage.text.as_str(), 0, Line::new());
    for word in &hit.words {
        let (Some(before), Some(within)) = (text.get(at..word.start), text.get(word.clone())) else { continue };
        line.push(told(Tone::Plain, before));
        line.push(told(Tone::Strong, within));
        at = word.end;
    }
    line.push(told(Tone::Plain, text.get(at..).unwrap_or_default()));
    line
}

/// Which rankings found it, at which places.
fn why(hit: &PassageHit) -> String {
    let mut parts = Vec::new();
    if let Some(place) = hit.why.by_meaning {
        let cosine = hit.why.cosine.map_or_else(String::new, |it| format!(", cosine {it:.2}"));
        let sentence = hit.why.sentence_cosine.map_or_else(String::new, |it| format!(", nearest sentence {it:.2}"));
        parts.push(format!("no. {place} by meaning{cosine}{sentence}"));
    }
    if let Some(place) = hit.why.by_words {
        let whole = if hit.why.as_written { ", as it is written" } else { "" };
        parts.push(format!("no. {place} by words, {:.0} % of what they tell{whole}", hit.why.share * 100.0));
    }
    if !hit.folded.is_empty() {
        parts.push(format!("{} more say the same", hit.folded.len()));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::library::recall::{Passage, Why};
    use uuid::Uuid;

    fn hit(text: &str, words: Vec<std::ops::Range<usize>>) -> PassageHit {
        let passage = Passage {
            persona: "edda-tolvane".parse().expect("an id"),
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
        let why = Why {
            cosine: Some(0.512),
            sentence_cosine: Some(0.6),
            by_meaning: Some(2),
            by_words: Some(1),
            share: 0.75,
            as_written: true,
        };
        PassageHit { passage, why, words, folded: vec![Uuid::nil()] }
    }

    #[test]
    fn a_hit_says_where_it_is_from_and_why() {
        let look = Look { width: 100, colour: false, unicode: true };
        let shown = passages(&[hit("A gull took my sandwich.", vec![2..6, 15..23])], false, look);
        assert!(shown.contains("edda-tolvane · Parapet") && shown.contains("a drawer, 2025-02-20"), "{shown}");
        assert!(!shown.contains("\u{1b}[31m"), "what a corpus wrote is not acted upon: {shown:?}");
        assert!(shown.contains("A gull took my sandwich."), "{shown}");
        let told = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains("no. 2 by meaning, cosine 0.51, nearest sentence 0.60"), "{shown}");
        assert!(told.contains("75 % of what they tell, as it is written"), "{shown}");
    }

    #[test]
    fn nothing_found_says_why() {
        let look = Look { width: 80, colour: false, unicode: true };
        assert!(passages(&[], true, look).contains("faultline corpus ingest"));
        assert!(passages(&[], false, look).contains("No passage was found."));
        // A range that is none of this text marks nothing.
        assert!(passages(&[hit("é", vec![1..9, 0..1])], false, look).contains('é'));
    }
}

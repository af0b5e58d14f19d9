//! Statistics of the library.

use crate::text::page::TextPage;
use crate::text::span::{trusted, untrusted};
use crate::text::style::{TerminalStyle, Tone};
use faultline_store::library::reading::Holdings;
use faultline_store::library::stats::LibraryStats;
use faultline_store::shard::HOME;

/// Width of the column of labels.
const LABEL: usize = 12;

/// Renders the statistics of the library, then of each persona and each shared corpus.
pub fn holdings(stats: &LibraryStats, owners: &[Holdings], look: TerminalStyle) -> String {
    let mut page = TextPage::new(look);
    let line = |page: &mut TextPage, label: &str, text: String| {
        page.hang(&[], &[trusted(Tone::Quiet, label)], LABEL, &[untrusted(Tone::Plain, &text)]);
    };
    let LibraryStats { n_documents, n_passages, n_sentences, n_words, .. } = stats;
    line(&mut page, "library", format!("{n_documents} documents, {n_passages} passages, {n_sentences} sentences"));
    line(&mut page, "words", format!("{n_words} distinct, as of the last ingest"));
    let (texts, vectors) = (megabytes(stats.text_bytes), megabytes(stats.vector_bytes));
    line(&mut page, "on disk", format!("{texts} of texts, {vectors} of vectors"));
    for it in &stats.embedders {
        let used = if it.in_use { "in use" } else { "not in use" };
        let (n_passages, n_sentences) = (it.n_passages, it.n_sentences);
        let vectors = format!("{n_passages} passages and {n_sentences} sentences, width {}", it.width);
        line(&mut page, "vectors by", format!("{} ({used}): {vectors}", it.name));
    }
    for it in &stats.indexes {
        let state = if it.ready { "ready" } else { "being built, or interrupted" };
        line(&mut page, "index", format!("{}: {state}, {}", it.name, megabytes(it.bytes)));
    }
    if stats.indexes.is_empty() {
        line(&mut page, "index", "none needed: a search scans every passage".to_owned());
    }
    if !owners.is_empty() {
        page.blank();
    }
    let is_on_shards = owners.iter().any(|it| it.shard != HOME);
    for it in owners {
        let place = if is_on_shards { format!(", on {}", it.shard) } else { String::new() };
        let kind = if it.is_shared { ", shared corpus" } else { "" };
        let counted = format!(
            "{} ({}{kind}{place}): {} documents, {} passages, {} sentences",
            it.name, it.persona, it.n_documents, it.n_passages, it.n_sentences
        );
        page.text(&[untrusted(Tone::Plain, &counted)]);
    }
    page.print()
}

fn megabytes(bytes: i64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use faultline_store::library::stats::{EmbedderStats, IndexStats};

    #[test]
    fn statistics_and_indexes_are_shown() {
        let embedder =
            EmbedderStats { name: "minilm".to_owned(), width: 384, in_use: true, n_passages: 3, n_sentences: 9 };
        let index =
            IndexStats { name: "near_1_all".to_owned(), holds: "(embedder = 1)".to_owned(), ready: false, bytes: 0 };
        let stats = LibraryStats {
            n_documents: 2,
            text_bytes: 1_250_000,
            embedders: vec![embedder],
            ..LibraryStats::default()
        };
        let look = TerminalStyle { width: 90, colour: false, unicode: true };
        let shown = holdings(&stats, &[], look);
        assert!(shown.contains("2 documents") && shown.contains("1.2 MB of texts"), "{shown}");
        assert!(shown.contains("minilm (in use): 3 passages and 9 sentences, width 384"), "{shown}");
        assert!(shown.contains("none needed"), "{shown}");
        let owner = |id: &str, is_shared| Holdings {
            persona: id.parse().expect("an id"),
            is_shared,
            name: id.to_uppercase(),
            n_documents: 1,
            n_passages: 2,
            n_sentences: 3,
            shard: HOME.to_owned(),
        };
        let owned = holdings(&stats, &[owner("ada", false), owner("tides", true)], look);
        assert!(
            owned.contains("ADA (ada): 1 documents") && owned.contains("TIDES (tides, shared corpus): 1"),
            "{owned}"
        );
        let moved = Holdings { shard: "b".to_owned(), ..owner("bo", false) };
        let owned = holdings(&stats, &[owner("ada", false), moved], look);
        assert!(owned.contains("ADA (ada, on home): 1") && owned.contains("BO (bo, on b): 1"), "{owned}");
        let shown = holdings(&LibraryStats { indexes: vec![index], ..stats }, &[], look);
        assert!(shown.contains("near_1_all: being built"), "{shown}");
    }
}

//! Report on an ingest.

use crate::text::page::TextPage;
use crate::text::span::{trusted, untrusted};
use crate::text::style::{TerminalStyle, Tone};
use crate::verdict_context::fact;
use faultline_ingest::report::{IngestReport, SourceReport};

/// Maximum number of items listed per section.
const MAX_TOLD: usize = 40;

/// Renders documents read, sources skipped with the reason, and passages that look suspicious.
pub fn ingested(report: &IngestReport, look: TerminalStyle) -> String {
    let mut page = TextPage::new(look);
    page.rule("ingest");
    let total = report.total();
    let documents = format!("{} read, {} unchanged, {} removed", total.n_read, total.n_unchanged, total.n_removed);
    let it = total.passages;
    let passages = format!("{} new, {} unchanged, {} removed", it.new, it.unchanged, it.removed);
    fact(&mut page, "Documents", &[trusted(Tone::Plain, documents)]);
    fact(&mut page, "Passages", &[trusted(Tone::Plain, passages)]);
    fact(&mut page, "Embedder", &[untrusted(Tone::Quiet, &report.embedder)]);
    for persona in report.removed.iter().chain(&report.removed_shared) {
        fact(&mut page, "Removed", &[untrusted(Tone::Plain, persona.as_str())]);
    }
    let lively = |source: &&SourceReport| {
        source.n_read + source.n_kept > 0 || !source.passed_over.is_empty() || !source.remarks.is_empty()
    };
    let sources: Vec<String> = report.sources.iter().filter(lively).flat_map(source).collect();
    lines(&mut page, "Read", Tone::Plain, &sources);
    let skipped: Vec<String> =
        report.skipped.iter().map(|skipped| format!("{}: {}", skipped.file.display(), skipped.why)).collect();
    lines(&mut page, "Skipped", Tone::Open, &skipped);
    let flagged = report
        .flagged
        .iter()
        .map(|flagged| format!("{}, {}: {}", flagged.persona, flagged.document, flagged.flags.join("; ")));
    lines(&mut page, "Suspicious", Tone::Bad, &flagged.collect::<Vec<_>>());
    let remarks: Vec<String> = report.remarks.iter().map(ToString::to_string).collect();
    lines(&mut page, "Note", Tone::Quiet, &remarks);
    page.blank();
    page.print()
}

/// Formats a source, followed by its skipped parts and remarks.
fn source(source: &SourceReport) -> Vec<String> {
    let kept = if source.n_kept > 0 {
        format!(", {} kept although no longer in the source", source.n_kept)
    } else {
        String::new()
    };
    let (persona, name, form) = (&source.persona, &source.name, source.form.name());
    let first = format!("{persona}, {name} ({form}): {} new, {} unchanged{kept}", source.n_read, source.n_unchanged);
    let passed_over = source.passed_over.iter().map(|part| format!("{name}: skipped {part}"));
    let remarks = source.remarks.iter().map(|remark| format!("{name}: {remark}"));
    [first].into_iter().chain(passed_over).chain(remarks).collect()
}

fn lines(page: &mut TextPage, word: &str, tone: Tone, all: &[String]) {
    for (at, line) in all.iter().take(MAX_TOLD).enumerate() {
        fact(page, if at == 0 { word } else { "" }, &[untrusted(tone, line)]);
    }
    if all.len() > MAX_TOLD {
        fact(page, "", &[trusted(Tone::Quiet, format!("and {} more; --json lists them all", all.len() - MAX_TOLD))]);
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use faultline_ingest::readers::form::Form;
    use faultline_ingest::report::Flagged;
    use faultline_ingest::sources::Skipped;

    #[test]
    fn report_lists_everything_without_control_characters() {
        let persona = "ada-quill".parse().unwrap();
        let mut feed = SourceReport::new(&persona, "blog\u{1b}[2J", Form::Feed);
        feed.n_read = 2;
        feed.passed_over.push("x: there is no text in it".to_owned());
        let flags = vec!["instruction: ignore previous instructions".to_owned()];
        let report = IngestReport {
            sources: vec![feed],
            skipped: vec![Skipped { file: PathBuf::from("a.pdf"), why: "is encrypted".to_owned() }],
            flagged: vec![Flagged { persona, document: "walls".to_owned(), flags }],
            ..IngestReport::default()
        };
        let shown = ingested(&report, TerminalStyle { width: 100, colour: false, unicode: true });
        for expected in
            ["blog (feed): 2 new", "skipped x: there is no text", "a.pdf: is encrypted", "walls: instruction"]
        {
            assert!(shown.contains(expected), "{expected} in {shown}");
        }
        assert!(!shown.contains('\u{1b}'));
    }
}

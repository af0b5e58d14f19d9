//! Report on an imported file.

use crate::labels;
use crate::text::page::TextPage;
use crate::text::span::{trusted, untrusted as said};
use crate::text::style::{TerminalStyle, Tone};
use crate::verdict_context::fact;
use faultline_core::imports::report::{ImportCounts, ImportReport};
use faultline_core::verdicts::regime::RegimeKind;

/// Maximum number of set-aside records listed.
const MAX_TOLD: usize = 8;

/// Renders the report on a file: its content, the adjustments made, the results it reports, and the computed verdict.
pub fn import_report(file: &str, report: &ImportReport, became: &str, look: TerminalStyle) -> String {
    let mut page = TextPage::new(look);
    page.rule(file);
    fact(&mut page, "Topic", &[said(Tone::Strong, &report.topic)]);
    fact(
        &mut page,
        "Debate",
        &[trusted(Tone::Plain, report.debate.to_string()), trusted(Tone::Quiet, format!("  {became}"))],
    );
    fact(&mut page, "From", &[trusted(Tone::Plain, report.shape.about())]);
    fact(&mut page, "Between", &[said(Tone::Plain, &report.participants.join(", "))]);
    fact(&mut page, "Contains", &[trusted(Tone::Plain, holds(&report.counts))]);
    if let Some(needed) = needed(&report.counts) {
        fact(&mut page, "Adjusted", &[trusted(Tone::Open, needed)]);
    }
    fact(&mut page, "Ended", &[said(Tone::Plain, &report.ended)]);
    let tone = match report.regime.kind {
        RegimeKind::Consensus => Tone::Good,
        RegimeKind::Polarized => Tone::Bad,
        RegimeKind::Partial => Tone::Open,
        RegimeKind::Undetermined => Tone::Quiet,
    };
    let kind = trusted(tone, report.regime.kind.name());
    fact(&mut page, "Verdict", &[kind, said(Tone::Plain, &format!(": {}", report.regime.reason))]);
    for difference in &report.differences {
        fact(&mut page, "But", &[said(Tone::Open, difference)]);
    }
    for aside in report.set_aside.iter().take(MAX_TOLD) {
        let line = format!("{}, {}: {}", aside.place, aside.name, aside.reason);
        fact(&mut page, "Set aside", &[said(Tone::Quiet, &line)]);
    }
    if report.counts.quarantined > MAX_TOLD {
        let more = format!("and {} more; --json lists the first hundred", report.counts.quarantined - MAX_TOLD);
        fact(&mut page, "", &[trusted(Tone::Quiet, more)]);
    }
    for note in &report.notes {
        fact(&mut page, "Note", &[said(Tone::Quiet, note)]);
    }
    page.blank();
    page.print()
}

/// Renders the refusal of a file.
pub fn refused(file: &str, reason: &str, look: TerminalStyle) -> String {
    let mut page = TextPage::new(look);
    page.rule(file);
    fact(&mut page, "Refused", &[said(Tone::Bad, reason)]);
    page.blank();
    page.print()
}

/// Summarizes the debate in numbers.
fn holds(counts: &ImportCounts) -> String {
    let several = |n: usize, word: &str| (n > 0).then(|| labels::count(labels::number(n), word));
    let parts = [
        several(counts.turns, "turn"),
        several(counts.arguments, "argument"),
        several(counts.attacks, "attack"),
        several(counts.judgements, "judgement"),
        several(counts.disputes, "dispute"),
        several(counts.stances, "stance"),
        several(counts.rooms, "room"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let records = labels::count(labels::number(counts.read), "record");
    let events = labels::count(labels::number(counts.events), "event");
    format!("{records}, as {events}: {}", if parts.is_empty() { "no turns".to_owned() } else { parts.join(", ") })
}

/// Summarizes the adjustments made to the file's records.
fn needed(counts: &ImportCounts) -> Option<String> {
    let parts = [
        (counts.synthesised, "missing arguments were synthesised and marked"),
        (counts.quarantined, "invalid records were set aside"),
        (counts.opaque, "records of unknown kinds were kept unchanged"),
        (counts.verdicts, "conclusions were kept as reported by the file"),
        (counts.mended, "doubly encoded texts were decoded"),
    ];
    let parts: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

//! Report on an imported file.

use crate::cli::stage::page::Page;
use crate::cli::stage::span::{own, told as said};
use crate::cli::stage::style::{Look, Tone};
use crate::cli::stage::telling::fact;
use crate::cli::stage::words;
use crate::imports::report::{Counts, Report};
use crate::verdicts::regime::RegimeKind;

/// Maximum number of set-aside records listed.
const TOLD: usize = 8;

/// Renders the report on a file: its content, the adjustments made, the results it reports, and the computed verdict.
pub fn told(file: &str, report: &Report, became: &str, look: Look) -> String {
    let mut page = Page::new(look);
    page.rule(file);
    fact(&mut page, "Topic", &[said(Tone::Strong, &report.topic)]);
    fact(&mut page, "Debate", &[own(Tone::Plain, report.debate.to_string()), own(Tone::Quiet, format!("  {became}"))]);
    fact(&mut page, "From", &[own(Tone::Plain, report.shape.about())]);
    fact(&mut page, "Between", &[said(Tone::Plain, &report.participants.join(", "))]);
    fact(&mut page, "Contains", &[own(Tone::Plain, holds(&report.counts))]);
    if let Some(needed) = needed(&report.counts) {
        fact(&mut page, "Adjusted", &[own(Tone::Open, needed)]);
    }
    fact(&mut page, "Ended", &[said(Tone::Plain, &report.ended)]);
    let tone = match report.regime.kind {
        RegimeKind::Consensus => Tone::Good,
        RegimeKind::Polarized => Tone::Bad,
        RegimeKind::Partial => Tone::Open,
        RegimeKind::Undetermined => Tone::Quiet,
    };
    let kind = own(tone, report.regime.kind.name());
    fact(&mut page, "Verdict", &[kind, said(Tone::Plain, &format!(": {}", report.regime.reason))]);
    for difference in &report.differences {
        fact(&mut page, "But", &[said(Tone::Open, difference)]);
    }
    for aside in report.set_aside.iter().take(TOLD) {
        let line = format!("{}, {}: {}", aside.place, aside.name, aside.reason);
        fact(&mut page, "Set aside", &[said(Tone::Quiet, &line)]);
    }
    if report.counts.quarantined > TOLD {
        let more = format!("and {} more; --json lists the first hundred", report.counts.quarantined - TOLD);
        fact(&mut page, "", &[own(Tone::Quiet, more)]);
    }
    for note in &report.notes {
        fact(&mut page, "Note", &[said(Tone::Quiet, note)]);
    }
    page.blank();
    page.print()
}

/// Renders the refusal of a file.
pub fn refused(file: &str, reason: &str, look: Look) -> String {
    let mut page = Page::new(look);
    page.rule(file);
    fact(&mut page, "Refused", &[said(Tone::Bad, reason)]);
    page.blank();
    page.print()
}

/// Summarizes the debate in numbers.
fn holds(counts: &Counts) -> String {
    let several = |n: usize, word: &str| (n > 0).then(|| words::count(words::number(n), word));
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
    let records = words::count(words::number(counts.read), "record");
    let events = words::count(words::number(counts.events), "event");
    format!("{records}, as {events}: {}", if parts.is_empty() { "no turns".to_owned() } else { parts.join(", ") })
}

/// Summarizes the adjustments made to the file's records.
fn needed(counts: &Counts) -> Option<String> {
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

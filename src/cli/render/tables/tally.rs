//! Text report on the differences between stored and rebuilt verdicts.

use std::fmt::Write;

use crate::cli::render::text::clean::clean;
use faultline_core::verdicts::verdict_diff_stats::{ChangeStats, VerdictDiffStats};

/// Maximum number of characters of an example's texts.
const WORDS: usize = 100;

/// Renders the statistics: a line for each kind of change, its subkinds, and examples.
pub fn diff_report(tally: &VerdictDiffStats) -> String {
    let mut text = format!("{} debates compared, {} of them unchanged\n", tally.compared, tally.unchanged);
    for (what, changed) in [
        ("regimes that change", &tally.regimes),
        ("cruxes lost", &tally.cruxes_lost),
        ("cruxes gained", &tally.cruxes_gained),
        ("camps that change", &tally.camps),
        ("labels that change", &tally.labels),
    ] {
        add(&mut text, what, changed);
    }
    for (n, what) in [
        (tally.only_before, "only in the old views"),
        (tally.only_after, "only in the new views"),
        (tally.moved, "that changed meanwhile, not compared"),
        (tally.unreadable, "with an old verdict that is no longer readable, not compared"),
    ] {
        if n > 0 {
            line(&mut text, &format!("{n} debates {what}"));
        }
    }
    text
}

fn add(text: &mut String, what: &str, changed: &ChangeStats) {
    line(text, &format!("{what}: {} in {} debates", changed.changes, changed.debates));
    for (kind, n) in &changed.kinds {
        line(text, &format!("    {n:>8}  {kind}"));
    }
    for example in &changed.examples {
        let [topic, before, after] = [&example.topic, &example.before, &example.after].map(|text| short(text));
        line(text, &format!("    {} \"{topic}\": {before} → {after}", example.debate));
    }
}

fn line(text: &mut String, words: &str) {
    // Writing to a `String` cannot fail.
    let _written = writeln!(text, "{words}");
}

/// Cleans and shortens an untrusted text to one line.
fn short(words: &str) -> String {
    let words = &clean(words).replace('\n', " ");
    match words.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{}...", &words[..end]),
        None if words.is_empty() => "-".to_owned(),
        None => words.to_owned(),
    }
}

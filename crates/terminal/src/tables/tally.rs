//! Text report on the differences between stored and rebuilt views.

use std::fmt::Write;

use crate::text::clean::clean;
use faultline_core::verdicts::diff::verdict_diff_stats::{ChangeStats, VerdictDiffStats};

/// Maximum number of characters of an example's texts.
const MAX_WORDS: usize = 100;

/// Renders the statistics: a line for each changed field, its kinds of change, and examples.
pub fn diff_report(tally: &VerdictDiffStats) -> String {
    let mut text =
        format!("{} {} compared, {} unchanged\n", tally.compared, plural(tally.compared, "debate"), tally.unchanged);
    for (field, changed) in &tally.changes {
        add(&mut text, field, changed);
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

fn add(text: &mut String, field: &str, changed: &ChangeStats) {
    let (field, changes, debates) = (short(field), changed.changes, changed.debates);
    line(text, &format!("{field}: {changes} {} in {debates} {}", plural(changes, "change"), plural(debates, "debate")));
    for (kind, n) in &changed.kinds {
        line(text, &format!("    {n:>8}  {}", short(kind)));
    }
    for example in &changed.examples {
        let [before, after] = [&example.before, &example.after].map(|value| short(value.as_deref().unwrap_or("-")));
        let item = if example.item.is_empty() { String::new() } else { format!(", {}", short(&example.item)) };
        line(text, &format!("    {} \"{}\"{item}: {before} → {after}", example.debate, short(&example.topic)));
    }
}

fn plural(n: u64, word: &str) -> String {
    if n == 1 { word.to_owned() } else { format!("{word}s") }
}

fn line(text: &mut String, words: &str) {
    // Writing to a `String` cannot fail.
    let _written = writeln!(text, "{words}");
}

/// Cleans and shortens an untrusted text to one line.
fn short(words: &str) -> String {
    let words = &clean(words).replace('\n', " ");
    match words.char_indices().nth(MAX_WORDS) {
        Some((end, _)) => format!("{}...", &words[..end]),
        None if words.is_empty() => "-".to_owned(),
        None => words.to_owned(),
    }
}

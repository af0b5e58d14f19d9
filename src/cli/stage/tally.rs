//! What changes when verdicts are made anew, as text.

use std::fmt::Write;

use crate::cli::stage::clean::clean;
use crate::verdicts::tally::{Changed, Tally};

/// Characters of an example's words at most.
const WORDS: usize = 100;

/// A tally as text: a line for each thing that changes, its kinds, and its examples.
pub fn told(tally: &Tally) -> String {
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
        (tally.moved, "that went on meanwhile, not compared"),
        (tally.unreadable, "with an old verdict that cannot be read any more, not compared"),
    ] {
        if n > 0 {
            line(&mut text, &format!("{n} debates {what}"));
        }
    }
    text
}

fn add(text: &mut String, what: &str, changed: &Changed) {
    line(text, &format!("{what}: {} in {} debates", changed.changes, changed.debates));
    for (kind, n) in &changed.kinds {
        line(text, &format!("    {n:>8}  {kind}"));
    }
    for example in &changed.examples {
        let [topic, before, after] = [&example.topic, &example.before, &example.after].map(|it| short(it));
        line(text, &format!("    {} \"{topic}\": {before} → {after}", example.debate));
    }
}

fn line(text: &mut String, words: &str) {
    // Writing to a string does not fail.
    let _written = writeln!(text, "{words}");
}

/// Models and people wrote it: of their words only what a terminal does not act upon, on one line.
fn short(words: &str) -> String {
    let words = &clean(words).replace('\n', " ");
    match words.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{}...", &words[..end]),
        None if words.is_empty() => "-".to_owned(),
        None => words.to_owned(),
    }
}

//! What speech rests on: passages cited, quotations checked, and what is suspicious.

use crate::cli::stage::page::Page;
use crate::cli::stage::sources::Sources;
use crate::cli::stage::span::{Line, own, shortened, told};
use crate::cli::stage::style::Tone;
use crate::cli::stage::telling::{Telling, fact};
use crate::cli::stage::words;
use crate::projections::grounding::Tally;

/// The most suspicious passages that are told.
const SUSPECTED: usize = 8;
/// The most letters of what makes one suspicious.
const SUSPICION: usize = 200;

/// How many passages are cited, how much of the talk is grounded, whether quotations stand where they are said to; in full
/// also by speaker, and what is suspicious.
pub fn cited(page: &mut Page, telling: &Telling) {
    let grounding = &telling.board.grounding;
    if grounding.is_empty() {
        return;
    }
    let n_passages = words::count(words::number(Sources::of(telling.board).len()), "passage");
    let mut line = vec![own(Tone::Quiet, format!("{n_passages} of the speakers' own writings; "))];
    line.extend(counts(&grounding.total()));
    fact(page, "Cites", &line);
    for persona in grounding.participants.keys().filter(|_| telling.in_full) {
        let mut line = telling.speakers.get(persona).badge();
        line.push(own(Tone::Quiet, ": "));
        line.extend(counts(&grounding.of(persona)));
        fact(page, "", &line);
    }
    for (version, it) in grounding.suspected.iter().take(telling.most(0).min(SUSPECTED)) {
        let mut line = vec![own(Tone::Open, "⚠ "), told(Tone::Plain, &it.alias)];
        let what = format!(" at version {version} reads as if it were meant for a model: ");
        line.push(own(Tone::Plain, what));
        line.extend(shortened(Tone::Quiet, &it.suspicions.join("; "), SUSPICION));
        fact(page, "Suspect", &line);
    }
    let n_suspected = grounding.suspected.len();
    if !telling.in_full && n_suspected > 0 {
        let line = format!("{} as if they were meant for a model", words::count(words::number(n_suspected), "passage"));
        fact(page, "Suspect", &[own(Tone::Open, "⚠ "), own(Tone::Plain, line)]);
    }
}

/// What grounding adds up to. What should not be there is told where it is, and set off.
fn counts(tally: &Tally) -> Line {
    let mut line = vec![own(Tone::Quiet, format!("{} of {} turns grounded", tally.grounded, tally.turns))];
    let quotes = [(tally.verbatim, "quoted verbatim", Tone::Quiet), (tally.abridged, "abridged", Tone::Quiet)];
    let faults = [
        (tally.unverified, "not so in the passage", Tone::Open),
        (tally.dangling, "cited but never given", Tone::Open),
    ];
    for (n, what, tone) in quotes.into_iter().chain(faults).filter(|(n, ..)| *n > 0) {
        line.extend([own(Tone::Quiet, " · "), own(tone, format!("{n} {what}"))]);
    }
    line
}

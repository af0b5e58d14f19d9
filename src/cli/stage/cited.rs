//! Grounding section: cited passages, checked quotations, and suspicious passages.

use crate::cli::stage::page::Page;
use crate::cli::stage::sources::Sources;
use crate::cli::stage::span::{Line, own, shortened, told};
use crate::cli::stage::style::Tone;
use crate::cli::stage::telling::{Telling, fact};
use crate::cli::stage::words;
use crate::projections::grounding::Tally;

/// Maximum number of suspicious passages listed.
const SUSPECTED: usize = 8;
/// Maximum number of characters shown of the suspicions about a passage.
const SUSPICION: usize = 200;

/// Renders the number of cited passages, the share of grounded turns, and the results of the quotation checks; in full
/// mode also per speaker, with the suspicious passages.
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
        let what = format!(" at version {version} looks like instructions to a model: ");
        line.push(own(Tone::Plain, what));
        line.extend(shortened(Tone::Quiet, &it.suspicions.join("; "), SUSPICION));
        fact(page, "Suspect", &line);
    }
    let n_suspected = grounding.suspected.len();
    if !telling.in_full && n_suspected > 0 {
        let line =
            format!("{} with possible instructions to a model", words::count(words::number(n_suspected), "passage"));
        fact(page, "Suspect", &[own(Tone::Open, "⚠ "), own(Tone::Plain, line)]);
    }
}

/// Formats grounding counts; problems are listed last and highlighted.
fn counts(tally: &Tally) -> Line {
    let mut line = vec![own(Tone::Quiet, format!("{} of {} turns grounded", tally.grounded, tally.turns))];
    let quotes = [(tally.verbatim, "quoted verbatim", Tone::Quiet), (tally.abridged, "abridged", Tone::Quiet)];
    let faults = [
        (tally.unverified, "not found in the passage", Tone::Open),
        (tally.dangling, "cited but not provided", Tone::Open),
    ];
    for (n, what, tone) in quotes.into_iter().chain(faults).filter(|(n, ..)| *n > 0) {
        line.extend([own(Tone::Quiet, " · "), own(tone, format!("{n} {what}"))]);
    }
    line
}

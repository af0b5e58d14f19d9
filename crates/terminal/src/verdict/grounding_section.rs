//! Grounding section: cited passages, checked quotations, and suspicious passages.

use crate::citation_numbers::CitationNumbers;
use crate::labels;
use crate::text::page::TextPage;
use crate::text::span::{SpanLine, shortened, trusted, untrusted};
use crate::text::style::Tone;
use crate::verdict_context::{VerdictContext, fact};
use faultline_core::projections::grounding::GroundingCounts;

/// Maximum number of suspicious passages listed.
const MAX_SUSPECTED: usize = 8;
/// Maximum number of characters shown of the suspicions about a passage.
const MAX_SUSPICION: usize = 200;

/// Renders the number of cited passages, the share of grounded turns, and the results of the quotation checks; in full
/// mode also per speaker, with the suspicious passages.
pub fn cited(page: &mut TextPage, telling: &VerdictContext) {
    let grounding = &telling.read_model.grounding;
    if grounding.is_empty() {
        return;
    }
    let n_passages = labels::count(labels::number(CitationNumbers::of(telling.read_model).len()), "passage");
    let summary = &telling.read_model.summary;
    let is_own = summary.shared_corpus.is_none() && telling.read_model.searches.all.is_empty();
    let whose = if is_own { " of the speakers' own writings" } else { "" };
    let mut line = vec![trusted(Tone::Quiet, format!("{n_passages}{whose}; "))];
    line.extend(counts(&grounding.total()));
    fact(page, "Cites", &line);
    for persona in grounding.participants.keys().filter(|_| telling.full) {
        let mut line = telling.speakers.get(persona).badge();
        line.push(trusted(Tone::Quiet, ": "));
        line.extend(counts(&grounding.of(persona)));
        fact(page, "", &line);
    }
    for (version, it) in grounding.suspected.iter().take(telling.most(0).min(MAX_SUSPECTED)) {
        let mut line = vec![trusted(Tone::Open, "⚠ "), untrusted(Tone::Plain, &it.alias)];
        let what = format!(" at version {version} looks like instructions to a model: ");
        line.push(trusted(Tone::Plain, what));
        line.extend(shortened(Tone::Quiet, &it.suspicions.join("; "), MAX_SUSPICION));
        fact(page, "Suspect", &line);
    }
    let n_suspected = grounding.suspected.len();
    if !telling.full && n_suspected > 0 {
        let line =
            format!("{} with possible instructions to a model", labels::count(labels::number(n_suspected), "passage"));
        fact(page, "Suspect", &[trusted(Tone::Open, "⚠ "), trusted(Tone::Plain, line)]);
    }
}

/// Formats grounding counts; problems are listed last and highlighted.
fn counts(tally: &GroundingCounts) -> SpanLine {
    let mut line = vec![trusted(Tone::Quiet, format!("{} of {} turns grounded", tally.grounded, tally.turns))];
    let verbatim = if tally.verbatim == 1 { "quotation verbatim" } else { "quotations verbatim" };
    let quotes = [(tally.verbatim, verbatim, Tone::Quiet), (tally.abridged, "abridged", Tone::Quiet)];
    let faults = [
        (tally.unverified, "not found in the passage", Tone::Open),
        (tally.dangling, "cited but not provided", Tone::Open),
    ];
    for (n, what, tone) in quotes.into_iter().chain(faults).filter(|(n, ..)| *n > 0) {
        line.extend([trusted(Tone::Quiet, " · "), trusted(tone, format!("{n} {what}"))]);
    }
    line
}

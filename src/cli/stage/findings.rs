//! Sections for the regime and the cruxes of a verdict.

use crate::cli::stage::page::Page;
use crate::cli::stage::span::{Line, own, shortened};
use crate::cli::stage::style::Tone;
use crate::cli::stage::telling::{Telling, fact, title};
use crate::cli::stage::words;
use crate::events::dispute::Side;
use crate::verdicts::candidates::Level;
use crate::verdicts::cruxes::{Crux, Origin, Position};
use crate::verdicts::regime::RegimeKind;

/// Maximum number of cruxes on a card.
const CRUXES: usize = 5;
/// Maximum number of arguments listed per crux on a card.
const DEPENDENTS: usize = 6;
/// Maximum number of characters of a crux.
const STATEMENT: usize = 300;
/// Width of the column of ranks.
const RANK: usize = 3;

/// Renders the regime of the debate: its name, a plain explanation, and the reason for it.
pub fn regime(page: &mut Page, telling: &Telling) {
    let regime = &telling.verdict.regime;
    let (tone, plain) = match regime.kind {
        RegimeKind::Undetermined => (Tone::Quiet, "There is too little evidence for a verdict yet."),
        RegimeKind::Consensus => (Tone::Good, "The participants agree, and everything was examined."),
        RegimeKind::Polarized => (Tone::Bad, "The participants hold opposing positions."),
        RegimeKind::Partial => (Tone::Open, "The participants agree on some points and disagree on others."),
    };
    let name = words::capital(regime.kind.name());
    page.text(&[own(tone, name), own(Tone::Faint, " · "), own(Tone::Plain, plain)]);
    page.text(&[own(Tone::Quiet, words::sentence(&regime.reason))]);
    let coverage = regime.coverage;
    if coverage.pairs > 0 {
        page.blank();
        let mut line = words::bar(coverage.share());
        let (examined, pairs) = (words::number(coverage.examined), words::count(words::number(coverage.pairs), "pair"));
        let told = format!(" {} of {pairs} of claims across speakers", words::grouped(examined));
        line.push(own(Tone::Quiet, told));
        fact(page, "Examined", &line);
    }
    if !regime.exact {
        let warning = match regime.unknown_events {
            0 => {
                "The search for sets of compatible arguments was stopped at its limit: cruxes and camps may be \
                  missing (exact: false)."
            }
            _ => {
                "The log contains events of a newer version that this one does not know: anything may be missing \
                  (exact: false)."
            }
        };
        fact(page, "Not exact", &[own(Tone::Open, "⚠ "), own(Tone::Plain, warning)]);
    }
}

/// Renders the cruxes, in order of rank.
pub fn cruxes(page: &mut Page, telling: &Telling) {
    let cruxes = &telling.verdict.cruxes;
    title(page, "Cruxes", "what the disagreement turns on");
    if cruxes.is_empty() {
        page.text(&[own(Tone::Quiet, "None found.")]);
        return;
    }
    let most = telling.most(CRUXES);
    for (at, crux) in cruxes.iter().take(most).enumerate() {
        if at > 0 {
            page.blank();
        }
        let rank = own(Tone::Quiet, (at + 1).to_string());
        page.hang(&[], &[rank], RANK, &shortened(Tone::Plain, &crux.statement, STATEMENT));
        page.hang(&[], &[], RANK, &weight(telling, crux));
        page.hang(&[], &[], RANK, &held(telling, &crux.positions));
    }
    if cruxes.len() > most {
        page.blank();
        telling.more(page, RANK, cruxes.len() - most);
    }
    if cruxes.iter().any(|it| it.pivotality.is_some()) {
        let legend = "Bars show pivotality: the share of the answers to the topic whose acceptance would change if the \
                      crux were settled.";
        page.blank();
        page.hang(&[], &[], RANK, &[own(Tone::Quiet, legend)]);
    }
}

/// Formats who holds which side.
fn held(telling: &Telling, positions: &[Position]) -> Line {
    let mut line = Line::new();
    for side in [Side::Yes, Side::No, Side::Nuanced, Side::Undecided] {
        let mut holders: Vec<&Position> = positions.iter().filter(|it| it.side == side).collect();
        holders.sort_by_key(|it| telling.speakers.place(&it.persona));
        for (at, position) in holders.into_iter().enumerate() {
            if at > 0 {
                line.push(own(Tone::Quiet, ", "));
            } else {
                let gap = if line.is_empty() { "" } else { "\u{a0}\u{a0} " };
                line.extend([own(Tone::Plain, gap), words::side(side), own(Tone::Plain, "\u{a0}")]);
            }
            line.extend(telling.holder(&position.persona, position.turn));
        }
    }
    line
}

/// Formats pivotality and kind of a crux.
fn weight(telling: &Telling, crux: &Crux) -> Line {
    let mut line = Line::new();
    if let Some(pivotality) = crux.pivotality {
        line.extend(words::bar(pivotality));
        line.push(own(Tone::Quiet, format!("\u{a0}{} · ", words::percent(pivotality))));
    }
    match crux.origin {
        Origin::Dispute { dispute } => {
            let is_topic = telling.board.disputes.disputes.get(&dispute).is_some_and(|it| it.is_topic);
            let what = if is_topic { "the topic itself" } else { "an open question" };
            line.push(own(Tone::Quiet, format!("{what} ({dispute})")));
        }
        Origin::Acknowledged { proposal } => {
            line.push(own(Tone::Quiet, format!("agreed on as the crux ({proposal})")));
        }
        Origin::Structure { level } => {
            let what = match level {
                Level::Assumption => "assumed by ",
                Level::Premise => "a premise of ",
                Level::Claim => "claimed by ",
            };
            line.push(own(Tone::Quiet, what));
            line.extend(telling.arguments(&crux.dependents, DEPENDENTS));
        }
    }
    let told = |turn: &&_| !crux.positions.iter().any(|it| it.turn == **turn);
    let turns: Vec<String> = crux.turns.iter().filter(told).map(ToString::to_string).collect();
    if !turns.is_empty() {
        line.push(own(Tone::Quiet, format!(" · also in {}", words::listed(&turns))));
    }
    line
}

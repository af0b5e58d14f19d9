//! The regime and the cruxes of a verdict.

use crate::cli::stage::page::Page;
use crate::cli::stage::span::{Line, own, shortened};
use crate::cli::stage::style::Tone;
use crate::cli::stage::telling::{Telling, fact, title};
use crate::cli::stage::words;
use crate::events::dispute::Side;
use crate::verdicts::candidates::Level;
use crate::verdicts::cruxes::{Crux, Origin, Position};
use crate::verdicts::regime::RegimeKind;

/// The most cruxes on a card.
const CRUXES: usize = 5;
/// The most arguments named with a crux on a card.
const DEPENDENTS: usize = 6;
/// The most letters of a crux.
const STATEMENT: usize = 300;
/// Columns of a rank.
const RANK: usize = 3;

/// The state of the debate: in a word, in plain words, and on what it rests.
pub fn regime(page: &mut Page, telling: &Telling) {
    let regime = &telling.verdict.regime;
    let (tone, plain) = match regime.kind {
        RegimeKind::Undetermined => (Tone::Quiet, "Too little was found to say anything yet."),
        RegimeKind::Consensus => (Tone::Good, "They agree, and everything was looked at."),
        RegimeKind::Polarized => (Tone::Bad, "They stand against each other."),
        RegimeKind::Partial => (Tone::Open, "They agree on some of it and are split on some."),
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
                "The search for sets of arguments that can be held together was given up: cruxes and camps may be \
                  missing (exact: false)."
            }
            _ => {
                "A newer version recorded events that this one does not know: anything may be missing here \
                  (exact: false)."
            }
        };
        fact(page, "Not exact", &[own(Tone::Open, "⚠ "), own(Tone::Plain, warning)]);
    }
}

/// What the disagreement turns on, most telling first.
pub fn cruxes(page: &mut Page, telling: &Telling) {
    let cruxes = &telling.verdict.cruxes;
    title(page, "Cruxes", "what the disagreement turns on");
    if cruxes.is_empty() {
        page.text(&[own(Tone::Quiet, "None was found.")]);
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
        let legend = "A bar is pivotality: the share of the answers to the topic whose standing would change if this \
                      were settled.";
        page.blank();
        page.hang(&[], &[], RANK, &[own(Tone::Quiet, legend)]);
    }
}

/// Who stands where, side by side.
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

/// How much hangs on a crux, and what it is.
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

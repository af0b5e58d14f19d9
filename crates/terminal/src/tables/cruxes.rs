//! List of cruxes across debates, a few lines each.

use chrono::TimeDelta;

use crate::labels;
use crate::text::page::TextPage;
use crate::text::span::{SpanLine, shortened, trusted, untrusted};
use crate::text::style::{TerminalStyle, Tone};
use crate::verdict::crux_card;
use faultline_core::events::ids::DebateId;
use faultline_core::projections::crux_rooms::CruxRooms;
use faultline_core::verdicts::card::MindChange;
use faultline_core::verdicts::crux::Crux;
use faultline_core::verdicts::crux::{Position, PositionSide};

/// Width of the column of debate ids.
const NAME: usize = 10;
/// Maximum number of characters of a crux.
const MAX_STATEMENT: usize = 300;

/// Entry of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct CruxListRow {
    /// Debate of the crux.
    pub debate: DebateId,
    /// The crux.
    pub crux: Crux,
    /// Time since the crux was opened.
    pub age: TimeDelta,
}

/// Renders the cruxes in the given order; `more` tells whether the list is incomplete.
pub fn cruxes(rows: &[CruxListRow], more: bool, look: TerminalStyle) -> String {
    let mut page = TextPage::new(look);
    if rows.is_empty() {
        page.text(&[trusted(Tone::Quiet, "No crux was found.")]);
    }
    for (at, row) in rows.iter().enumerate() {
        if at > 0 {
            page.blank();
        }
        let name = [trusted(Tone::Strong, labels::short(row.debate))];
        page.hang(&[], &name, NAME, &shortened(Tone::Plain, &row.crux.question, MAX_STATEMENT));
        page.hang(&[], &[], NAME, &weight(row));
        page.hang(&[], &[], NAME, &held(&row.crux.positions));
        for change in &row.crux.card.mind_changes {
            page.hang(&[], &[], NAME, &mind_change(&row.crux, change));
        }
    }
    if more {
        page.blank();
        page.text(&[trusted(Tone::Quiet, "There are more: raise --first, or narrow the search.")]);
    }
    page.print()
}

/// Formats pivotality, kind, status and age of a crux.
fn weight(row: &CruxListRow) -> SpanLine {
    let crux = &row.crux;
    let mut line = SpanLine::new();
    if let Some(pivotality) = crux.pivotality {
        line.extend(labels::bar(pivotality));
        line.push(trusted(Tone::Quiet, format!("\u{a0}{} · ", labels::percent(pivotality))));
    }
    line.push(trusted(Tone::Quiet, crux.origin.name()));
    if !crux.open {
        line.extend([trusted(Tone::Quiet, " · "), trusted(Tone::Good, "resolved")]);
    }
    let since = labels::ago(row.age).replace(' ', "\u{a0}");
    line.push(trusted(Tone::Quiet, format!(" · {} · {since}", crux.why)));
    line
}

/// Formats what would change the mind of a participant.
fn mind_change(crux: &Crux, change: &MindChange) -> SpanLine {
    let position = crux.positions.iter().find(|position| position.persona == change.persona);
    let name = position.map_or(change.persona.as_str(), |position| position.name.as_str());
    crux_card::mind_change(vec![untrusted(Tone::Plain, name)], &change.condition, &CruxRooms::default())
}

/// Formats who holds which side.
fn held(positions: &[Position]) -> SpanLine {
    let mut line = SpanLine::new();
    for side in PositionSide::ALL {
        let holders: Vec<String> = positions
            .iter()
            .filter(|position| position.side == side)
            .map(|position| format!("{} {}{}", position.name, position.turn, position.remark()))
            .collect();
        if !holders.is_empty() {
            let gap = if line.is_empty() { "" } else { "\u{a0}\u{a0} " };
            line.extend([trusted(Tone::Plain, gap), labels::crux_side(side), trusted(Tone::Plain, "\u{a0}")]);
            line.push(trusted(Tone::Quiet, holders.join(", ")));
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    use faultline_core::events::ids::{DisputeId, TurnId};
    use faultline_core::events::imported::TurnBasis;
    use faultline_core::verdicts::card::{CruxCard, MindChangeCondition};
    use faultline_core::verdicts::crux::{CruxOrigin, PositionBasis};
    use faultline_core::verdicts::crux_id::CruxKey;

    #[test]
    fn cruxes_are_listed() {
        let dispute = DisputeId(1);
        let position = |persona: &str, side: PositionSide, turn: u32| Position {
            persona: persona.parse().expect("a persona"),
            name: persona.to_uppercase(),
            side,
            turn: TurnId(turn),
            turn_basis: if turn == 2 { TurnBasis::MatchedWords } else { TurnBasis::Stated },
            argument: None,
            words: String::new(),
            quote: None,
            basis: if turn == 3 { PositionBasis::Assumed } else { PositionBasis::Written },
        };
        let crux = Crux {
            key: CruxKey::Dispute(dispute),
            origin: CruxOrigin::Dispute { dispute },
            open: false,
            statement: "Is winter\u{1b}[2J rough?".into(),
            other_statements: Vec::new(),
            question: "Is winter\u{1b}[2J rough?".into(),
            why: "they came to one side: 1 says no".into(),
            agreed: None,
            pivotality: None,
            consequence: None,
            dependents: vec![],
            assumptions: vec![],
            attack_degree: 0,
            positions: vec![position("ada", PositionSide::Nuanced, 3), position("ben", PositionSide::No, 2)],
            turns: vec![],
            opened: TurnId(2),
            card: CruxCard {
                mind_changes: vec![MindChange {
                    persona: "ben".parse().expect("a persona"),
                    condition: MindChangeCondition::Spoken {
                        quote: "If it froze.".into(),
                        turn: TurnId(4),
                        on_crux: true,
                    },
                }],
                ..CruxCard::default()
            },
        };
        let debate = "0199c8a4-5a7e-7cc1-b5d4-6c1d2f3e4a5b".parse().expect("a debate");
        let row = CruxListRow { debate, crux, age: TimeDelta::hours(3) };
        let look = TerminalStyle { width: 160, colour: false, unicode: true };
        let text = cruxes(std::slice::from_ref(&row), true, look);
        for expected in [
            "2f3e4a5b",
            "dispute · resolved · they came to one side",
            "NO",
            "BEN t2 (in the written argument, not said aloud) (turn by matching words)",
            "ADA t3 (taken for granted, not said)",
            "If it froze.",
            "--first",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        assert!(!text.contains('\u{1b}'));
        assert!(cruxes(&[], false, look).contains("No crux was found."));
    }
}

//! Shifts: first and last stance of each participant on a dispute.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::events::dispute::Side;
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::disputes::dispute_state::Dispute;

/// Shift of a participant on one dispute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// Id of the participant.
    pub persona: PersonaId,
    /// Id of the dispute.
    pub dispute: DisputeId,
    /// First side.
    pub first: Side,
    /// Turn of the first stance.
    pub first_turn: TurnId,
    /// Last side.
    pub last: Side,
    /// Turn in which the participant took the last side, and kept it since.
    pub last_turn: TurnId,
    /// Number of changes from one side to another.
    pub changes: usize,
}

/// Kind of shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShiftKind {
    /// The last side is the first one, even if it changed in between.
    Kept,
    /// From yes to no, or from no to yes.
    Reversed,
    /// From neither to yes or no.
    Decided,
    /// From yes or no to neither, or between two sides that are neither.
    Wavered,
}

impl Shift {
    /// Compares the first with the last side, regardless of changes in between.
    pub fn kind(&self) -> ShiftKind {
        let takes = |side| matches!(side, Side::Yes | Side::No);
        match (self.first, self.last) {
            (first, last) if first == last => ShiftKind::Kept,
            (first, last) if takes(first) && takes(last) => ShiftKind::Reversed,
            (_, last) if takes(last) => ShiftKind::Decided,
            _ => ShiftKind::Wavered,
        }
    }
}

/// Finds the shift of every participant with a stance, by dispute, then by persona. Retired disputes are included,
/// since their stances were taken. Cost: linear in the stances.
pub fn shifts(disputes: &DisputeGraph) -> Vec<Shift> {
    disputes.disputes.iter().flat_map(|(id, dispute)| on(*id, dispute)).collect()
}

fn on(id: DisputeId, dispute: &Dispute) -> Vec<Shift> {
    let mut shifts: BTreeMap<&PersonaId, Shift> = BTreeMap::new();
    for (persona, stance) in &dispute.history {
        let shift = shifts.entry(persona).or_insert_with(|| Shift {
            persona: persona.clone(),
            dispute: id,
            first: stance.side,
            first_turn: stance.turn,
            last: stance.side,
            last_turn: stance.turn,
            changes: 0,
        });
        if shift.last != stance.side {
            (shift.last, shift.last_turn) = (stance.side, stance.turn);
            shift.changes += 1;
        }
    }
    shifts.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::projections::disputes::dispute_state::Stance;

    use Side::{No, Nuanced, Undecided, Yes};

    fn graph_of(stances: &[(&str, Side)]) -> DisputeGraph {
        let history = (1..).zip(stances).map(|(turn, (persona, side))| {
            let quote = Some("So.".to_owned());
            let (statement, confidence) = (None, None);
            let stance =
                Stance { side: *side, turn: TurnId(turn), statement, confidence, quote, version: 0, reading: None };
            (persona.parse().expect("a persona"), stance)
        });
        let dispute = Dispute {
            question: "Is it so?".into(),
            is_topic: false,
            stances: BTreeMap::new(),
            reported: vec![],
            contested: vec![],
            was_open: false,
            retired: None,
            horizon: None,
            criteria: vec![],
            turns: vec![],
            wordings: vec![],
            revisions: vec![],
            readings: 0,
            history: history.collect(),
            reasons: BTreeMap::new(),
        };
        let mut graph = DisputeGraph::default();
        graph.disputes.insert(DisputeId(1), dispute);
        graph
    }

    #[test]
    fn a_shift_compares_first_and_last_stance() {
        let check = |stances: &[(&str, Side)], expected: &[(&str, Side, u32, Side, u32, usize)]| {
            let found = shifts(&graph_of(stances));
            let actual: Vec<_> = found
                .iter()
                .map(|shift| {
                    (
                        shift.persona.as_str(),
                        shift.first,
                        shift.first_turn.0,
                        shift.last,
                        shift.last_turn.0,
                        shift.changes,
                    )
                })
                .collect();
            assert_eq!(actual, expected, "{stances:?}");
        };
        check(&[], &[]);
        check(&[("ada", Yes)], &[("ada", Yes, 1, Yes, 1, 0)]);
        check(&[("ada", Yes), ("ada", Yes)], &[("ada", Yes, 1, Yes, 1, 0)]);
        check(&[("ben", No), ("ada", Yes), ("ben", Yes)], &[("ada", Yes, 2, Yes, 2, 0), ("ben", No, 1, Yes, 3, 1)]);
        check(&[("ada", Yes), ("ada", No), ("ada", Yes)], &[("ada", Yes, 1, Yes, 3, 2)]);
        check(&[("ada", Yes), ("ada", No), ("ada", No)], &[("ada", Yes, 1, No, 2, 1)]);
    }

    #[test]
    fn a_shift_has_a_kind() {
        let check = |stances: &[Side], expected: ShiftKind| {
            let stances: Vec<(&str, Side)> = stances.iter().map(|side| ("ada", *side)).collect();
            let kinds: Vec<ShiftKind> = shifts(&graph_of(&stances)).iter().map(Shift::kind).collect();
            assert_eq!(kinds, [expected], "{stances:?}");
        };
        check(&[Yes], ShiftKind::Kept);
        check(&[Yes, No, Yes], ShiftKind::Kept);
        check(&[Yes, No], ShiftKind::Reversed);
        check(&[No, Nuanced, Yes], ShiftKind::Reversed);
        check(&[Undecided, No], ShiftKind::Decided);
        check(&[Yes, Nuanced], ShiftKind::Wavered);
        check(&[Nuanced, Undecided], ShiftKind::Wavered);
    }
}

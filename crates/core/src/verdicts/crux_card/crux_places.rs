//! Rooms in which cruxes were worked out.
//!
//! A crux was worked out in each room that discussed the crux's own dispute, as its question or as one of its aspects, and in
//! each room in which one of the crux's turns was taken. The same law gives the rooms of a crux and the cruxes of a room.

use crate::events::ids::{DisputeId, RoomId, TurnId};
use crate::projections::crux_rooms::{CruxRooms, Room};
use crate::verdicts::crux::{Crux, CruxOrigin};

/// Marks of a crux by which its rooms are found.
#[derive(Clone, Copy, Debug)]
pub struct CruxMarks<'a> {
    /// Dispute that is the crux; `None` for a crux of another origin.
    pub dispute: Option<DisputeId>,
    /// Turns in which it was stated or attacked.
    pub turns: &'a [TurnId],
}

impl<'a> From<&'a Crux> for CruxMarks<'a> {
    fn from(crux: &'a Crux) -> Self {
        let dispute = match crux.origin {
            CruxOrigin::Dispute { dispute } => Some(dispute),
            CruxOrigin::Acknowledged { .. } | CruxOrigin::Structure { .. } => None,
        };
        CruxMarks { dispute, turns: &crux.turns }
    }
}

impl CruxMarks<'_> {
    /// Returns the rooms in which the crux was worked out, in the order in which they were opened.
    pub fn rooms(self, rooms: &CruxRooms) -> Vec<RoomId> {
        rooms.rooms.iter().filter(|(_, room)| self.is_in(room)).map(|(id, _)| *id).collect()
    }

    /// Returns true if the crux was worked out in a room.
    pub fn is_in(self, room: &Room) -> bool {
        let is_own = room.disputes().any(|discussed| Some(discussed) == self.dispute);
        // The turns of a room are in ascending order.
        is_own || self.turns.iter().any(|turn| room.turns.binary_search(turn).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::events::crux::{RoomKind, RoomOpened};

    fn room(id: u32, dispute: Option<u32>, turns: &[u32]) -> (RoomId, Room) {
        let opened = RoomOpened {
            room: RoomId(id),
            kind: RoomKind::Thread,
            parent: None,
            question: "Is it so?".to_owned(),
            dispute: dispute.map(DisputeId),
            participants: Vec::new(),
            turns: Vec::new(),
            candidate: None,
            reason: None,
        };
        let room = Room {
            opened,
            version: 1,
            at: DateTime::UNIX_EPOCH,
            turns: turns.iter().map(|turn| TurnId(*turn)).collect(),
            stances: std::collections::BTreeMap::new(),
            aspects: None,
            stages: Vec::new(),
            steelmen: Vec::new(),
            exit_checks: Vec::new(),
            speakers: Vec::new(),
            closed: None,
        };
        (RoomId(id), room)
    }

    #[test]
    fn a_crux_is_in_the_rooms_of_its_dispute_and_of_its_turns() {
        let mut rooms = CruxRooms::default();
        rooms.rooms.extend([room(1, Some(2), &[3, 5]), room(2, None, &[4, 7]), room(3, Some(3), &[])]);
        let check = |dispute: Option<u32>, turns: &[u32], expected: &[u32]| {
            let turns: Vec<TurnId> = turns.iter().map(|turn| TurnId(*turn)).collect();
            let marks = CruxMarks { dispute: dispute.map(DisputeId), turns: &turns };
            let expected: Vec<RoomId> = expected.iter().map(|id| RoomId(*id)).collect();
            assert_eq!(marks.rooms(&rooms), expected, "{dispute:?} {turns:?}");
        };
        check(Some(2), &[], &[1]);
        check(Some(2), &[1, 7], &[1, 2]);
        check(None, &[5], &[1]);
        check(None, &[1, 6], &[]);
        // A room without a dispute is not the room of a crux without one.
        check(None, &[], &[]);
        check(Some(3), &[3, 4], &[1, 2, 3]);
        check(Some(9), &[2], &[]);
    }
}

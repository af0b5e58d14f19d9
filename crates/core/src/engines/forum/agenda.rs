//! The agenda: the open questions that divide the participants most.
//!
//! A question divides by the smaller of its sides, the yes and the no; of equal ones, the question to which more of the
//! latest turns belong comes first, then the older one. The topic is never on the agenda: it is what all talk is about.

use crate::engines::talk::state::Talk;
use crate::events::channel::AgendaSet;
use crate::events::dispute::Side;
use crate::events::ids::DisputeId;
use crate::projections::crux_rooms::CruxRooms;
use crate::projections::disputes::dispute_state::Dispute;

/// Number of latest turns that count.
const LATEST: usize = 8;

/// How much a dispute divides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Division {
    dispute: DisputeId,
    n_yes: usize,
    n_no: usize,
    n_latest: usize,
}

/// Returns the agenda of a moment, with at most `most` questions.
pub fn agenda(talk: &Talk, rooms: &CruxRooms, most: usize) -> AgendaSet {
    let n_read = talk.participant_turns().count().min(LATEST);
    let open = talk.disputes.not_retired().filter(|(_, dispute)| !dispute.is_topic && dispute.is_split());
    let mut divisions: Vec<Division> = open.map(|(id, dispute)| division(talk, rooms, id, dispute)).collect();
    // The sort is stable: of equal ones, the older one comes first.
    divisions.sort_by_key(|it| std::cmp::Reverse((it.n_yes.min(it.n_no), it.n_latest)));
    divisions.truncate(most);
    let told = |it: &Division| {
        let Division { dispute, n_yes, n_no, n_latest } = it;
        format!(
            "{dispute} has {n_yes} for yes and {n_no} for no; {n_latest} of the latest {n_read} turns are in its thread or take \
             a side on it"
        )
    };
    let told: Vec<String> = divisions.iter().map(told).collect();
    let reason = if told.is_empty() { "no question has both a yes and a no".to_owned() } else { told.join(". ") };
    AgendaSet { disputes: divisions.into_iter().map(|it| it.dispute).collect(), reason }
}

fn division(talk: &Talk, rooms: &CruxRooms, id: DisputeId, dispute: &Dispute) -> Division {
    let count = |side: Side| dispute.stances.values().filter(|stance| stance.side == side).count();
    let is_in_room = |room| rooms.rooms.get(&room).is_some_and(|room| room.opened.dispute == Some(id));
    let latest = talk.participant_turns().rev().take(LATEST);
    let of_it = latest.filter(|turn| {
        turn.room.is_some_and(is_in_room) || dispute.stances.values().any(|stance| stance.turn == turn.turn)
    });
    Division { dispute: id, n_yes: count(Side::Yes), n_no: count(Side::No), n_latest: of_it.count() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::replies::decode::{StatedSide, noted, stance};
    use crate::engines::talk::sample::{persona, talk};
    use crate::events::dispute::DisputeRaised;
    use crate::events::event::Event;
    use crate::events::ids::TurnId;

    /// Returns the agenda of a talk of four in which disputes have stances: for each, `ada+` says yes, `ben-` says no.
    fn of(disputes: &[&[(&str, u32)]], most: usize) -> (Vec<u32>, String) {
        let mut talk = talk(&["ada", "ben", "cleo", "dan"], &["ada: a", "ben: b", "cleo: c", "dan: d"]);
        for (at, stances) in disputes.iter().enumerate() {
            let dispute = DisputeId(at as u32 + 1);
            let raised = DisputeRaised::bare(dispute, format!("Is it number {at}?"), at == 0);
            talk.evolve(&noted(&Event::DisputeRaised(raised)));
            for (stated, turn) in *stances {
                let side = if stated.ends_with('+') { Side::Yes } else { Side::No };
                let position = StatedSide { dispute, side, confidence: None, words: "so".to_owned() };
                let speaker = persona(stated.trim_end_matches(['+', '-']));
                let events = stance(&talk.disputes, &speaker, TurnId(*turn), position);
                events.iter().for_each(|event| talk.evolve(&noted(event)));
            }
        }
        let set = agenda(&talk, &CruxRooms::default(), most);
        (set.disputes.into_iter().map(|id| id.0).collect(), set.reason)
    }

    #[test]
    fn the_questions_that_divide_most_are_in_focus() {
        let topic = &[("ada+", 1), ("ben-", 2), ("cleo+", 3), ("dan-", 4)][..];
        let agreed = &[("ada+", 1), ("ben+", 2)][..];
        let one_each = &[("ada+", 1), ("ben-", 2)][..];
        let two_each = topic;
        let check = |disputes: &[&[(&str, u32)]], most: usize, expected: &[u32]| {
            assert_eq!(of(disputes, most).0, expected, "{disputes:?}");
        };
        check(&[topic], 2, &[]);
        check(&[topic, agreed], 2, &[]);
        check(&[topic, one_each, two_each], 2, &[3, 2]);
        check(&[topic, one_each, two_each], 1, &[3]);
        check(&[topic, one_each, one_each, one_each], 2, &[2, 3]);
        // Of equal ones, that to which more of the latest turns belong comes first.
        check(&[topic, one_each, &[("ada+", 1), ("ben-", 2), ("cleo+", 3)]], 2, &[3, 2]);
        assert_eq!(
            of(&[topic, one_each], 2).1,
            "d2 has 1 for yes and 1 for no; 2 of the latest 4 turns are in its thread or take a side on it"
        );
        assert_eq!(of(&[topic], 2).1, "no question has both a yes and a no");
    }
}

//! Seating: tables of three to five, and the final table.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::events::dispute::Side;
use crate::events::ids::{DisputeId, PersonaId};
use crate::projections::disputes::dispute_state::Dispute;
use crate::verdicts::disagreement::stance_measures::stance_measures;

/// Minimum number of participants at a table, if there are several.
const FEWEST: usize = 3;
/// Maximum number of participants at the final table.
const FINAL_SEATS: usize = 5;

/// Assigns participants to tables of about `size`: one table for fewer than six, otherwise as many as are needed, with at
/// least three at each. The seed decides who sits where; at a table, the order of participants stays.
pub fn tables(participants: &[PersonaId], size: usize, seed: u64) -> Vec<Vec<PersonaId>> {
    let n = participants.len();
    let n_tables = n.div_ceil(size.max(FEWEST)).min(n / FEWEST).max(1);
    let mut drawn: Vec<&PersonaId> = participants.iter().collect();
    drawn.sort_by_key(|participant| (draw(seed, participant), (*participant).clone()));
    let table_of: BTreeMap<&PersonaId, usize> =
        drawn.into_iter().enumerate().map(|(place, participant)| (participant, place % n_tables)).collect();
    let at = |table: usize| participants.iter().filter(|it| table_of.get(it) == Some(&table)).cloned().collect();
    (0..n_tables).map(at).collect()
}

fn draw(seed: u64, participant: &PersonaId) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update(participant.as_str().as_bytes());
    hash.finalize().into()
}

/// Disputes for the final table: those to which one of these participants says yes and another no, the most evenly divided
/// first: those with the largest share on the smaller side, by confidence; of equal ones the older. At most `most`.
pub fn dividing<'a>(
    disputes: impl Iterator<Item = (DisputeId, &'a Dispute)>,
    participants: &[PersonaId],
    most: usize,
) -> Vec<DisputeId> {
    let held = |dispute: &'a Dispute| participants.iter().filter_map(|participant| dispute.stances.get(participant));
    let on = |dispute: &'a Dispute, side: Side| held(dispute).any(|stance| stance.side == side);
    let is_split = |dispute: &'a Dispute| on(dispute, Side::Yes) && on(dispute, Side::No);
    let divided = disputes.filter(|(_, dispute)| !dispute.is_topic && is_split(dispute));
    let smaller = |dispute: &'a Dispute| stance_measures(held(dispute)).map_or(0.0, |it| it.yes.min(it.no));
    let mut weighed: Vec<(f64, DisputeId)> = divided.map(|(id, dispute)| (smaller(dispute), id)).collect();
    // The sort is stable: of equal ones, the older one comes first.
    weighed.sort_by(|one, other| other.0.total_cmp(&one.0));
    weighed.into_iter().take(most).map(|(_, id)| id).collect()
}

/// Participants of the final table: for each dispute in turn, the most confident yes and the most confident no that have no
/// seat yet, until five are seated; of equally confident ones, the first in speaking order. Returned in speaking order.
pub fn representatives(disputes: &[&Dispute], participants: &[PersonaId]) -> Vec<PersonaId> {
    let mut seated: Vec<&PersonaId> = Vec::new();
    loop {
        let before = seated.len();
        for (dispute, side) in disputes.iter().flat_map(|dispute| [(dispute, Side::Yes), (dispute, Side::No)]) {
            let free = participants.iter().filter(|participant| !seated.contains(participant));
            let on_side = free.filter_map(|participant| {
                let stance = dispute.stances.get(participant).filter(|stance| stance.side == side)?;
                Some((stance.confidence.unwrap_or(1.0), participant))
            });
            // Of equals, `max_by` takes the last.
            let most = on_side.collect::<Vec<_>>().into_iter().rev().max_by(|one, other| one.0.total_cmp(&other.0));
            seated.extend(most.filter(|_| seated.len() < FINAL_SEATS).map(|(_, participant)| participant));
        }
        if seated.len() == before || seated.len() >= FINAL_SEATS {
            break;
        }
    }
    participants.iter().filter(|participant| seated.contains(participant)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::dispute::DisputeRaised;
    use crate::events::ids::TurnId;
    use crate::projections::disputes::dispute_state::Stance;

    fn people(n: usize) -> Vec<PersonaId> {
        (1..=n).map(|number| format!("p{number:02}").parse().expect("an id")).collect()
    }

    /// Builds a dispute from stances such as `p01 yes 0.8`.
    fn dispute(told: &str) -> Dispute {
        let mut dispute = Dispute::raised(&DisputeRaised::bare(DisputeId(2), "Is it so?", false));
        for told in told.split(", ") {
            let words: Vec<&str> = told.split(' ').collect();
            let side = if words[1] == "yes" { Side::Yes } else { Side::No };
            let confidence = words.get(2).map(|share| share.parse().expect("a share"));
            let (turn, statement, quote, version, reading) = (TurnId(1), None, None, 1, None);
            let stance = Stance { side, turn, statement, confidence, quote, version, reading };
            dispute.stances.insert(words[0].parse().expect("an id"), stance);
        }
        dispute
    }

    #[test]
    fn tables_have_three_to_five_seats_and_everybody_has_one() {
        for (n, size, expected) in [
            (2, 5, vec![2]),
            (5, 3, vec![5]),
            (6, 5, vec![3, 3]),
            (7, 3, vec![4, 3]),
            (8, 4, vec![4, 4]),
            (9, 3, vec![3, 3, 3]),
            (11, 5, vec![4, 4, 3]),
            (12, 5, vec![4, 4, 4]),
            (12, 4, vec![4, 4, 4]),
            (12, 3, vec![3, 3, 3, 3]),
        ] {
            let seated = tables(&people(n), size, 7);
            assert_eq!(seated.iter().map(Vec::len).collect::<Vec<_>>(), expected, "{n} in tables of {size}");
            let mut all: Vec<PersonaId> = seated.into_iter().flatten().collect();
            all.sort();
            assert_eq!(all, people(n));
        }
    }

    #[test]
    fn the_seed_decides_who_sits_where() {
        let seatings: std::collections::BTreeSet<_> = (0..20).map(|seed| tables(&people(6), 3, seed)).collect();
        assert!(seatings.len() > 5, "{seatings:?}");
        assert_eq!(tables(&people(9), 3, 4), tables(&people(9), 3, 4));
    }

    #[test]
    fn the_most_divisive_disputes_come_first() {
        let disputes = [
            (DisputeId(2), dispute("p01 yes, p02 yes")),
            (DisputeId(3), dispute("p01 yes, p02 yes, p03 no")),
            (DisputeId(4), dispute("p01 yes, p02 no")),
            (DisputeId(5), dispute("p01 yes 0.9, p02 no 0.9")),
        ];
        let all = || disputes.iter().map(|(id, dispute)| (*id, dispute));
        assert_eq!(dividing(all(), &people(3), 5), [DisputeId(4), DisputeId(5), DisputeId(3)]);
        assert_eq!(dividing(all(), &people(3), 1), [DisputeId(4)]);
        assert_eq!(dividing(all(), &people(1), 5), []);
    }

    #[test]
    fn the_final_table_seats_the_most_confident_of_each_side() {
        let check = |told: &[&str], expected: &[&str]| {
            let disputes: Vec<Dispute> = told.iter().map(|told| dispute(told)).collect();
            let seated = representatives(&disputes.iter().collect::<Vec<_>>(), &people(7));
            let seated: Vec<&str> = seated.iter().map(PersonaId::as_str).collect();
            assert_eq!(seated, expected, "{told:?}");
        };
        check(&["p01 yes 0.4, p02 yes 0.9, p03 no 0.2"], &["p01", "p02", "p03"]);
        check(&["p01 yes, p02 no, p03 yes, p04 no, p05 yes, p06 no"], &["p01", "p02", "p03", "p04", "p05"]);
        check(&["p01 yes, p02 no", "p06 yes 0.5, p07 no, p02 no"], &["p01", "p02", "p06", "p07"]);
        check(&[], &[]);
    }
}

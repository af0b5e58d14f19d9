//! Minimum hitting sets, by depth-first search.

/// Finds a smallest set of bits that shares one with each of `sets`; of several, the first in order. `None` if one of
/// the sets is empty.
///
/// Exponential in the worst case in the number of bits in use; no subset is tried twice. Supersets of other sets are
/// dropped first, quadratic in their number.
pub fn smallest_hitting(sets: Vec<u32>) -> Option<u32> {
    let mut needed = sets;
    needed.sort_unstable_by_key(|set| (set.count_ones(), *set));
    needed.dedup();
    if needed.first() == Some(&0) {
        return None;
    }
    let mut minimal: Vec<u32> = Vec::new();
    for set in needed {
        if !minimal.iter().any(|within| within & !set == 0) {
            minimal.push(set);
        }
    }
    (0..=u32::BITS).find_map(|most| hit(&minimal, 0, 0, most))
}

/// Finds a set that contains `chosen`, excludes `refused` and hits all sets with at most `most` more bits.
fn hit(sets: &[u32], chosen: u32, refused: u32, most: u32) -> Option<u32> {
    let Some(&missed) = sets.iter().find(|&set| set & chosen == 0) else { return Some(chosen) };
    if most == 0 {
        return None;
    }
    let mut refused = refused;
    let mut open = missed & !refused;
    while open != 0 {
        let bit = open & open.wrapping_neg();
        if let Some(found) = hit(sets, chosen | bit, refused, most - 1) {
            return Some(found);
        }
        // All sets with this bit were tried.
        refused |= bit;
        open &= !bit;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smallest_hitting_sets_are_found() {
        fn check(sets: &[u32], expected: Option<u32>) {
            assert_eq!(smallest_hitting(sets.to_vec()), expected, "{sets:?}");
        }
        check(&[], Some(0));
        check(&[0], None);
        check(&[0b1, 0], None);
        check(&[0b100], Some(0b100));
        check(&[0b011, 0b110], Some(0b010));
        check(&[0b011, 0b101, 0b110], Some(0b011));
        check(&[0b11, 0b11, 0b111], Some(0b01));
        check(&[0b1, 0b10, 0b1000_0000], Some(0b1000_0011));
    }

    #[test]
    fn no_smaller_set_hits() {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 8
        };
        for _ in 0..300 {
            let sets: Vec<u32> = (0..next() % 12).map(|_| 1 << (next() % 10) | (next() & next() & 0x3FF)).collect();
            let hits = |chosen: u32| sets.iter().all(|set| set & chosen != 0);
            let least = (0..1_u32 << 10).filter(|&chosen| hits(chosen)).map(u32::count_ones).min();
            let found = smallest_hitting(sets.clone()).expect("none is empty");
            assert!(hits(found) && Some(found.count_ones()) == least, "{sets:?}");
        }
    }
}

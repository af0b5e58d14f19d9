//! Elimination orders: orders of decisions on arguments that split the rest.

use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Number of neighbours above which an eliminated argument's neighbours are not joined.
const MAX_WIDTH: usize = 24;

/// Elimination order of `0..len`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elimination {
    /// Position of each argument. Those that come last separate most: deciding them first leaves small pieces.
    pub places: Vec<u32>,
    /// Largest number of neighbours of an argument at its elimination. The smaller the width, the better the rest
    /// splits: the number of different pieces is at most exponential in it.
    pub width: usize,
}

/// Computes the minimum degree order (Tinney and Walker 1967): eliminates the argument with the fewest neighbours,
/// joins its neighbours, and repeats.
///
/// `pairs` are neighbours, in any direction and order. Once every remaining argument has more than 24 neighbours, the
/// order follows the number of neighbours. Time: linear in the pairs, plus at most the square of that bound per
/// argument.
pub fn eliminate(len: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Elimination {
    let mut neighbours = vec![Vec::new(); len];
    for (a, b) in pairs.into_iter().filter(|(a, b)| a != b) {
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    for others in &mut neighbours {
        others.sort_unstable();
        others.dedup();
    }
    let mut queue: BTreeSet<(usize, usize)> = neighbours.iter().map(Vec::len).zip(0..).collect();
    let mut elimination = Elimination { places: vec![0; len], width: 0 };
    let mut place = 0;
    let mut union = Vec::new();
    while let Some((degree, next)) = queue.pop_first() {
        elimination.places[next] = place;
        elimination.width = elimination.width.max(degree);
        place += 1;
        if degree > MAX_WIDTH {
            continue;
        }
        let joined = std::mem::take(&mut neighbours[next]);
        for &one in &joined {
            let others = &mut neighbours[one];
            queue.remove(&(others.len(), one));
            unite(others, &joined, &mut union);
            union.retain(|&other| other != one && other != next);
            std::mem::swap(others, &mut union);
            queue.insert((others.len(), one));
        }
    }
    elimination
}

/// Writes the union of two ascending lists to `union`, ascending.
fn unite(mut a: &[usize], mut b: &[usize], union: &mut Vec<usize>) {
    union.clear();
    while let ([first, a_rest @ ..], [second, b_rest @ ..]) = (a, b) {
        union.push(*first.min(second));
        (a, b) = match first.cmp(second) {
            Ordering::Less => (a_rest, b),
            Ordering::Equal => (a_rest, b_rest),
            Ordering::Greater => (a, b_rest),
        };
    }
    union.extend_from_slice(a);
    union.extend_from_slice(b);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separating_arguments_come_last() {
        fn check(len: usize, pairs: &[(usize, usize)], places: &[u32], width: usize) {
            let expected = Elimination { places: places.to_vec(), width };
            assert_eq!(eliminate(len, pairs.iter().copied()), expected, "{pairs:?}");
        }
        check(0, &[], &[], 0);
        check(3, &[], &[0, 1, 2], 0);
        check(4, &[(0, 0), (0, 1), (1, 0)], &[2, 3, 0, 1], 1);
        // A star: its centre, and a leaf that is equivalent by then.
        check(4, &[(0, 1), (0, 2), (0, 3)], &[2, 0, 1, 3], 1);
        // Two triangles that share 2.
        check(5, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)], &[0, 1, 2, 3, 4], 2);
    }

    #[test]
    fn a_dense_core_is_ordered_by_degree() {
        let clique = (0..40).flat_map(|a| (0..a).map(move |b| (a, b)));
        let Elimination { places, width } = eliminate(41, clique.chain([(40, 7)]));
        assert_eq!((places[40], places[0], places[39], places[7], width), (0, 1, 40, 8, 39));
    }
}

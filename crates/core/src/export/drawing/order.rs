//! Order of the members of each row, chosen to avoid crossings.

use std::collections::BTreeMap;

use crate::export::drawing::layers::Layers;

/// Maximum number of sweeps over all rows.
const MAX_SWEEPS: usize = 24;
/// Number of sweeps without improvement after which the search stops.
const MAX_IDLE_SWEEPS: usize = 4;
/// Largest row in which neighbours are swapped; swapping takes quadratic time.
const MAX_PAIRED: usize = 120;

/// Orders the members of each row by the barycentre of their neighbours in the adjacent row (Sugiyama et al. 1981),
/// downward and upward in turn, then swaps neighbours while that reduces crossings. Keeps the best order found.
pub fn order(layers: &mut Layers) {
    let neighbours = Neighbours::of(layers);
    let depths = depths(layers);
    layers.rows.iter_mut().for_each(|row| spread(row, &depths));
    let (mut best, mut fewest, mut idle) = (layers.rows.clone(), usize::MAX, 0);
    let mut places = vec![0; layers.members];
    for sweep in 0..MAX_SWEEPS {
        note(&layers.rows, &mut places);
        if sweep % 2 == 0 {
            (1..layers.rows.len()).for_each(|row| sort(&mut layers.rows[row], &neighbours.above, &mut places));
        } else {
            (0..layers.rows.len()).rev().for_each(|row| sort(&mut layers.rows[row], &neighbours.below, &mut places));
        }
        (0..layers.rows.len()).for_each(|row| swap(&mut layers.rows[row], &neighbours, &mut places));
        let crossings =
            (0..layers.rows.len()).map(|row| crossings(&layers.rows[row], &neighbours.above, &places)).sum();
        idle += 1;
        if crossings < fewest {
            (best, fewest, idle) = (layers.rows.clone(), crossings, 0);
        }
        if fewest == 0 || idle > MAX_IDLE_SWEEPS {
            break;
        }
    }
    layers.rows = best;
}

/// Number of rows from each dummy node to the end of its edge; 0 for boxes.
fn depths(layers: &Layers) -> Vec<usize> {
    let mut depths = vec![0; layers.members];
    for strand in &layers.chains {
        let inner = strand.iter().enumerate().take(strand.len() - 1).skip(1);
        inner.for_each(|(place, member)| depths[*member] = strand.len() - 1 - place);
    }
    depths
}

/// Interleaves members of different depth evenly in the initial order, so that edges pass between boxes and not all
/// beside them.
fn spread(row: &mut [usize], depths: &[usize]) {
    let mut lens: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    row.iter().for_each(|member| lens.entry(depths[*member]).or_default().1 += 1);
    let share = |member: usize| {
        let (met, len) = lens.entry(depths[member]).or_default();
        *met += 1;
        ((2 * *met - 1) as f64 / (2 * *len) as f64, member)
    };
    let mut shares: Vec<(f64, usize)> = row.iter().copied().map(share).collect();
    shares.sort_by(|a, b| a.0.total_cmp(&b.0));
    row.iter_mut().zip(shares).for_each(|(place, (_, member))| *place = member);
}

/// Neighbours of each member in the row above and the row below.
#[derive(Clone, Debug)]
pub struct Neighbours {
    /// Neighbours in the row above.
    pub above: Vec<Vec<usize>>,
    /// Neighbours in the row below.
    pub below: Vec<Vec<usize>>,
}

impl Neighbours {
    /// Collects the neighbours of all members.
    pub fn of(layers: &Layers) -> Self {
        let mut found = Self { above: vec![Vec::new(); layers.members], below: vec![Vec::new(); layers.members] };
        for pair in layers.chains.iter().flat_map(|chain| chain.windows(2)) {
            found.below[pair[0]].push(pair[1]);
            found.above[pair[1]].push(pair[0]);
        }
        found
    }
}

fn note(rows: &[Vec<usize>], places: &mut [usize]) {
    for row in rows {
        row.iter().enumerate().for_each(|(place, member)| places[*member] = place);
    }
}

fn sort(row: &mut [usize], neighbours: &[Vec<usize>], places: &mut [usize]) {
    let centre = |member: usize| {
        let around = &neighbours[member];
        let sum: usize = around.iter().map(|neighbour| places[*neighbour]).sum();
        // In thousandths, to have an ordered type. A member without neighbours keeps its place.
        if around.is_empty() { places[member] * 1_000 } else { sum * 1_000 / around.len() }
    };
    let mut keyed: Vec<(usize, usize)> = row.iter().map(|member| (centre(*member), *member)).collect();
    keyed.sort_by_key(|(centre, _)| *centre);
    for (place, (_, member)) in keyed.into_iter().enumerate() {
        row[place] = member;
        places[member] = place;
    }
}

/// Swaps adjacent members while that reduces crossings.
fn swap(row: &mut [usize], neighbours: &Neighbours, places: &mut [usize]) {
    if row.len() > MAX_PAIRED {
        return;
    }
    for _ in 0..3 {
        let mut bettered = false;
        for place in 1..row.len() {
            let (left, right) = (row[place - 1], row[place]);
            let cost = |one: usize, other: usize| {
                [&neighbours.above, &neighbours.below]
                    .map(|side| inversions(&side[one], &side[other], places))
                    .iter()
                    .sum()
            };
            let (now, then): (usize, usize) = (cost(left, right), cost(right, left));
            if then < now {
                row.swap(place - 1, place);
                places.swap(left, right);
                bettered = true;
            }
        }
        if !bettered {
            return;
        }
    }
}

/// Number of crossings between the edges of the left member and those of the right member.
fn inversions(left: &[usize], right: &[usize], places: &[usize]) -> usize {
    left.iter().map(|one| right.iter().filter(|other| places[**other] < places[*one]).count()).sum()
}

/// Number of crossings between a row and the one above.
fn crossings(row: &[usize], above: &[Vec<usize>], places: &[usize]) -> usize {
    let mut ends: Vec<usize> = Vec::new();
    let mut crossings = 0;
    for member in row {
        let mut upper: Vec<usize> = above[*member].iter().map(|neighbour| places[*neighbour]).collect();
        upper.sort_unstable();
        // `ends` is sorted: every end to the right of this upper end is a crossing.
        crossings += upper.iter().map(|place| ends.len() - ends.partition_point(|end| end <= place)).sum::<usize>();
        for end in upper {
            ends.insert(ends.partition_point(|place| *place <= end), end);
        }
    }
    crossings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::drawing::layers::layers;

    #[test]
    fn avoidable_crossings_are_removed() {
        fn check(boxes: usize, lines: &[(usize, usize)], left: usize) {
            let mut layers = layers(boxes, lines, 9);
            order(&mut layers);
            let mut places = vec![0; layers.members];
            note(&layers.rows, &mut places);
            let above = Neighbours::of(&layers).above;
            let found: usize = layers.rows.iter().map(|row| crossings(row, &above, &places)).sum();
            assert_eq!(found, left, "{lines:?}: {:?}", layers.rows);
        }
        check(0, &[], 0);
        check(4, &[(0, 3), (1, 2)], 0);
        check(6, &[(0, 5), (1, 4), (2, 3)], 0);
        check(7, &[(0, 3), (0, 4), (1, 5), (1, 6), (2, 3), (2, 6)], 0);
        // Two above and two below, all connected: one crossing is necessary. Three and three: nine.
        check(4, &[(0, 2), (0, 3), (1, 2), (1, 3)], 1);
        let all: Vec<(usize, usize)> = (0..3).flat_map(|a| (3..6).map(move |b| (a, b))).collect();
        check(6, &all, 9);
    }
}

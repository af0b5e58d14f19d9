//! Left to right in each row, so that lines cross little.

use std::collections::BTreeMap;

use crate::export::layout::layers::Layers;

/// How often all rows are gone through, at most.
const MAX_SWEEPS: usize = 24;
/// How many sweeps may bring nothing before it is left at that.
const MAX_IDLE_SWEEPS: usize = 4;
/// Rows with more members than this are not bettered pair by pair: it would take long.
const MAX_PAIRED: usize = 120;

/// Orders the members of each row by where their neighbours in the row before are (barycentres: Sugiyama et al. 1981),
/// downward and upward in turn, then swaps neighbours while that helps; the best order that was met is kept.
pub fn order(layers: &mut Layers) {
    let neighbours = Neighbours::of(layers);
    let depths = depths(layers);
    layers.rows.iter_mut().for_each(|it| spread(it, &depths));
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

/// How many rows below each member its strand ends: 0 for boxes.
fn depths(layers: &Layers) -> Vec<usize> {
    let mut depths = vec![0; layers.members];
    for strand in &layers.strands {
        let inner = strand.iter().enumerate().take(strand.len() - 1).skip(1);
        inner.for_each(|(place, member)| depths[*member] = strand.len() - 1 - place);
    }
    depths
}

/// Mixes what is of different depth evenly: where nothing else tells them apart, lines pass between boxes and not all
/// beside them.
fn spread(row: &mut [usize], depths: &[usize]) {
    let mut lens: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    row.iter().for_each(|it| lens.entry(depths[*it]).or_default().1 += 1);
    let share = |member: usize| {
        let (met, len) = lens.entry(depths[member]).or_default();
        *met += 1;
        ((2 * *met - 1) as f64 / (2 * *len) as f64, member)
    };
    let mut shares: Vec<(f64, usize)> = row.iter().copied().map(share).collect();
    shares.sort_by(|a, b| a.0.total_cmp(&b.0));
    row.iter_mut().zip(shares).for_each(|(place, (_, member))| *place = member);
}

/// What each member is joined with in the row above, and in the row below.
#[derive(Clone, Debug)]
pub struct Neighbours {
    /// In the row above.
    pub above: Vec<Vec<usize>>,
    /// In the row below.
    pub below: Vec<Vec<usize>>,
}

impl Neighbours {
    /// Those of all members.
    pub fn of(layers: &Layers) -> Self {
        let mut found = Self { above: vec![Vec::new(); layers.members], below: vec![Vec::new(); layers.members] };
        for pair in layers.strands.iter().flat_map(|it| it.windows(2)) {
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
        let sum: usize = around.iter().map(|it| places[*it]).sum();
        // In parts of a thousand, so that it can be ordered; a member that is joined with nothing stays where it is.
        if around.is_empty() { places[member] * 1_000 } else { sum * 1_000 / around.len() }
    };
    let mut keyed: Vec<(usize, usize)> = row.iter().map(|it| (centre(*it), *it)).collect();
    keyed.sort_by_key(|(centre, _)| *centre);
    for (place, (_, member)) in keyed.into_iter().enumerate() {
        row[place] = member;
        places[member] = place;
    }
}

/// Swaps members side by side while fewer lines cross that way.
fn swap(row: &mut [usize], neighbours: &Neighbours, places: &mut [usize]) {
    if row.len() > MAX_PAIRED {
        return;
    }
    for _ in 0..3 {
        let mut bettered = false;
        for place in 1..row.len() {
            let (left, right) = (row[place - 1], row[place]);
            let cost = |one: usize, other: usize| {
                [&neighbours.above, &neighbours.below].map(|it| inversions(&it[one], &it[other], places)).iter().sum()
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

/// How often a line of the left one crosses a line of the right one.
fn inversions(left: &[usize], right: &[usize], places: &[usize]) -> usize {
    left.iter().map(|one| right.iter().filter(|other| places[**other] < places[*one]).count()).sum()
}

/// How many lines cross between a row and the one above.
fn crossings(row: &[usize], above: &[Vec<usize>], places: &[usize]) -> usize {
    let mut ends: Vec<usize> = Vec::new();
    let mut crossings = 0;
    for member in row {
        let mut upper: Vec<usize> = above[*member].iter().map(|it| places[*it]).collect();
        upper.sort_unstable();
        // `ends` is sorted: what lies to the right of an upper end is crossed.
        crossings += upper.iter().map(|it| ends.len() - ends.partition_point(|end| end <= it)).sum::<usize>();
        for end in upper {
            ends.insert(ends.partition_point(|it| *it <= end), end);
        }
    }
    crossings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::layout::layers::layers;

    #[test]
    fn crossings_are_taken_out() {
        fn check(boxes: usize, lines: &[(usize, usize)], left: usize) {
            let mut layers = layers(boxes, lines, 9);
            order(&mut layers);
            let mut places = vec![0; layers.members];
            note(&layers.rows, &mut places);
            let above = Neighbours::of(&layers).above;
            let found: usize = layers.rows.iter().map(|it| crossings(it, &above, &places)).sum();
            assert_eq!(found, left, "{lines:?}: {:?}", layers.rows);
        }
        check(0, &[], 0);
        check(4, &[(0, 3), (1, 2)], 0);
        check(6, &[(0, 5), (1, 4), (2, 3)], 0);
        check(7, &[(0, 3), (0, 4), (1, 5), (1, 6), (2, 3), (2, 6)], 0);
        // Two above, two below, all joined: one crossing is needed; three and three: nine.
        check(4, &[(0, 2), (0, 3), (1, 2), (1, 3)], 1);
        let all: Vec<(usize, usize)> = (0..3).flat_map(|a| (3..6).map(move |b| (a, b))).collect();
        check(6, &all, 9);
    }
}

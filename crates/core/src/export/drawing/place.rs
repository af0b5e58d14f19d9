//! Horizontal position of each member of a row.

use crate::export::drawing::layers::Layers;
use crate::export::drawing::order::Neighbours;

/// Number of sweeps over all rows.
const SWEEPS: usize = 32;
/// Weight of the pull between two dummy nodes, relative to a box; it keeps long edges straight.
const STRAIGHTNESS: f64 = 6.0;
/// Maximum distance by which a member is moved to make an edge straight.
const MAX_SNAP: f64 = 48.0;

/// Returns the centre of each member. Members keep the order of their row and a distance of at least their half widths
/// and `gap`, and otherwise are as near to their neighbours as possible.
///
/// Minimises, row by row and downward and upward in turn, the squared distances to the mean of the neighbours. With
/// minimum distances that is isotonic regression, which pooling of adjacent violators solves exactly (Ayer et al.
/// 1955).
pub fn place(layers: &Layers, widths: &[f64], gap: f64) -> Vec<f64> {
    let neighbours = Neighbours::of(layers);
    let mut middles = vec![0.0; layers.members];
    for row in &layers.rows {
        let wanted: Vec<f64> = row.iter().map(|_| 0.0).collect();
        settle(row, &wanted, &vec![1.0; row.len()], widths, gap, &mut middles);
    }
    for sweep in 0..SWEEPS {
        let mut rows: Vec<usize> = (0..layers.rows.len()).collect();
        if sweep % 2 == 1 {
            rows.reverse();
        }
        // The last sweeps use the neighbours on both sides, so that neither side is neglected.
        let both = sweep + 4 >= SWEEPS;
        for row in rows {
            let members = &layers.rows[row];
            let pull = |member: usize| {
                let none = Vec::new();
                let above = if both || sweep % 2 == 0 { &neighbours.above[member] } else { &none };
                let below = if both || sweep % 2 == 1 { &neighbours.below[member] } else { &none };
                let (mut sum, mut weight) = (0.0, 0.0);
                for other in above.iter().chain(below) {
                    let is_strand = member >= layers.boxes && *other >= layers.boxes;
                    let strength = if is_strand { STRAIGHTNESS } else { 1.0 };
                    (sum, weight) = (sum + strength * middles[*other], weight + strength);
                }
                if weight == 0.0 { (middles[member], 0.1) } else { (sum / weight, weight) }
            };
            let (wanted, weights): (Vec<f64>, Vec<f64>) = members.iter().map(|member| pull(*member)).unzip();
            settle(members, &wanted, &weights, widths, gap, &mut middles);
        }
    }
    straighten(layers, &neighbours, widths, gap, &mut middles);
    middles
}

/// Moves a member that is nearly above or below its only neighbour exactly into line, if there is room.
fn straighten(layers: &Layers, neighbours: &Neighbours, widths: &[f64], gap: f64, middles: &mut [f64]) {
    let mut snap = |row: &[usize], place: usize, wanted: Option<f64>| {
        let member = row[place];
        let wanted = wanted.unwrap_or(middles[member]);
        let room = |other: usize| (widths[member] + widths[other]) / 2.0 + gap;
        let is_free_left = place == 0 || wanted - middles[row[place - 1]] >= room(row[place - 1]);
        let is_free_right = place + 1 == row.len() || middles[row[place + 1]] - wanted >= room(row[place + 1]);
        if (middles[member] - wanted).abs() <= MAX_SNAP && is_free_left && is_free_right {
            middles[member] = wanted;
        }
        middles[member]
    };
    let mut known: Vec<f64> = vec![0.0; layers.members];
    for row in &layers.rows {
        for (place, member) in row.iter().enumerate() {
            let wanted = match neighbours.above[*member][..] {
                [only] => Some(known[only]),
                _ => None,
            };
            known[*member] = snap(row, place, wanted);
        }
    }
    for row in layers.rows.iter().rev() {
        for (place, member) in row.iter().enumerate() {
            if let ([], [only]) = (&neighbours.above[*member][..], &neighbours.below[*member][..]) {
                known[*member] = snap(row, place, Some(known[*only]));
            }
        }
    }
}

/// Places the members of a row as near to their wanted positions as the widths allow.
fn settle(row: &[usize], wanted: &[f64], weights: &[f64], widths: &[f64], gap: f64, middles: &mut [f64]) {
    // After subtracting the space taken on the left, keeping the order means keeping the distance.
    let mut offset = 0.0;
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    let mut offsets = Vec::with_capacity(row.len());
    for (place, member) in row.iter().enumerate() {
        if place > 0 {
            offset += (widths[row[place - 1]] + widths[*member]) / 2.0 + gap;
        }
        offsets.push(offset);
        let mut block = (wanted[place] - offset, weights[place], 1);
        while let Some((mean, weight, len)) = blocks.pop_if(|last| last.0 >= block.0) {
            block = ((mean * weight + block.0 * block.1) / (weight + block.1), weight + block.1, len + block.2);
        }
        blocks.push(block);
    }
    let levels = blocks.iter().flat_map(|(mean, _, len)| std::iter::repeat_n(*mean, *len));
    for ((member, level), offset) in row.iter().zip(levels).zip(offsets) {
        middles[*member] = level + offset;
    }
}

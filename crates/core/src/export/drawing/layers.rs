//! Assignment of boxes to rows (layers).

/// Rows of a drawing. Each edge connects adjacent rows; longer edges pass through dummy nodes in the rows between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layers {
    /// Members of each row. Indices below `boxes` are boxes, the others dummy nodes.
    pub rows: Vec<Vec<usize>>,
    /// Number of boxes.
    pub boxes: usize,
    /// Number of members: boxes and dummy nodes.
    pub members: usize,
    /// Members of each edge, from the upper box to the lower one.
    pub chains: Vec<Vec<usize>>,
}

/// Assigns boxes to rows: the upper end of each edge above the lower end as far as cycles allow, with about `widest`
/// boxes per row at most.
///
/// `lines` are pairs of upper and lower box, each pair once, of two different boxes. In a cycle the edge that closes it
/// is reversed; which edge that is depends only on the order of the boxes. Linear time, except for the search for a row
/// with room.
pub fn layers(boxes: usize, lines: &[(usize, usize)], widest: usize) -> Layers {
    let downward = turned(boxes, lines);
    let rank = ranks(boxes, &downward, widest.max(1));
    let depth = rank.iter().max().map_or(0, |deepest| deepest + 1);
    let mut layers = Layers { rows: vec![Vec::new(); depth], boxes, members: boxes, chains: Vec::new() };
    for (place, row) in rank.iter().enumerate() {
        layers.rows[*row].push(place);
    }
    for (upper, lower) in downward {
        let mut strand = vec![upper];
        for row in rank[upper] + 1..rank[lower] {
            layers.rows[row].push(layers.members);
            strand.push(layers.members);
            layers.members += 1;
        }
        strand.push(lower);
        layers.chains.push(strand);
    }
    layers
}

/// Returns the edges, with those reversed that close a cycle in a depth-first search.
fn turned(boxes: usize, lines: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut below = vec![Vec::new(); boxes];
    let mut above = vec![0; boxes];
    for (number, (upper, lower)) in lines.iter().enumerate() {
        below[*upper].push((*lower, number));
        above[*lower] += 1;
    }
    // Start at boxes without an incoming edge, then visit boxes that only cycles reach.
    let mut starts: Vec<usize> = (0..boxes).collect();
    starts.sort_by_key(|place| (above[*place] > 0, *place));
    let mut turned = lines.to_vec();
    let (mut seen, mut open) = (vec![false; boxes], vec![false; boxes]);
    for start in starts {
        let mut way = Vec::new();
        if !std::mem::replace(&mut seen[start], true) {
            open[start] = true;
            way.push((start, 0));
        }
        while let Some((place, next)) = way.pop() {
            let Some((lower, number)) = below[place].get(next).copied() else {
                open[place] = false;
                continue;
            };
            way.push((place, next + 1));
            if open[lower] {
                turned[number] = (lower, place);
            } else if !std::mem::replace(&mut seen[lower], true) {
                open[lower] = true;
                way.push((lower, 0));
            }
        }
    }
    turned
}

/// Row of each box: below all boxes that lead to it, the first one with room.
fn ranks(boxes: usize, downward: &[(usize, usize)], widest: usize) -> Vec<usize> {
    let (mut below, mut missing) = (vec![Vec::new(); boxes], vec![0; boxes]);
    for (upper, lower) in downward {
        below[*upper].push(*lower);
        missing[*lower] += 1;
    }
    let (mut rank, mut filled) = (vec![0; boxes], Vec::new());
    let mut ready: Vec<usize> = (0..boxes).filter(|place| missing[*place] == 0).collect();
    // From the top down; within a row, boxes with the most edges below come first.
    while !ready.is_empty() {
        ready.sort_by_key(|place| (std::cmp::Reverse(rank[*place]), below[*place].len(), std::cmp::Reverse(*place)));
        let Some(place) = ready.pop() else { break };
        while filled.get(rank[place]).is_some_and(|count| *count >= widest) {
            rank[place] += 1;
        }
        filled.resize(filled.len().max(rank[place] + 1), 0);
        filled[rank[place]] += 1;
        for lower in &below[place] {
            rank[*lower] = rank[*lower].max(rank[place] + 1);
            missing[*lower] -= 1;
            if missing[*lower] == 0 {
                ready.push(*lower);
            }
        }
    }
    rank
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_lead_downward_row_by_row() {
        fn check(boxes: usize, lines: &[(usize, usize)], widest: usize, rows: &[&[usize]]) {
            let layers = layers(boxes, lines, widest);
            assert_eq!(layers.rows, rows, "{lines:?}");
            let row = |member: usize| layers.rows.iter().position(|row| row.contains(&member)).unwrap();
            for (strand, line) in layers.chains.iter().zip(lines) {
                assert!(strand.windows(2).all(|pair| row(pair[0]) + 1 == row(pair[1])), "{strand:?}");
                let ends = (strand[0], strand[strand.len() - 1]);
                assert!(ends == *line || ends == (line.1, line.0));
            }
        }
        check(0, &[], 9, &[]);
        check(1, &[], 9, &[&[0]]);
        check(2, &[(1, 0)], 9, &[&[1], &[0]]);
        check(2, &[(0, 1), (1, 0)], 9, &[&[0], &[1]]);
        check(3, &[(0, 1), (1, 2), (2, 0)], 9, &[&[0], &[1, 3], &[2]]);
        check(3, &[(0, 1), (1, 2), (0, 2)], 9, &[&[0], &[1, 3], &[2]]);
        check(4, &[(0, 1), (0, 2), (0, 3)], 2, &[&[0], &[1, 2, 4], &[3]]);
    }
}

//! Positions of boxes and paths of edges in a drawing.

use crate::export::drawing::layers::{Layers, layers};
use crate::export::drawing::order::order;
use crate::export::drawing::place::place;

/// Horizontal gap between boxes.
const GAP: f64 = 28.0;
/// Vertical gap between rows.
const ROW_GAP: f64 = 64.0;
/// Width reserved for an edge that passes a row.
const STRAND_WIDTH: f64 = 4.0;
/// Gap between connected components.
const PART_GAP: f64 = 48.0;
/// Minimum distance between the ends of two edges at a box.
const MIN_PORT_GAP: f64 = 22.0;

/// Point: distance to the right, distance down.
pub type Coordinates = (f64, f64);

/// Drawing of boxes and edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Width of the drawing.
    pub width: f64,
    /// Height of the drawing.
    pub height: f64,
    /// Upper left corner of each box.
    pub corners: Vec<Coordinates>,
    /// Path of each edge, from the border of its first box to the border of its second: points that are connected by
    /// vertical lines, or by curves that leave and arrive vertically.
    pub paths: Vec<Vec<Coordinates>>,
}

/// Lays out boxes of the given sizes and edges between them, the first box of an edge above the second as far as cycles
/// allow.
///
/// `lines` contains each pair of boxes at most once, in either direction, and no box paired with itself.
pub fn layout(sizes: &[(f64, f64)], lines: &[(usize, usize)]) -> Layout {
    let mut drawing = Layout {
        width: 0.0,
        height: 0.0,
        corners: vec![(0.0, 0.0); sizes.len()],
        paths: vec![Vec::new(); lines.len()],
    };
    let mut parts: Vec<(Part, Layout)> = parts(sizes.len(), lines)
        .into_iter()
        .map(|part| {
            let drawn = of_part(&part, sizes, lines);
            (part, drawn)
        })
        .collect();
    // Largest components first, single boxes last, otherwise in order.
    parts.sort_by(|(_, a), (_, b)| (b.width * b.height).total_cmp(&(a.width * a.height)));
    let area: f64 = parts.iter().map(|(_, part)| (part.width + PART_GAP) * (part.height + PART_GAP)).sum();
    let widest = parts.iter().map(|(_, part)| part.width).fold((area * 1.6).sqrt(), f64::max);
    let (mut left, mut top, mut deepest) = (0.0, 0.0, 0.0_f64);
    for (part, drawn) in parts {
        if left > 0.0 && left + drawn.width > widest {
            (left, top, deepest) = (0.0, top + deepest + PART_GAP, 0.0);
        }
        let moved = |(x, y): Coordinates| (x + left, y + top);
        for (own, place) in part.boxes.iter().enumerate() {
            drawing.corners[*place] = moved(drawn.corners[own]);
        }
        for (own, line) in part.lines.iter().enumerate() {
            drawing.paths[*line] = drawn.paths[own].iter().copied().map(moved).collect();
        }
        drawing.width = drawing.width.max(left + drawn.width);
        drawing.height = drawing.height.max(top + drawn.height);
        left += drawn.width + PART_GAP;
        deepest = deepest.max(drawn.height);
    }
    drawing
}

/// Connected component: boxes and the edges between them.
struct Part {
    boxes: Vec<usize>,
    lines: Vec<usize>,
}

fn parts(boxes: usize, lines: &[(usize, usize)]) -> Vec<Part> {
    let mut joined = vec![Vec::new(); boxes];
    for (number, (a, b)) in lines.iter().enumerate() {
        joined[*a].push((*b, number));
        joined[*b].push((*a, number));
    }
    let mut seen = vec![false; boxes];
    let mut parts = Vec::new();
    for start in 0..boxes {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let (mut part, mut left) = (Part { boxes: Vec::new(), lines: Vec::new() }, vec![start]);
        while let Some(place) = left.pop() {
            part.boxes.push(place);
            for (other, number) in &joined[place] {
                part.lines.push(*number);
                if !std::mem::replace(&mut seen[*other], true) {
                    left.push(*other);
                }
            }
        }
        part.boxes.sort_unstable();
        part.lines.sort_unstable();
        part.lines.dedup();
        parts.push(part);
    }
    parts
}

fn of_part(part: &Part, sizes: &[(f64, f64)], lines: &[(usize, usize)]) -> Layout {
    let own = |place: usize| part.boxes.binary_search(&place).expect("an edge joins boxes of one component");
    let own_lines: Vec<(usize, usize)> =
        part.lines.iter().map(|line| (own(lines[*line].0), own(lines[*line].1))).collect();
    let own_sizes: Vec<(f64, f64)> = part.boxes.iter().map(|place| sizes[*place]).collect();
    // Limit the width so that a drawing of many boxes is about as wide as high; boxes are wider than high.
    let widest = 4.max((own_sizes.len() as f64).sqrt().ceil() as usize);
    let mut layers = layers(own_sizes.len(), &own_lines, widest);
    order(&mut layers);
    let mut widths: Vec<f64> = own_sizes.iter().map(|size| size.0).collect();
    widths.resize(layers.members, STRAND_WIDTH);
    let mut middles = place(&layers, &widths, GAP);
    let reach = |sign: f64| {
        (0..layers.members).map(|member| sign * middles[member] + widths[member] / 2.0).fold(f64::MIN, f64::max)
    };
    let (left, right) = (-reach(-1.0), reach(1.0));
    middles.iter_mut().for_each(|middle| *middle -= left);
    let rows = rows(&layers, &own_sizes);
    let height = rows.last().map_or(0.0, |row| row.1);
    let mut row_of = vec![0; layers.members];
    for (row, members) in layers.rows.iter().enumerate() {
        members.iter().for_each(|member| row_of[*member] = row);
    }
    let corner = |member: usize| {
        let (top, bottom) = rows[row_of[member]];
        (middles[member] - own_sizes[member].0 / 2.0, (top + bottom - own_sizes[member].1) / 2.0)
    };
    let corners: Vec<Coordinates> = (0..own_sizes.len()).map(corner).collect();
    let ends = ends(&layers, &corners, &own_sizes, &middles);
    let way = |(strand, line): (usize, &(usize, usize))| {
        let members = &layers.chains[strand];
        let (start, end) = ends[strand];
        // Leave the row vertically, since a neighbour may be higher than the box.
        let mut way = vec![start, (start.0, rows[row_of[members[0]]].1)];
        for member in &members[1..members.len() - 1] {
            let (top, bottom) = rows[row_of[*member]];
            way.extend([(middles[*member], top), (middles[*member], bottom)]);
        }
        way.extend([(end.0, rows[row_of[members[members.len() - 1]]].0), end]);
        // Drop segments of zero length: they have no direction, so an arrow head would point anywhere.
        way.dedup_by(|a, b| (a.0 - b.0).abs() + (a.1 - b.1).abs() < 0.1);
        if members[0] != line.0 {
            way.reverse();
        }
        way
    };
    let paths = own_lines.iter().enumerate().map(way).collect();
    Layout { width: right - left, height, corners, paths }
}

/// Top and bottom of each row.
fn rows(layers: &Layers, sizes: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut top = 0.0;
    let high =
        |row: &Vec<usize>| row.iter().filter_map(|member| sizes.get(*member)).map(|size| size.1).fold(0.0, f64::max);
    let mut rows = Vec::with_capacity(layers.rows.len());
    for row in &layers.rows {
        rows.push((top, top + high(row)));
        top += high(row) + ROW_GAP;
    }
    rows
}

/// Two ends of each edge, spread over the lower border of its upper box and the upper border of its lower box, ordered
/// by the positions of their next members.
fn ends(
    layers: &Layers,
    corners: &[Coordinates],
    sizes: &[(f64, f64)],
    middles: &[f64],
) -> Vec<(Coordinates, Coordinates)> {
    let mut ends = vec![((0.0, 0.0), (0.0, 0.0)); layers.chains.len()];
    for place in 0..sizes.len() {
        let mut leaving: Vec<(f64, usize)> = Vec::new();
        let mut arriving: Vec<(f64, usize)> = Vec::new();
        for (number, strand) in layers.chains.iter().enumerate() {
            if strand[0] == place {
                leaving.push((middles[strand[1]], number));
            }
            if strand[strand.len() - 1] == place {
                arriving.push((middles[strand[strand.len() - 2]], number));
            }
        }
        for (chains, is_below) in [(&mut leaving, true), (&mut arriving, false)] {
            chains.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let gap = MIN_PORT_GAP.min(sizes[place].0 * 0.8 / chains.len().max(1) as f64);
            for (port, (_, number)) in chains.iter().enumerate() {
                let middle = corners[place].0 + sizes[place].0 / 2.0;
                let x = middle + gap * (port as f64 - (chains.len() - 1) as f64 / 2.0);
                if is_below {
                    ends[*number].0 = (x, corners[place].1 + sizes[place].1);
                } else {
                    ends[*number].1 = (x, corners[place].1);
                }
            }
        }
    }
    ends
}

//! A drawing: where each box is, and the way of each line.

use crate::export::layout::layers::{Layers, layers};
use crate::export::layout::order::order;
use crate::export::layout::place::place;

/// What is between boxes side by side.
const GAP: f64 = 28.0;
/// What is between rows.
const ROW_GAP: f64 = 64.0;
/// The room of a line that passes a row.
const STRAND_WIDTH: f64 = 4.0;
/// What is between parts that do not hang together.
const PART_GAP: f64 = 48.0;
/// The least distance between the ends of two lines at a box.
const PORT_GAP: f64 = 22.0;

/// A point: to the right, and down.
pub type Point = (f64, f64);

/// A drawing of boxes and lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// The upper left corner of each box.
    pub corners: Vec<Point>,
    /// The way of each line, from border to border, from its first box to its second: points, of which two that follow
    /// one another are above one another, or to be joined by a curve that leaves and arrives vertically.
    pub ways: Vec<Vec<Point>>,
}

/// Draws boxes of these sizes and lines between them, the first box of a line above the second as far as circles allow.
///
/// `lines` hold each pair of boxes once, in whichever direction, and no box with itself.
pub fn layout(sizes: &[(f64, f64)], lines: &[(usize, usize)]) -> Layout {
    let mut drawing =
        Layout { width: 0.0, height: 0.0, corners: vec![(0.0, 0.0); sizes.len()], ways: vec![Vec::new(); lines.len()] };
    let mut parts: Vec<(Part, Layout)> = parts(sizes.len(), lines)
        .into_iter()
        .map(|part| {
            let drawn = of_part(&part, sizes, lines);
            (part, drawn)
        })
        .collect();
    // Large parts first, those of one box last; among equals, in order.
    parts.sort_by(|(_, a), (_, b)| (b.width * b.height).total_cmp(&(a.width * a.height)));
    let area: f64 = parts.iter().map(|(_, it)| (it.width + PART_GAP) * (it.height + PART_GAP)).sum();
    let widest = parts.iter().map(|(_, it)| it.width).fold((area * 1.6).sqrt(), f64::max);
    let (mut left, mut top, mut deepest) = (0.0, 0.0, 0.0_f64);
    for (part, drawn) in parts {
        if left > 0.0 && left + drawn.width > widest {
            (left, top, deepest) = (0.0, top + deepest + PART_GAP, 0.0);
        }
        let moved = |(x, y): Point| (x + left, y + top);
        for (own, place) in part.boxes.iter().enumerate() {
            drawing.corners[*place] = moved(drawn.corners[own]);
        }
        for (own, line) in part.lines.iter().enumerate() {
            drawing.ways[*line] = drawn.ways[own].iter().copied().map(moved).collect();
        }
        drawing.width = drawing.width.max(left + drawn.width);
        drawing.height = drawing.height.max(top + drawn.height);
        left += drawn.width + PART_GAP;
        deepest = deepest.max(drawn.height);
    }
    drawing
}

/// Boxes that hang together, and the lines between them.
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
    let own = |place: usize| part.boxes.binary_search(&place).expect("a line joins boxes of one part");
    let own_lines: Vec<(usize, usize)> = part.lines.iter().map(|it| (own(lines[*it].0), own(lines[*it].1))).collect();
    let own_sizes: Vec<(f64, f64)> = part.boxes.iter().map(|it| sizes[*it]).collect();
    // A drawing of many boxes is to be about as wide as it is high, boxes being wider than high.
    let widest = 3.max((own_sizes.len() as f64).sqrt().ceil() as usize);
    let mut layers = layers(own_sizes.len(), &own_lines, widest);
    order(&mut layers);
    let mut widths: Vec<f64> = own_sizes.iter().map(|it| it.0).collect();
    widths.resize(layers.members, STRAND_WIDTH);
    let mut middles = place(&layers, &widths, GAP);
    let reach =
        |sign: f64| (0..layers.members).map(|it| sign * middles[it] + widths[it] / 2.0).fold(f64::MIN, f64::max);
    let (left, right) = (-reach(-1.0), reach(1.0));
    middles.iter_mut().for_each(|it| *it -= left);
    let rows = rows(&layers, &own_sizes);
    let height = rows.last().map_or(0.0, |it| it.1);
    let mut row_of = vec![0; layers.members];
    for (row, members) in layers.rows.iter().enumerate() {
        members.iter().for_each(|it| row_of[*it] = row);
    }
    let corner = |it: usize| {
        let (top, bottom) = rows[row_of[it]];
        (middles[it] - own_sizes[it].0 / 2.0, (top + bottom - own_sizes[it].1) / 2.0)
    };
    let corners: Vec<Point> = (0..own_sizes.len()).map(corner).collect();
    let ends = ends(&layers, &corners, &own_sizes, &middles);
    let way = |(strand, line): (usize, &(usize, usize))| {
        let members = &layers.strands[strand];
        let (start, end) = ends[strand];
        // Out of its own row straight, since a neighbour may be higher than the box.
        let mut way = vec![start, (start.0, rows[row_of[members[0]]].1)];
        for member in &members[1..members.len() - 1] {
            let (top, bottom) = rows[row_of[*member]];
            way.extend([(middles[*member], top), (middles[*member], bottom)]);
        }
        way.extend([(end.0, rows[row_of[members[members.len() - 1]]].0), end]);
        // A piece without length has no direction, and a head at its end would point anywhere.
        way.dedup_by(|a, b| (a.0 - b.0).abs() + (a.1 - b.1).abs() < 0.1);
        if members[0] != line.0 {
            way.reverse();
        }
        way
    };
    let ways = own_lines.iter().enumerate().map(way).collect();
    Layout { width: right - left, height, corners, ways }
}

/// Where each row begins and ends, downward.
fn rows(layers: &Layers, sizes: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut top = 0.0;
    let high = |row: &Vec<usize>| row.iter().filter_map(|it| sizes.get(*it)).map(|it| it.1).fold(0.0, f64::max);
    let mut rows = Vec::with_capacity(layers.rows.len());
    for row in &layers.rows {
        rows.push((top, top + high(row)));
        top += high(row) + ROW_GAP;
    }
    rows
}

/// The two ends of each strand: spread over the lower border of its upper box, and the upper border of its lower box,
/// in the order of what they lead to.
fn ends(layers: &Layers, corners: &[Point], sizes: &[(f64, f64)], middles: &[f64]) -> Vec<(Point, Point)> {
    let mut ends = vec![((0.0, 0.0), (0.0, 0.0)); layers.strands.len()];
    for place in 0..sizes.len() {
        let mut leaving: Vec<(f64, usize)> = Vec::new();
        let mut arriving: Vec<(f64, usize)> = Vec::new();
        for (number, strand) in layers.strands.iter().enumerate() {
            if strand[0] == place {
                leaving.push((middles[strand[1]], number));
            }
            if strand[strand.len() - 1] == place {
                arriving.push((middles[strand[strand.len() - 2]], number));
            }
        }
        for (strands, is_below) in [(&mut leaving, true), (&mut arriving, false)] {
            strands.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let gap = PORT_GAP.min(sizes[place].0 * 0.8 / strands.len().max(1) as f64);
            for (port, (_, number)) in strands.iter().enumerate() {
                let middle = corners[place].0 + sizes[place].0 / 2.0;
                let x = middle + gap * (port as f64 - (strands.len() - 1) as f64 / 2.0);
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

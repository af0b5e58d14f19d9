//! Layered drawing of a map: the place of each node's box and of each edge's line.
//!
//! Attackers are below their targets, reasons below the side that they concern, sides below their question, and issues
//! and revisions below their proposal, as far as cycles allow.

use crate::export::drawing::layout::{Coordinates, layout};
use crate::export::drawing::svg_boxes::DrawnBox;
use crate::export::drawing::svg_parts::BOX_WIDTH;
use crate::export::map::{DebateMap, MapEdge};

/// Space to the right of a box for a self-attack.
pub const LOOP_WIDTH: f64 = 26.0;

/// Drawing of a map. Coordinates are in pixels, from the upper left corner.
#[derive(Clone, Debug, PartialEq)]
pub struct MapLayout {
    /// Width of the drawing.
    pub width: f64,
    /// Height of the drawing.
    pub height: f64,
    /// Upper left corners of the boxes, in the order of [`DebateMap::nodes`]. Each is [`BOX_WIDTH`] wide.
    pub corners: Vec<Coordinates>,
    /// Heights of the boxes.
    pub heights: Vec<f64>,
    /// Edges between different nodes, with their lines.
    pub lines: Vec<MapLine>,
    /// Edges from a node to itself, drawn at the right border of its box.
    pub loops: Vec<MapEdge>,
}

/// Line of an edge.
#[derive(Clone, Debug, PartialEq)]
pub struct MapLine {
    /// The edge.
    pub edge: MapEdge,
    /// Points from the border of the source to the border of the target: vertically above each other, or connected by
    /// curves that leave and arrive vertically.
    pub path: Vec<Coordinates>,
}

/// Lays out a map whose nodes are measured. Costs as [`layout`].
pub fn map_layout(map: &DebateMap, boxes: &[DrawnBox<'_>]) -> MapLayout {
    let (loops, between): (Vec<MapEdge>, Vec<MapEdge>) =
        map.edges().into_iter().partition(|edge| edge.source == edge.target);
    let has_loop = |place: usize| loops.iter().any(|edge| edge.source == place);
    let width = |place: usize| BOX_WIDTH + if has_loop(place) { LOOP_WIDTH } else { 0.0 };
    let sizes: Vec<(f64, f64)> = boxes.iter().enumerate().map(|(place, drawn)| (width(place), drawn.height)).collect();
    let pairs: Vec<(usize, usize)> = between.iter().map(upper_and_lower).collect();
    let drawing = layout(&sizes, &pairs);
    let lines = between.into_iter().zip(drawing.paths).map(|(edge, mut path)| {
        if upper_and_lower(&edge).0 == edge.target {
            path.reverse();
        }
        // Two equal points at an end would leave the arrow head without a direction.
        path.dedup();
        MapLine { edge, path }
    });
    MapLayout {
        width: drawing.width,
        height: drawing.height,
        corners: drawing.corners,
        heights: boxes.iter().map(|drawn| drawn.height).collect(),
        lines: lines.collect(),
        loops,
    }
}

/// Targets are above their attackers; of two nodes that attack each other, the earlier one is above.
fn upper_and_lower(edge: &MapEdge) -> (usize, usize) {
    if edge.is_mutual {
        (edge.source.min(edge.target), edge.source.max(edge.target))
    } else {
        (edge.target, edge.source)
    }
}

//! Drawings: the map of a debate as a layered layout and SVG of it, and the parts of charts.

pub mod chart_canvas;
pub mod layers;
pub mod layout;
pub mod map_layout;
pub mod order;
pub mod place;
pub mod plot;
pub mod svg;
pub mod svg_boxes;
pub mod svg_legend;
pub mod svg_parts;

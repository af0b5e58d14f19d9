//! Drawings of the map of a debate: a layered layout, and SVG of it.

pub mod layers;
pub mod layout;
pub mod map_layout;
pub mod order;
pub mod place;
pub mod svg;
pub mod svg_boxes;
pub mod svg_legend;
pub mod svg_parts;

//! Drawings of the argument graph: a layered layout, and SVG of it.

pub mod layers;
pub mod layout;
pub mod order;
pub mod place;
pub mod svg;
pub mod svg_parts;

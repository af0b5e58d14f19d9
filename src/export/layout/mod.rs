//! Layered graph drawing (Sugiyama, Tagawa and Toda 1981): positions of boxes and paths of edges.
//!
//! ```text
//! boxes + edges --layers--> a row for each box, dummy nodes where an edge passes a row
//!               --order---> order within each row, with few crossings
//!               --place---> horizontal coordinates, each box as near to its neighbours as possible
//!               --layout--> paths between the borders of boxes; connected components side by side
//! ```
//!
//! No edge runs through a box. The same input always gives the same drawing, and every step is bounded.

pub mod layout;
pub mod layers;
pub mod order;
pub mod place;

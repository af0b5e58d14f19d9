//! Where boxes go, and the lines between them: a layered drawing (Sugiyama, Tagawa and Toda 1981).
//!
//! ```text
//! boxes + lines --layers--> a row for each box, stand-ins where a line passes a row
//!               --order---> left to right in each row, with few crossings
//!               --place---> coordinates, each box as near to its neighbours as the others let it
//!               --layout--> lines between places on the borders; parts that do not hang together side by side
//! ```
//!
//! No line runs through a box. The same input gives the same drawing, and every step has a bound: no input takes long.

pub mod layout;
pub mod layers;
pub mod order;
pub mod place;

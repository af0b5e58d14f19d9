//! Text for terminals: styles, spans, wrapping, pages, and the removal of control characters.

pub mod ascii;
pub mod clean;
pub mod diff;
pub mod page;
pub mod span;
pub mod style;
pub mod wrap;

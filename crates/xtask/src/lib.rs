//! Rules on the shape and the language of the code base, and the figures behind them.
//!
//! `cargo test` applies the rules (`tests/pure/architecture.rs`); `cargo xtask look` prints the figures. Sources are read as
//! text: nothing is compiled, and everything takes about a second.

pub mod figures;
pub mod imports;
pub mod language;
pub mod layers;
pub mod rooms;
pub mod sizes;
pub mod source;
pub mod text;

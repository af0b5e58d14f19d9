//! What was debated elsewhere, brought in.
//!
//! The text of a file goes in; a debate in our own vocabulary comes out, with a report of what was read, what had to be
//! made up so that it stands ([`Synthesised`]), what was set aside and why, and what the file claimed against what its own
//! events add up to. Nothing derived in a file is trusted: it is kept as the word of whoever said it.
//!
//! ```text
//! bytes ─▶ document ─▶ cleaning ─▶ shape ─┬─▶ stream ─▶ blackboard, graph, dialogue, rooms ─┐
//!          strict JSON  encoding          └─▶ results ─────────────────────────────────────┴─▶ draft ─▶ import
//!                                    own (an export of ours) ─▶ as it stands ───────────────────────────▶ import
//! ```
//!
//! The same content has the same ids wherever and however often it is read: they are made from its hash.
//!
//! Pure. Imports `events`, `projections`, `verdicts`, `kernel` and `export`. It reads no file and writes no log: the desk
//! records what is read here, whole or not at all.
//!
//! [`Synthesised`]: crate::events::imported::ArgumentSynthesised

pub mod limits;
pub mod fault;
pub mod strict;
pub mod document;
pub mod encoding;
pub mod cleaning;
pub mod identity;
pub mod shape;
pub mod fields;
pub mod cast;
pub mod draft;
pub mod graph_pieces;
pub mod blackboard;
pub mod graph;
pub mod crystals;
pub mod dialogue;
pub mod rooms;
pub mod stream;
pub mod results;
pub mod ending;
pub mod claimed;
pub mod own;
pub mod report;
pub mod import;

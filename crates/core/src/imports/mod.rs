//! Import of debates from other systems and from exports.
//!
//! Converts the text of a file into a debate with events of this program, and a report of what was read, what had to be
//! made up ([`Synthesised`]), what was set aside and why, and how the results that the file states differ from those
//! computed from its events. Derived data in a file is never trusted, only recorded as stated by its author.
//!
//! ```text
//! bytes ─▶ document ─▶ sanitize ─▶ shape ─┬─▶ stream ─▶ blackboard, graph, dialogue, rooms ─┐
//!          strict JSON  encoding          └─▶ results ─────────────────────────────────────┴─▶ draft ─▶ import
//!                                    own (Faultline exports) ─▶ unchanged, or edited ──────────────────▶ import
//! ```
//!
//! Ids are made from a hash of the content, so the same content always gets the same ids.
//!
//! Pure. Imports `events`, `projections`, `verdicts`, `kernel` and `export`. Does not access files or the log: the
//! service records an imported debate, completely or not at all.
//!
//! [`Synthesised`]: crate::events::imported::ArgumentSynthesised

pub mod arguments;
pub mod blackboard;
pub mod cast;
pub mod crystals;
pub mod dialogue;
pub mod document;
pub mod draft;
pub mod encoding;
pub mod fields;
pub mod graph;

pub mod identity;
pub mod import;
pub mod import_error;
pub mod limits;
pub mod outcome;
pub mod own;
pub mod report;
pub mod reported_results;
pub mod results;
pub mod rooms;
pub mod sanitize;
pub mod shape;
pub mod stream;
pub mod strict;

//! Filling the library.
//!
//! ```text
//! personas/<id>.toml ───── personas ──────────────────────────────────────────┐
//! corpus/<id>/*            sources ──┐                                         │
//! corpus/<id>/sources.toml links ── fetch ── readers ── chunks ── sentences ── corpus ──> store/library
//!                                    gathering                               │
//!                                                                        embedding ──> providers
//! ```
//!
//! What people write is read with suspicion ([`sources`]) and refused with file and line ([`fault`]). What has not changed
//! is not embedded again. [`reembed`] exchanges the embedder, for which no file is read.
//!
//! Imports `events`, `kernel`, `providers` and `store`. It knows no SQL and no model, and answers no question about a corpus.

pub mod chunks;
pub mod corpus;
pub mod embedding;
pub mod fault;
pub mod fetch;
pub mod gathering;
pub mod links;
pub mod personas;
pub mod phrases;
pub mod placing;
pub mod readers;
pub mod reembed;
pub mod report;
pub mod sentences;
pub mod sources;
pub mod survey;
pub mod shelf;
pub mod anchors;
pub mod check;
pub mod portray;

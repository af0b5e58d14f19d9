//! Ingest of personas, corpora and shared corpora into the library.
//!
//! ```text
//! personas/<id>.toml ───── personas ──────────────────────────────────────────┐
//! corpus/<id>/shared.toml  shared_corpora ── owners, with the personas ────────┤
//! corpus/<id>/*            sources ──┐                                         │
//! corpus/<id>/sources.toml links ── fetch ── readers ── chunks ── sentences ── corpus ──> store/library
//!                                    remote_sources  headings                │
//!                                                                        embedding ──> providers
//! corpus/<id>/*            corpus_reader, for drafts and checks
//! corpus/<id>/positions.toml ── positions, checked against the passages
//! ```
//!
//! Files written by people are treated as untrusted ([`sources`]); errors name file and line ([`file_error`]). Unchanged
//! texts are not embedded again. [`reembed`] replaces the embedder without reading any file.
//!
//! Files are read through `shipped`, from disk or from the program. Depends on `events`, `kernel`, `providers`, `store`,
//! `shipped`, and the plain sides of `service`. Contains no SQL and no model, and answers no question about a corpus.

pub mod anchors;
pub mod check;
pub mod chunks;
pub mod corpus;
pub mod corpus_diff;
pub mod corpus_reader;
pub mod drafts;
pub mod embedding;
pub mod fetch;
pub mod file_error;
pub mod headings;
pub mod links;
pub mod owners;
pub mod personas;
pub mod phrases;
pub mod positions;
pub mod readers;
pub mod reembed;
pub mod remote_sources;
pub mod report;
pub mod sentences;
pub mod shared_corpora;
pub mod source_files;
pub mod sources;

//! The library: personas, what they wrote, and how a passage is found again.
//!
//! | table | what | made by |
//! |-------|------|---------|
//! | `personas` | contract, voice, topics | [`personas`] |
//! | `documents`, `chunks`, `sentences` | a text, its passages, their sentences | [`intake`] |
//! | `sources` | what was fetched from the web, and how it is asked for again | [`sources`] |
//! | `chunk_vectors`, `sentence_vectors` | where each lies in an embedder's space | [`intake`], [`reembed`] |
//! | `shelves`, `word_counts`, indexes over nearness | what steers a search: made again after every ingest | [`tend`] |
//! | `embedders` | whose space: one is in use, another may be filled beside it | [`open`], [`reembed`] |
//!
//! One rule holds throughout: every chunk and sentence has a vector by the embedder in use. So nobody who searches needs
//! to ask whether something is missing, and an embedder is exchanged in one step, once its vectors are complete.
//!
//! Imports `events` and its own floor. It embeds nothing and reads no file: that is for `ingest`.

mod columns;
mod fusion;
pub mod hits;
pub mod intake;
pub mod open;
pub mod personas;
pub mod reading;
pub mod recall;
pub mod reembed;
pub mod sources;
pub mod stats;
pub mod tend;

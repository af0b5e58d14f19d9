//! Library: personas, their writings, shared corpora, and the search for passages.
//!
//! | table | content | module |
//! |-------|---------|--------|
//! | `personas` | contract, voice, topics | [`personas`] |
//! | `shared_corpora` | corpora that belong to no persona | [`shared_corpora`] |
//! | `corpus_owners` | ids of both, which documents refer to; kept by triggers. At home, the server that holds the documents | [`corpus_move`] |
//! | `documents`, `chunks`, `sentences` | a text, its passages, their sentences | [`document_writes`] |
//! | `sources` | sources fetched from the web, with the data for conditional requests | [`sources`] |
//! | `chunk_vectors`, `sentence_vectors` | embedding vectors of passages and sentences | [`document_writes`], [`reembed`] |
//! | `shelves`, `word_counts`, vector indexes | data that searches rely on, updated after every ingest | [`index_maintenance`] |
//! | `embedders` | embedders: one is in use, another may be filled beside it | [`open`], [`reembed`] |
//!
//! Invariant: every chunk and sentence has a vector by the embedder in use. Searches therefore never have to handle
//! missing vectors, and an embedder is replaced in one step once its vectors are complete.
//!
//! The documents of an owner, with all that belongs to them, can be on another server than the home, which holds the personas. A
//! statement uses one server; a search of all corpora asks each, and ranks what they have found.
//!
//! Imports `events`, `retrieval` and its own layer. It neither embeds texts nor reads files: that is the task of `ingest`.

pub mod corpus_move;
pub mod document_writes;
pub mod documents;
pub mod highlights;
pub mod index_maintenance;
pub mod new_document;
pub mod open;
pub mod personas;
pub mod reading;
pub mod recall;
pub mod reembed;
pub mod shared_corpora;
pub mod sources;
pub mod stats;

pub(crate) mod candidates;
pub(crate) mod columns;
pub(crate) mod corpus_lock;
pub(crate) mod embedder_copy;
pub(crate) mod nearest_passages;
pub(crate) mod ranked_search;
pub(crate) mod search_scope;
pub(crate) mod survey;
pub(crate) mod worded_passages;

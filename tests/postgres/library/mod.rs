//! The library of passages: ingest, sources, shared corpora, search and replacement of the embedder.

mod document_pages;
mod documents;
#[path = "../../retrieval/evaluation_set.rs"]
#[expect(dead_code, reason = "the benchmark uses more of this file than the tests do")]
mod evaluation_set;
mod ingest;
mod ingest_on_demand;
mod passage_search;
mod reembedding;
mod retrieval_quality;
mod shared_corpora;
mod sources;

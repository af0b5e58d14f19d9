//! Questions of all debates: their texts, their embedding vectors, and pairs of similar ones.
//!
//! ```text
//! projector ─▶ texts     a row for every text of a crux or a dispute, in the transaction of those rows
//! keeper    ─▶ due       its vector, then its pairs; each process claims rows that no other has locked
//! reader    ─▶ search    by meaning and by words, among the rows that pass a filter
//!           └▶ near      the pairs, to find the same question in several debates
//! ```
//!
//! Rows of vectors and pairs belong to an embedder, and are deleted with it.

pub mod embedding_queue;
pub mod neighbors;
pub mod search;
pub mod texts;

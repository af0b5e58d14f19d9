//! Questions of all debates: their texts, their embedding vectors, and pairs of similar ones.
//!
//! ```text
//! projector ─▶ texts             a row for every text of a crux or a dispute, in the transaction of those rows
//! embedder  ─▶ embedding_queue   its vector, then its pairs; each process claims rows that no other has locked
//!           └▶ question_index    an index of many vectors, by which pairs are found
//! reader    ─▶ neighbors         the pairs, to find the same question in several debates
//! ```
//!
//! The search for questions by meaning and by words is part of the lists that it filters
//! (`views::question_search`). Rows of vectors and pairs belong to an embedder, and are deleted with it.

pub mod embedding_queue;
pub mod neighbors;
pub mod question_index;
pub mod texts;

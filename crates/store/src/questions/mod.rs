//! Questions of all debates: their texts, their embedding vectors, and pairs of similar ones.
//!
//! ```text
//! projector ─▶ texts             a row for every text of a crux or a dispute, in the transaction of those rows
//! embedder  ─▶ embedding_queue   its vector; each process claims rows that no other has locked
//!           ├▶ pairing           its pairs
//!           └▶ question_index    an index of many vectors, by which pairs are found
//! reader    ─▶ neighbors         the pairs, to find the same question in several debates
//! ```
//!
//! Everything is at home, but the vectors may be on a shard (`vector_table`), to which `vector_move` moves them: they take most
//! of the storage and of the work.
//!
//! The search for questions by meaning and by words is part of the lists that it filters
//! (`views::question_search`); `cosines` asks a shard for what it needs of the vectors. Rows of vectors and pairs belong to an
//! embedder, and are deleted with it.

pub mod embedding_queue;
pub mod neighbors;
pub mod pairing;
pub mod question_index;
pub mod stats;
pub mod texts;
pub mod vector_move;

pub(crate) mod cosines;
pub(crate) mod deletions;

mod lost_vectors;
mod vector_table;

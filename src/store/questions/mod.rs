//! What debates ask, across debates: texts, where they lie in an embedder's space, and what lies near them.
//!
//! ```text
//! projector ─▶ texts     a row for every text of a crux or a dispute, in the transaction of those rows
//! keeper    ─▶ due       its vector, then its pairs; whoever comes next takes what nobody holds
//! reader    ─▶ search    by meaning and by words, within what a filter lets through
//!           └▶ near      the pairs, for whoever looks for the same question in several debates
//! ```
//!
//! Rows of vectors and pairs belong to an embedder, and go with it.

pub mod texts;
pub mod due;
pub mod search;
pub mod near;

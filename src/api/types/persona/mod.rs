//! Personas, their versions, their texts, shared corpora, and participants of debates.

pub mod document;
pub mod edition;
pub mod participant;
pub mod passage;
pub mod persona;
pub mod shared_corpus;

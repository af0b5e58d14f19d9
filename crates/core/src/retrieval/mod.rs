//! Selection and highlighting of retrieved passages, without any lookups.
//!
//! [`variety`] keeps one text from filling a result; [`marks`] reads a text in which the database marked matching
//! words. The search itself and the fusion of its rankings are in `store/library/recall.rs`.
//!
//! Pure: imports nothing.

pub mod marks;
pub mod variety;

//! What is decided about found passages, without looking anything up: which of them are shown, and which words hit.
//!
//! [`variety`] keeps one text from filling a result; [`marks`] reads a text in which the database has marked words. The
//! search itself, and how its rankings are fused, is in `store/library/recall.rs`.
//!
//! Pure: imports nothing.

pub mod marks;
pub mod variety;

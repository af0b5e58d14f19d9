//! Ranking, selection and highlighting of retrieved passages, without any lookups.
//!
//! [`fusion`] ranks what the database has found, on one server or several; [`variety`] keeps one text from filling a result;
//! [`marks`] reads a text in which the database marked matching words.
//!
//! Pure: imports nothing.

pub mod fusion;
pub mod marks;
pub mod variety;

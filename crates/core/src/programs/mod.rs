//! Logic programs as text: recognition, normal form, and comparison.
//!
//! Nothing here evaluates a program.
//!
//! Pure. Imports nothing.

pub mod normal_form;
pub mod similarity;

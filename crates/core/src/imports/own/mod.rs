//! Exports of this program: intact ones, and those that were edited.

pub mod edited;
pub mod intact;

//! Personas, their versions, their texts, and participants of debates.

pub mod edition;
pub mod participant;
pub mod passage;
pub mod persona;

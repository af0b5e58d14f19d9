//! Clerk: distils annotated claims, attacks, sides and concessions from the turns in which they were spoken, and compares
//! claims whose relation is annotated. It points at sentences by name and infers nothing.

pub mod arguments;
pub mod comparison;
pub mod disputes;
pub mod draft_argument;
pub mod judgement;
pub mod rooms;
pub mod sentence_names;

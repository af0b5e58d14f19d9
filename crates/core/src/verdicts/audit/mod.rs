//! Second reading of the words on which a verdict rests: the words that are read ([`items`]), and the result
//! ([`audit_verdict`]).

pub mod audit_verdict;
pub mod items;

//! Turns and their parts: arguments, attacks, citations, concessions, proposals, fact checks and progress.

pub mod argument;
pub mod concession;
pub mod draft;
pub mod fact_check;
pub mod granted;
pub mod grounding;
pub mod preparation;
pub mod proposal;
pub mod refinement;
pub mod search;
pub mod talk;
pub mod turns;
pub mod explanation;

//! Probes on request after the end: requests whose answers are measured and decide nothing.
//!
//! | probe | modules | asked of | answer |
//! |-------|---------|----------|--------|
//! | contract | [`contract_probe`] | the clerk | words of a participant's turns that contradict the participant's contract |
//! | contradiction | [`contradiction_probe`] | the clerk | pairs of statements of the common ground that cannot both be true |
//! | endorsement | [`endorsement_probe`] | each participant | a rating of each statement of the common ground, from 1 to 7 |
//!
//! The subjects of a round are fixed when it is requested ([`subjects`]). [`probing`] is the closing task. Broken parts of
//! replies are refused one by one ([`reply_parts`]).

pub mod contract_probe;
pub mod contradiction_probe;
pub mod endorsement_probe;
pub mod probing;
pub mod prompt_parts;
pub mod reply_parts;
pub mod subjects;

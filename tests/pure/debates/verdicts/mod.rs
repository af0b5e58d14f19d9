//! Verdicts: each rule by itself, laws on random debates, and debates whose verdict is known.

mod agreed_cruxes;
mod attacks;
mod audits;
mod camps;
mod cards;
mod changed_fields;
mod changes;
mod cruxes;
mod debate_plan;
mod laws;
mod measures;
mod disagreement;
mod division;
mod granted;
mod guard;
mod more_oracles;
mod oracles;
pub mod probes;
mod regimes;
mod rules;
mod topic;
mod verdict_debate;

//! Verdicts: each rule by itself, laws on random debates, and debates whose verdict is known.

mod attacks;
mod camps;
mod cruxes;
mod debate_plan;
mod laws;
mod oracles;
mod rules;
mod verdict_debate;

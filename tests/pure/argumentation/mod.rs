//! Abstract argumentation: results compared with known answers, with definitions evaluated on all subsets, and with laws.

mod change;
mod command;
mod counterfactual;
mod definitions;
mod gradual;
mod issues;
mod known_answers;
mod laws;
mod oracle;
mod reasons;
mod sets;

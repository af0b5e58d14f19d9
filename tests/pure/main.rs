//! What can be tested without anything: the shape of the house, contracts, whole debates, laws.

mod architecture;
mod argumentation;
mod formats;
mod laws;
mod rehearsal;
mod rehearsals;
mod schema;
mod stage;
mod verdicts;
mod wire;

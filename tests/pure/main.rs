//! Tests that need no database and no network: architecture, contracts, whole debates, laws.

mod architecture;
mod argumentation;
mod documents;
mod export;
mod formats;
mod grounding;
mod imports;
mod laws;
mod legacy;
mod outside;
mod personas;
mod questions;
mod rehearsal;
mod rehearsals;
mod retrieval;
mod rooms;
mod schema;
mod stage;
mod talk;
mod verdicts;
mod voice;
mod wire;

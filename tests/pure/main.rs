//! Tests that need no database and no network: architecture, contracts, whole debates, laws.

mod architecture;
mod argumentation;
mod corpora;
mod debates;
mod deployment;
mod events;
mod formats;
mod laws;
mod rehearsal;
mod rehearsals;
mod schema;
mod shell;
mod studio;
mod support;

//! Message bus over core NATS: publishes the events that this process appends, and receives those of the others.
//!
//! Core NATS delivers a message at most once, and that is enough: what a message does is to save a read of the log, in
//! which a receiver finds everything that it lacks (`faultline_store::wake::bus`).

pub mod bus;
pub mod settings;

//! Inputs and payloads of the mutations: each mutation takes one `<Mutation>Input` and returns a `<Mutation>Payload`.

pub mod append_events;
pub mod control;
pub mod import;
pub mod operate;
pub mod start;

//! Debates between personas, recorded as events, and the cruxes computed from them.
//!
//! A debate is its event log. All other state is a fold of that log, or the answer to a request to the outside world.
//! The *pure* half defines the events ([`events`]), the state they add up to ([`argumentation`], [`projections`],
//! [`verdicts`]), the next step ([`kernel`], [`engines`]), and formats for exchange ([`export`], [`imports`]); it has
//! no clock, random numbers, sockets or tables. The *outer* half writes the log ([`store`]), calls models
//! ([`providers`]), fills the library ([`ingest`]), drives debates and maintains read models ([`runtime`]), and serves
//! clients ([`desk`], [`api`], [`cli`]); it makes no decisions about a debate.
//!
//! `ARCHITECTURE.md` describes the whole structure. Folders import downward only, which a test checks.

pub mod api;
pub mod app;
pub mod cli;
pub mod config;
pub mod limits;
pub mod proxies;
pub mod runtime;
pub mod service;

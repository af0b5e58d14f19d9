//! Debates between personas, recorded event by event, and the cruxes computed from them.
//!
//! A debate is its log. Everything else is a fold of that log, or a question put to the outside world because the fold
//! lacks an answer. So there are two halves. The *pure* half says what can happen ([`events`]), what it adds up to
//! ([`argumentation`], [`projections`], [`verdicts`]) what comes next ([`kernel`], [`engines`]), and how it leaves the house and comes in from
//! others ([`export`], [`imports`]); it knows no clock, no
//! random number, no socket, no table. The *outer* half writes the log ([`store`]), asks the questions ([`providers`]),
//! fills the library ([`ingest`]), drives debates and keeps views up ([`runtime`]) and talks to clients ([`desk`], [`api`],
//! [`cli`]); it decides nothing.
//!
//! `ARCHITECTURE.md` has the whole map. Folders import downward only, and a test says so.

pub mod argumentation;
pub mod drafting;
pub mod engines;
pub mod events;
pub mod export;
pub mod imports;
pub mod kernel;
pub mod projections;
pub mod retrieval;
pub mod questions;
pub mod verdicts;
pub mod voices;

pub mod api;
pub mod app;
pub mod cli;
pub mod config;
pub mod desk;
pub mod ingest;
pub mod limits;
pub mod proxies;
pub mod providers;
pub mod provision;
pub mod runtime;
pub mod store;

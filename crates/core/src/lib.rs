//! The pure half of Faultline: events, folds of events, verdicts, engines, exports and imports.
//!
//! Nothing here knows a clock, a random number, a socket, a file or a table. Given the same events, every function returns the
//! same value. The layers, from the lowest up:
//!
//! - [`events`]: the one vocabulary of the log, and its stored JSON;
//! - [`questions`], [`programs`], [`retrieval`], [`voices`], [`drafting`]: comparing questions, comparing logic programs, choosing
//!   passages, measuring style, drafting personas;
//! - [`positions`]: what personas claim and answer, annotated in their writings;
//! - [`projections`]: folds of one debate;
//! - [`verdicts`]: the rules that turn folds into cruxes, common ground and a regime;
//! - [`measures`]: figures on a debate, by stated formulas;
//! - [`kernel`]: sessions, effects, prompts, and the rules for events from outside;
//! - [`engines`]: the ways to debate;
//! - [`export`] and [`imports`]: formats out and in;
//! - [`experiments`]: plans of many debates, and paired comparisons of their measures;
//! - [`suggestions`]: questions to debate that a model suggests, verified against the writings.
//!
//! `ARCHITECTURE.md` has the whole map.

pub mod drafting;
pub mod engines;
pub mod events;
pub mod experiments;
pub mod export;
pub mod imports;
pub mod kernel;
pub mod measures;
pub mod positions;
pub mod programs;
pub mod projections;
pub mod questions;
pub mod retrieval;
pub mod suggestions;
pub mod verdicts;
pub mod voices;

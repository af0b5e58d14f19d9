//! Annotated writings: a persona's positions on its topics, each bound to sentences of its corpus.
//!
//! An author writes them in `corpus/<id>/positions.toml`, by hand or from a draft. They state which sentence is a claim,
//! which sentence answers which claim of another persona, and what gives way, so that a debate can be played without a
//! model.
//!
//! ```text
//! positions.toml -> [parse] -> [model]::Positions -> [check] against [writings] and the positions of others -> [finding]
//! ```
//!
//! [`render`] writes such a file, for the drafts of a model. [`playable`] lists the topics on which debates can be played,
//! [`suggestions`] those on which writings differ, and [`sides`] which side some words take.
//!
//! Pure; imports `events` and `questions`. Files are read by `ingest`.

pub mod all_quotes;
pub mod check;
pub mod collector;
pub mod fact_check;
pub mod finding;
pub mod model;
pub mod parse;
pub mod playable;
pub mod render;
pub mod reply_check;
pub mod sides;
pub mod suggestions;
pub mod table;
pub mod writings;

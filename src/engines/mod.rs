//! The ways to debate.
//!
//! One file an engine: a pure state machine ([`crate::kernel::engine::Engine`]) with its prompts beside it in Markdown.
//! No engine knows another. What they share is how a persona and a view are told to a model ([`brief`]) and what their
//! options look like ([`options`]). [`registry`] lists them, one line each.
//!
//! Pure. Imports everything below it on the pure side. To add an engine, start from [`dialectic`], the smallest.

pub mod brief;
pub mod options;
pub mod graph;
pub mod graph_replies;
pub mod graph_reading;
pub mod dialectic;
pub mod dialectic_replies;
pub mod dialectic_reading;
pub mod registry;

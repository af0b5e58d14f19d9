//! The ways to debate.
//!
//! One file an engine: a pure state machine ([`crate::kernel::engine::Engine`]) with its prompts beside it in Markdown.
//! No engine knows another. What they share is how a view ([`brief`]) and a persona ([`manner`]) are told to a model, what their
//! options look like ([`options`]) and the words of closed lists in replies ([`replies`]); `dialogue` and `disputes` share
//! the talk that they draw from ([`talk`]). [`registry`] lists them, one line each.
//!
//! Pure. Imports everything below it on the pure side. To add an engine, start from [`dialectic`], the smallest.

pub mod brief;
pub mod manner;
pub mod options;
pub mod replies;
pub mod graph;
pub mod graph_replies;
pub mod graph_reading;
pub mod dialectic;
pub mod dialectic_replies;
pub mod dialectic_reading;
pub mod talk_options;
pub mod talk_words;
pub mod talk_sameness;
pub mod talk_circling;
pub mod talk_phases;
pub mod talk_state;
pub mod talk_floor;
pub mod talk_hints;
pub mod talk_telling;
pub mod talk_replies;
pub mod talk_reading;
pub mod talk;
#[cfg(test)]
mod talk_sample;
pub mod dialogue;
pub mod dialogue_replies;
pub mod dialogue_reading;
pub mod disputes;
pub mod disputes_replies;
pub mod disputes_reading;
pub mod external;
pub mod registry;

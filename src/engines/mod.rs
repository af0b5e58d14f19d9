//! The debate engines.
//!
//! Each engine is a pure state machine ([`crate::kernel::engine::Engine`]) in a file of its own, with its prompts
//! beside it in Markdown. Engines do not depend on one another. They share the prompt descriptions of views ([`brief`])
//! and personas ([`manner`]), the handling of options ([`options`]) and the enumerations in replies ([`replies`]);
//! `dialogue` and `disputes` also share the talk that they distill ([`talk`]). [`registry`] lists all engines.
//!
//! Pure. May import every pure module on a lower floor. To add an engine, start from [`dialectic`], the smallest one.

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

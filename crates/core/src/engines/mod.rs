//! The debate engines.
//!
//! Each engine is a pure state machine ([`crate::kernel::engine::Engine`]) in a file of its own, with its prompts
//! beside it in Markdown. Engines do not depend on one another. They share the prompt descriptions of views ([`brief`])
//! and personas ([`manner`]), the handling of options ([`options`]) and the enumerations in replies ([`replies`]);
//! `dialogue` and `disputes` also share the talk that they distill ([`talk`]). [`registry`] lists all engines.
//!
//! Pure. May import every pure module on a lower floor. To add an engine, start from [`dialectic`], the smallest one.

pub mod dialectic;
pub mod dialogue;
pub mod disputes;
pub mod external;
pub mod graph;
pub mod registry;
pub mod shared;
pub mod talk;

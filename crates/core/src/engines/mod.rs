//! The debate engines.
//!
//! Each engine is a pure state machine ([`crate::kernel::engine::Engine`]) in a folder of its own, with its prompts
//! beside it in Markdown. Engines do not depend on one another. What several of them need is in [`shared`]: prompts that
//! describe views and personas, the parsing of options, and closed lists in replies. `dialogue`, `disputes`,
//! `crux_rooms` and `forum` also share the talk that they distill ([`talk`]); `graph` and `dialectic` share the closing phase
//! ([`closing`]). `blitz` and `classical`, which share their folder, use both. `baseline` uses the talk, and
//! asks for it without a protocol.
//!
//! [`registry`] lists all engines, one line each; the API, the command line and the tests derive from it. To add an
//! engine, start from [`dialectic`], the smallest one: write its folder, its line in the registry, and its rehearsals.
//!
//! Pure. May import every pure module on a lower floor.

pub mod baseline;
pub mod blackboard;
pub mod closing;
pub mod crux_rooms;
pub mod dialectic;
pub mod dialogue;
pub mod disputes;
pub mod external;
pub mod forum;
pub mod graph;
pub mod pro_con;
pub mod registry;
pub mod shared;
pub mod talk;

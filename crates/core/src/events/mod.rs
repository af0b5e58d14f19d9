//! Events: the facts that a debate's log records.
//!
//! One vocabulary for every engine: event bodies in one file per family, the [`event::Event`] enum that joins them, and
//! the only code that knows their stored form ([`wire`], [`upcast`]).
//!
//! Pure. Imports no other module of this crate. Contains no engine, view, table or clock: the log assigns an event's
//! time and position.

pub mod argument;
pub mod check;
pub mod crux;
pub mod dispute;
pub mod distillation;
pub mod edition;
pub mod event;
pub mod fork;
pub mod ids;
pub mod imported;
pub mod lifecycle;
pub mod persona;
pub mod proposal;
pub mod receipt;
pub mod summary_line;
pub mod turn;
pub mod upcast;
pub mod wire;

//! Events: the facts that a debate's log records.
//!
//! One vocabulary for every engine: event bodies in one file per family, the [`event::Event`] enum that joins them, and
//! the only code that knows their stored form ([`wire`], [`upcast`]).
//!
//! Pure. Imports no other module of this crate. Contains no engine, view, table or clock: the log assigns an event's
//! time and position.

pub mod ids;
pub mod persona;
pub mod edition;
pub mod lifecycle;
pub mod fork;
pub mod receipt;
pub mod turn;
pub mod argument;
pub mod dispute;
pub mod crux;
pub mod check;
pub mod distil;
pub mod proposal;
pub mod imported;
pub mod event;
pub mod upcast;
pub mod wire;
pub mod tell;

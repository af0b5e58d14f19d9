//! What can happen.
//!
//! One vocabulary of events for every engine: bodies in a file per family, the [`event::Event`] enum that joins them,
//! and the only code that knows how they are stored ([`wire`], [`upcast`]).
//!
//! Pure. Imports nothing of this crate. Knows no engine, no view, no table and no clock: an event's time and place are
//! given to it by the log.

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

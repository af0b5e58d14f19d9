//! Events: the facts that a debate's log records.
//!
//! One vocabulary for every engine: event bodies in one file per family; the list of kinds, from which the
//! [`event::Event`] enum derives; the only code that knows their stored form ([`wire`], [`upcast`]); and their reference
//! for readers ([`mod@reference`]).
//!
//! Pure. Imports no other module of this crate. Contains no engine, view, table or clock: the log assigns an event's
//! time and position.

pub mod argument;
pub mod audit;
pub mod channel;
pub mod checks;
pub mod citation;
pub mod crux;
pub mod dispute;
pub mod distillation;
pub mod edition;
pub mod event;
pub mod ids;
pub mod imported;
pub mod lifecycle;
pub mod persona;
pub mod proposal;
pub mod receipt;
pub mod reference;
pub mod registry;
pub mod summary;
pub mod table;
pub mod turn;
pub mod upcast;
pub mod wire;

//! Cruxes, of one debate and across debates, and questions that recur.

pub mod card;
pub mod crux;
pub mod crux_events;
pub mod recurring;

//! Relay pages of debates, cruxes, disputes, documents, events and turns: from arguments to rows to connections.

pub mod crux_pages;
pub mod debate_pages;
pub mod dispute_pages;
pub mod document_pages;
pub mod log_pages;
pub mod stream_pages;

//! The verdict of a debate on the terminal: cruxes, common ground, camps, citations, and why.

pub mod audit;
pub mod card;
pub mod common_ground;
pub mod crux_card;
pub mod findings;
pub mod grounding_section;
pub mod record_sections;
pub mod report;
pub mod thread;
pub mod verdict_sections;

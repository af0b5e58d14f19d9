//! Figures of a report: measures, and how well speech is grounded in cited passages.

pub mod grounding;
pub mod measures;

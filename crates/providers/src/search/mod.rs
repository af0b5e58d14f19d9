//! Web searches for texts that bear on a claim.
//!
//! [`tavily`] and [`searxng`] call a search service each. [`service`] makes the calls, by the rules of [`crate::http`],
//! and reports their failures; [`results`] converts what a service returns. Only these texts are used: no result is
//! fetched.

pub mod results;
pub mod searxng;
pub mod service;
pub mod tavily;

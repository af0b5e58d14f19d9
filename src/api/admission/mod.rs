//! Admission: tokens and roles, rate limits, limits of documents, persisted queries, origins and the fold budget.
//!
//! Decides whether a request may run. Runs nothing itself.

pub mod cost_limits;
pub mod document_limits;
pub mod fold_budget;
pub mod origin;
pub mod persisted;
pub mod rate;
pub mod token_file;
pub mod token_limits;
pub mod tokens;

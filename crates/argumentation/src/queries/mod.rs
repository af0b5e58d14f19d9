//! Queries that do not need all extensions.
//!
//! | file | contents |
//! |------|----------|
//! | `argument_acceptance` | entry point: credulous and sceptical acceptance of one argument |
//! | `extension_search` | entry point: one extension: any, or one with or without an argument |
//! | `acceptance_search` | a set that decides the acceptance of one argument under preferred semantics |

pub mod acceptance_search;
pub mod argument_acceptance;
pub mod extension_search;

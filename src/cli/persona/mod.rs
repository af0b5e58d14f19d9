//! `faultline persona`: who personas are, how they came to be so, whether their files hold, and drafts of new ones.
//!
//! Files are read as they are; only `history`, `show --version` and `check` look into the database, and `check` only where
//! there is one.

pub mod args;
pub mod list;
pub mod show;
pub mod history;
pub mod check;
pub mod build;

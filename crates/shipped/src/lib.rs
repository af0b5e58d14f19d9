//! Files of the personas and corpora: on disk, or built into the program.
//!
//! ```text
//! personas/, corpus/ ── build.rs ── built_in ──┐
//!                                              files ──> config, ingest, the command line
//! folders on disk ─────────────────────────────┘
//! ```
//!
//! A path that begins with `built-in:` names a folder or a file of the program; every other path names one on disk.
//! Whoever reads personas and corpora asks [`files`], and does not need to know which it is.

pub mod built_in;
pub mod files;

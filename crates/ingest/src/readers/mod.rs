//! Readers that convert the bytes of a source to documents.
//!
//! | form | reader | documents |
//! |------|---------|-----------|
//! | Markdown, plain text | [`plain`], with [`front_matter`] and [`markdown`] | one |
//! | HTML | [`html`], with a library that finds the main text | one |
//! | RSS, Atom | [`feed`] | one per entry |
//! | X archive | [`posts`] | one per month |
//! | PDF | [`pdf`] | one |
//!
//! Untrusted documents are decoded by [`decode`], measured by [`nesting`] before any parser runs, and parsed in a
//! separate process with limits on memory and time ([`parser_sandbox`]): a parser that panics, exceeds its limits or hangs loses
//! its source, but does not stop the ingest.
//!
//! Readers access no file system (except for the archive given to them), no network and no library.

pub mod archive;
pub mod decode;
pub mod document;
pub mod feed;
pub mod form;
pub mod front_matter;
pub mod html;
pub mod markdown;
pub mod nesting;
pub mod parser_sandbox;
pub mod pdf;
pub mod plain;
pub mod posts;
pub mod read;

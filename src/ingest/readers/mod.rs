//! From the bytes of a source to documents.
//!
//! | form | read by | documents |
//! |------|---------|-----------|
//! | Markdown | [`super::chunks`] | one |
//! | plain text | [`plain`] | one |
//! | HTML | [`html`], by a library that finds the main text | one |
//! | RSS, Atom | [`feed`] | one an entry |
//! | an X archive | [`posts`] | one a month |
//! | PDF | [`pdf`] | one |
//!
//! Documents of strangers are decoded by [`decode`], measured by [`nesting`] before a parser sees it, and parsed by a process of
//! its own with limits on memory and time ([`apart`]): a parser that panics, takes too much or does not come back costs its
//! source, not the ingest.
//!
//! A reader knows no file system but for the archive it is handed, no network and no library.

pub mod form;
pub mod document;
pub mod read;
pub mod apart;
pub mod decode;
pub mod nesting;
pub mod plain;
pub mod html;
pub mod feed;
pub mod posts;
pub mod archive;
pub mod pdf;

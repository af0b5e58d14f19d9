//! File formats of abstract argumentation: reading and writing `apx`, `tgf` and `af`.
//!
//! | format | example | origin |
//! |--------|---------|--------|
//! | [`apx`] | `arg(a). arg(b). att(a,b).` | facts of answer set programming, as read by ASPARTIX |
//! | [`tgf`] | names, a line `#`, pairs of names | Trivial Graph Format |
//! | [`af`] | `p af 2`, then `1 2` | the ICCMA competition since 2023 |
//! | [`apx_changes`] | `+att(a,b). -arg(c).` | changes to a framework, after the dynamic track of ICCMA 2019 |
//!
//! ```text
//! bytes --format--> one of the three --read--> names + framework --write--> text in any of the three
//! ```
//!
//! A file is parsed completely or refused with the position and the expected input: only comments, and the labels that
//! `tgf` allows, are skipped. Reading a written text returns the same arguments and attacks, and the same names if the
//! format has names.
//!
//! Out of scope: file access. The input is bytes, and the output is text.

pub mod af;
pub mod apx;
pub mod apx_changes;
pub mod cursor;
pub mod file_limits;
pub mod format;
pub mod interner;
pub mod name_span;
pub mod named_framework;
pub mod names;
pub mod parse_error;
pub mod read;
pub mod tgf;
pub mod write;

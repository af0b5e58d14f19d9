//! The file formats of abstract argumentation: `apx`, `tgf` and `af`, read and written.
//!
//! | format | what it looks like | where it is from |
//! |--------|--------------------|------------------|
//! | [`apx`] | `arg(a). arg(b). att(a,b).` | facts of answer set programming, as ASPARTIX reads them |
//! | [`tgf`] | names, a line `#`, pairs of names | Trivial Graph Format |
//! | [`af`] | `p af 2`, then `1 2` | the competition ICCMA since 2023 |
//!
//! ```text
//! bytes --format--> which of the three --read--> names + framework --write--> text of any of the three
//! ```
//!
//! What is read is wholly understood or refused with its place and what was expected there: nothing is skipped but
//! comments, and the labels that `tgf` may carry. What is written reads back as the same arguments, names and attacks.
//!
//! Not here: files. These are bytes in, and text out.

pub mod format;
pub mod read;
pub mod write;

pub mod apx;
pub mod tgf;
pub mod af;

pub mod names;
pub mod misread;
pub mod cursor;
pub mod interner;

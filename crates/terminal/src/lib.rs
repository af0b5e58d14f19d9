//! Terminal rendering of debates.
//!
//! Everything here turns a fold or a view into lines of text; nothing is requested, written or decided. The commands
//! print what these functions return.
//!
//! | output | folder or file |
//! |--------|----------------|
//! | a debate as it happens, and who is being waited for | [`live`](mod@live), after [`opening`] |
//! | the verdict as a card, and the full report on one debate | [`verdict`] |
//! | debates, cruxes, events, passages, imports | [`tables`] |
//!
//! Below them is a small typesetter, [`text`](mod@text). [`text::span`] is text in a tone: all text written by a model, a
//! corpus or a person enters through [`text::span::untrusted`], which removes control characters ([`text::clean`]).
//! [`text::wrap`] breaks spans into lines, and [`text::page`] lays the lines out, converts them to ASCII if required,
//! colours them, and keeps them within the width of the terminal.
//!
//! Imports the pure crates; for search results and cited passages also `faultline_service` and `faultline_store`.

pub mod citation_numbers;
pub mod labels;
pub mod live;
pub mod opening;
pub mod passage_list;
pub mod speakers;
pub mod tables;
pub mod text;
pub mod verdict;
pub mod verdict_context;

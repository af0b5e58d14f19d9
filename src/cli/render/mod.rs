//! Terminal rendering of debates.
//!
//! Everything here turns a fold or a view into lines of text; nothing is requested, written or decided. The commands
//! print what these functions return.
//!
//! | output | file |
//! |--------|------|
//! | a debate as it happens | [`stage`](mod@stage), made of [`opening`], [`speech`], [`talk`], [`clerk`], |
//! | | [`proposal`], [`judging`] and [`notices`] |
//! | who is being waited for | [`waiting`] |
//! | the verdict as a card | [`card`], of the parts in [`findings`], [`ground`] and [`standing`] |
//! | the full report on one debate | [`report`], with the arguments in [`thread`] |
//! | all debates | [`list`] |
//! | the events, one line each | [`history`] |
//!
//! Below them is a small typesetter. [`span`] is text in a tone: all text written by a model, a corpus or a person
//! enters through [`span::untrusted`], which removes control characters ([`clean`]). [`wrap`] breaks spans into lines, and
//! [`page`] lays the lines out, converts them to ASCII if required, colours them, and keeps them within the width of
//! the terminal.
//!
//! Imports `events`, `argumentation`, `projections` and `verdicts`; for search results also `desk` and `store`.

pub mod citation_numbers;
pub mod labels;
pub mod live;
pub mod opening;
pub mod speakers;
pub mod tables;
pub mod text;
pub mod verdict;
pub mod verdict_context;

//! What the terminal shows of a debate.
//!
//! Everything here is a fold or a view turned into lines of text; nothing is asked, written or decided. The commands
//! print what these functions return.
//!
//! | wanted | file |
//! |--------|------|
//! | a debate as it happens | [`stage`](mod@stage), made of [`opening`], [`speech`], [`talk`], [`clerk`], [`proposal`], [`judging`], [`notices`] |
//! | who is being waited for | [`waiting`] |
//! | the verdict as a card | [`card`], of the parts in [`findings`], [`ground`] and [`standing`] |
//! | all there is to say of one debate | [`report`], with the arguments in [`thread`] |
//! | all debates | [`list`] |
//! | one line an event | [`history`] |
//!
//! Below them lies a small typesetter. [`span`] is text in a tone: whatever a model, a corpus or a person wrote enters
//! through [`span::told`] and leaves its control characters behind ([`clean`]). [`wrap`] breaks spans into lines, and
//! [`page`] lays the lines out, folds them to ASCII where nothing else is wanted, colours them, and never lets one grow
//! wider than the terminal.
//!
//! Imports `events`, `argumentation`, `projections` and `verdicts`; for what a search found, `desk` and `store` too.

pub mod ascii;
pub mod card;
pub mod clean;
pub mod clerk;
pub mod cruxes;
pub mod recurring;
pub mod diff;
pub mod findings;
pub mod ground;
pub mod history;
pub mod imported;
pub mod ingested;
pub mod judging;
pub mod list;
pub mod notices;
pub mod opening;
pub mod page;
pub mod passages;
pub mod holdings;
pub mod proposal;
pub mod report;
pub mod sources;
pub mod cited;
pub mod span;
pub mod speakers;
pub mod speech;
pub mod stage;
pub mod standing;
pub mod style;
pub mod talk;
pub mod tally;
pub mod telling;
pub mod thread;
pub mod waiting;
pub mod words;
pub mod wrap;

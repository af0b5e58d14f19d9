//! Statement in a report: who said what, and in which turn.

use crate::events::ids::TurnId;

/// Statement with its turn and its speaker.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Index of the speaker in speaking order; `None` for the moderator.
    pub speaker: Option<usize>,
    /// Turn in which it was made.
    pub turn: TurnId,
    /// Label of one or two words.
    pub what: String,
    /// Text of the statement.
    pub text: String,
}

//! Blocks of a running debate, which have one heading each.

use faultline_core::events::ids::PersonaId;

/// Block that the last printed line belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// Nothing yet, or a title.
    Title,
    /// Turn of a speaker.
    Speech(Option<PersonaId>),
    /// Judgements.
    Judging,
    /// Output of the clerk.
    Clerk,
    /// Notices.
    Aside,
}

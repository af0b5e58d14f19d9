//! Turns: contributions of participants, with citations, hints and concessions.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::events::dispute::Side;
use crate::events::ids::{ArgumentId, CruxId, DisputeId, PersonaId, RoomId, TurnId};

/// A participant took a turn. Its effects on graph and disputes follow as separate events in the same append.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnTaken {
    /// The turn.
    pub turn: TurnId,
    /// Participant who spoke.
    pub speaker: PersonaId,
    /// Number of the round, if the engine has rounds; 0 is the opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// The room; `None` in the main channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<RoomId>,
    /// Moves of the turn; at least one.
    pub moves: Vec<Move>,
    /// The earlier turn that this turn answers, if any. Its speaker is the addressee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<TurnId>,
    /// Text of the turn.
    pub text: String,
    /// Library passages cited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
    /// Parts of the reply that were rejected, each with the reason; the rest was accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// Number of cited passages that had not been supplied; they are included in `refused`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dangling: u32,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Move that a turn makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    /// Advances an argument.
    Claim,
    /// Attacks an argument.
    Challenge,
    /// Clarifies an earlier statement.
    Clarify,
    /// Makes a concession.
    Concede,
    /// Reframes the question.
    Reframe,
    /// Names the point on which the disagreement turns.
    ProposeCrux,
    /// Drafts, criticizes or synthesizes a proposal.
    Propose,
}

/// Citation of a supplied passage. Citations of passages that were not supplied are dropped and recorded as rejected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Citation {
    /// Alias in the prompt.
    pub alias: String,
    /// The stored chunk.
    pub chunk: Uuid,
    /// Quotations from the passage, each checked against it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<Quote>,
}

impl Citation {
    /// Creates a citation whose quotations have not been looked for yet.
    pub fn new(alias: impl Into<String>, chunk: Uuid) -> Citation {
        Citation { alias: alias.into(), chunk, quotes: Vec::new() }
    }
}

/// Quotation from a passage, with the result of its check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quote {
    /// The words as the speaker wrote them.
    pub text: String,
    /// Result of the check.
    pub check: QuoteCheck,
    /// Byte ranges in the stored chunk: one, or one for each piece of an abridged quotation; empty if unverified.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<ByteRange>,
}

/// Result of checking a quotation. Variants of white space, quotation marks and dashes are treated as equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuoteCheck {
    /// The passage contains the words exactly.
    Verbatim,
    /// The passage contains the pieces in this order, with ellipses for omissions.
    Abridged,
    /// The passage does not contain the words.
    Unverified,
}

impl QuoteCheck {
    /// Returns the wire name: `verbatim`, `abridged` or `unverified`.
    pub fn name(self) -> &'static str {
        match self {
            QuoteCheck::Verbatim => "verbatim",
            QuoteCheck::Abridged => "abridged",
            QuoteCheck::Unverified => "unverified",
        }
    }
}

/// Byte range of a stored chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ByteRange {
    /// First byte.
    pub from: u32,
    /// Byte after the last one.
    pub to: u32,
}

/// A moderator gave the next speaker a private hint. At most one per turn; never in the opening or closing phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HintGiven {
    /// Participant who receives the hint.
    pub speaker: PersonaId,
    /// Occasion of the hint.
    pub hint: Hint,
    /// Text of the hint, as it appears in the prompt.
    pub text: String,
    /// The turn that gave rise to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<TurnId>,
    /// The dispute on which the speaker is asked to take a side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispute: Option<DisputeId>,
    /// The crux that the speaker is asked to accept or reject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crux: Option<CruxId>,
}

/// Occasion of a moderator's hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hint {
    /// Another participant made a concession.
    Conceded,
    /// Another participant reframed the question.
    Reframed,
    /// The discussion is repeating itself.
    Circling,
    /// A challenge went unanswered for several turns.
    OneSided,
    /// Several challenges followed one another.
    Challenges,
    /// The last turns produced nothing new.
    Stuck,
    /// The speaker's stance on a dispute is unknown.
    StanceWanted,
    /// No crux of the disagreement has been named.
    CruxWanted,
    /// The speaker has not said what would change their mind.
    FlipWanted,
    /// The speaker has not said whether they accept the proposed crux.
    AgreementWanted,
}

/// A participant made a concession in a turn of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConcessionMade {
    /// The participant's own turn that contains the concession.
    pub turn: TurnId,
    /// Participant who conceded.
    pub speaker: PersonaId,
    /// Extent of the concession.
    pub kind: ConcessionExtent,
    /// The point conceded.
    pub what: String,
    /// Effect of the concession.
    pub effect: ConcessionEffect,
}

/// Extent of a concession.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConcessionExtent {
    /// The point is given up.
    Full,
    /// A narrower point is maintained.
    Partial,
    /// The point is maintained under a condition.
    Scope,
}

/// Effect of a concession. The event that carries it out follows in the same append.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ConcessionEffect {
    /// An argument of the speaker's was withdrawn.
    Withdrew {
        /// The argument.
        argument: ArgumentId,
    },
    /// An argument of the speaker's was narrowed or put under a condition.
    Revised {
        /// The argument.
        argument: ArgumentId,
    },
    /// The speaker changed sides.
    Moved {
        /// The dispute.
        dispute: DisputeId,
        /// The new side.
        to: Side,
    },
    /// The concession affected none of the speaker's arguments or stances.
    Said,
}

//! What a participant says.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::events::dispute::Side;
use crate::events::ids::{ArgumentId, CruxId, DisputeId, PersonaId, RoomId, TurnId};

/// A participant spoke. What the turn did to graph and disputes follows in events of their own, in the same append.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnTaken {
    /// The turn.
    pub turn: TurnId,
    /// Who spoke.
    pub speaker: PersonaId,
    /// The round, where the engine has rounds; 0 is the opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// The room in which; `None` in the main channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<RoomId>,
    /// What the turn does; one or more.
    pub moves: Vec<Move>,
    /// The earlier turn that it answers, where it answers one. Whose turn that is, is addressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<TurnId>,
    /// What was said.
    pub text: String,
    /// The passages it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
    /// What the reply held that could not be taken, each with the reason; the rest was kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// How many passages it cited that were not given; they are among the refused.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dangling: u32,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// What a turn does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    /// Advances an argument.
    Claim,
    /// Attacks one.
    Challenge,
    /// Says what was meant.
    Clarify,
    /// Gives ground.
    Concede,
    /// Puts the question differently.
    Reframe,
    /// Says what the disagreement turns on.
    ProposeCrux,
    /// Drafts, criticizes or joins a proposal.
    Propose,
}

/// A passage that was given and is cited. What was cited but not given is dropped and counted among the refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Citation {
    /// What the prompt called it.
    pub alias: String,
    /// The stored chunk.
    pub chunk: Uuid,
    /// What was said in its words, each checked against it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<Quote>,
}

impl Citation {
    /// A passage that is cited, before anybody looked for its words.
    pub fn new(alias: impl Into<String>, chunk: Uuid) -> Citation {
        Citation { alias: alias.into(), chunk, quotes: Vec::new() }
    }
}

/// Words that stand for those of a passage, and whether they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quote {
    /// The words, as they were said.
    pub text: String,
    /// Whether the passage says so.
    pub check: QuoteCheck,
    /// Where in the stored chunk: one stretch, or one for each piece of an abridged quotation; none where it is not there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<ByteRange>,
}

/// Whether words stand in a passage. Kinds of white space, quotation marks and dashes are not told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuoteCheck {
    /// Letter by letter.
    Verbatim,
    /// In pieces, in order, with an ellipsis for what was left out.
    Abridged,
    /// Not so.
    Unverified,
}

impl QuoteCheck {
    /// Its name: `verbatim`, `abridged`, `unverified`.
    pub fn name(self) -> &'static str {
        match self {
            QuoteCheck::Verbatim => "verbatim",
            QuoteCheck::Abridged => "abridged",
            QuoteCheck::Unverified => "unverified",
        }
    }
}

/// Bytes of a stored chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ByteRange {
    /// The first.
    pub from: u32,
    /// The one behind the last.
    pub to: u32,
}

/// A moderator whispered to the next speaker. At most once before a turn, and never in the opening or at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HintGiven {
    /// To whom.
    pub speaker: PersonaId,
    /// Why.
    pub hint: Hint,
    /// What was whispered, as the prompt tells it.
    pub text: String,
    /// The turn that gave rise to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<TurnId>,
    /// The dispute on which the speaker is asked to take a side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispute: Option<DisputeId>,
    /// The crux that the speaker is asked to agree with or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crux: Option<CruxId>,
}

/// Why a moderator whispers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hint {
    /// Somebody else gave ground.
    Conceded,
    /// Somebody else put the question differently.
    Reframed,
    /// The talk goes in circles.
    Circling,
    /// A challenge went unanswered for some turns.
    OneSided,
    /// Challenge followed on challenge.
    Challenges,
    /// Nothing new came of the last turns.
    Stuck,
    /// Where does the speaker stand on a dispute?
    StanceWanted,
    /// What do they really disagree about?
    CruxWanted,
    /// What would change the speaker's mind?
    FlipWanted,
    /// Does the speaker agree that this is the crux?
    AgreementWanted,
}

/// A participant gave ground, in a turn of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConcessionMade {
    /// The turn of the conceder's own in which.
    pub turn: TurnId,
    /// The conceder.
    pub speaker: PersonaId,
    /// How far.
    pub kind: Concession,
    /// What was conceded.
    pub what: String,
    /// What came of it.
    pub effect: ConcessionEffect,
}

/// How far a concession goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Concession {
    /// The point is given up.
    Full,
    /// A narrower point is kept.
    Partial,
    /// The point is kept under a condition.
    Scope,
}

/// What came of a concession. The event that does it follows in the same append.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ConcessionEffect {
    /// An argument of the conceder's was withdrawn.
    Withdrew {
        /// Which.
        argument: ArgumentId,
    },
    /// An argument of the conceder's was narrowed, or put under a condition.
    Revised {
        /// Which.
        argument: ArgumentId,
    },
    /// The conceder changed sides.
    Moved {
        /// On which dispute.
        dispute: DisputeId,
        /// To which side.
        to: Side,
    },
    /// It was said, and nothing of the conceder's rested on it.
    Said,
}

//! Names and enumerations that several types share.

use async_graphql::{Enum, InputValueError, InputValueResult, Number, Scalar, ScalarType, Value};

use crate::argumentation::{labelling, semantics};
use crate::events::argument;
use crate::events::check;
use crate::events::crux;
use crate::events::dispute;
use crate::events::turn;
use crate::projections::{crux_rooms, dispute_graph, summary};
use crate::verdicts::{regime, shifts};

/// An enumeration and its counterpart inside the house, variant by variant: the compiler demands a new one here.
macro_rules! counterpart {
    ($(#[$about:meta])* $name:ident = $inner:path { $($(#[$said:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$said])* $variant),+
        }

        impl From<$inner> for $name {
            fn from(inner: $inner) -> Self {
                match inner {
                    $(<$inner>::$variant => $name::$variant),+
                }
            }
        }
    };
}

counterpart! {
    /// Where a debate is in its life.
    DebateStatus = summary::Status {
        /// Under way.
        Running,
        /// Somebody asked it to wait.
        Paused,
        /// It ended by itself.
        Concluded,
        /// Somebody ended it.
        Aborted,
    }
}

counterpart! {
    /// Whether an argument stands: by the grounded labelling, where no other semantics was asked for.
    LabelValue = labelling::Label {
        /// It stands: whatever attacks it is defeated.
        In,
        /// It is defeated by an argument that stands.
        Out,
        /// Neither.
        Undec,
    }
}

/// Which sets of arguments are accepted together.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "semantics::Semantics")]
pub enum Semantics {
    /// The least that is complete: nobody gets the benefit of the doubt. Exactly one set.
    Grounded,
    /// Sets that attack none of their own, attack all that attacks them, and hold all they defend.
    Complete,
    /// The maximal complete ones: the positions that one can hold.
    Preferred,
    /// Sets that attack none of their own and all else. There may be none.
    Stable,
    /// Complete ones that hold or attack as much as they can.
    SemiStable,
    /// Sets that attack none of their own, and hold or attack as much as they can.
    Stage,
    /// The largest admissible set within all preferred ones. Exactly one.
    Ideal,
}

counterpart! {
    /// A side of a dispute.
    Side = dispute::Side {
        /// Yes.
        Yes,
        /// No.
        No,
        /// It depends. Never counts as agreement.
        Nuanced,
        /// Not made up. Never counts as agreement.
        Undecided,
    }
}

counterpart! {
    /// Where a dispute is in its life.
    DisputeStatus = dispute_graph::DisputeStatus {
        /// Raised; nobody has contradicted anybody on it.
        Proposed,
        /// At least one says yes and another says no.
        Open,
        /// It was open, and all who take a side now take the same.
        Settled,
        /// It no longer counts.
        Retired,
    }
}

impl DisputeStatus {
    /// Its name in the list of disputes.
    pub fn name(self) -> &'static str {
        match self {
            DisputeStatus::Proposed => "proposed",
            DisputeStatus::Open => "open",
            DisputeStatus::Settled => "settled",
            DisputeStatus::Retired => "retired",
        }
    }
}

counterpart! {
    /// Where a room is in its life.
    RoomStatus = crux_rooms::RoomStatus {
        /// Turns can be taken in it.
        Open,
        /// It was closed.
        Closed,
        /// The debate ended before anybody closed it.
        LeftOpen,
    }
}

counterpart! {
    /// How a room ended, by the word of whoever closed it.
    RoomOutcome = crux::RoomOutcome {
        /// They came to the same side. Whether they did is told by their stances, and by nothing else.
        Resolved,
        /// They say plainly what divides them, and it still does.
        Surfaced,
        /// Its turns were spent. Never a sign of agreement.
        Exhausted,
        /// It could not go on, or nothing could be drawn from it.
        Failed,
        /// Whoever runs the debate closed it before its end.
        Abandoned,
    }
}

counterpart! {
    /// What people disagree about when they disagree.
    DisagreementKind = crux::Disagreement {
        /// Within which time.
        Horizon,
        /// What is the case, or what shows it.
        Evidence,
        /// What matters.
        Values,
        /// What a word means.
        Definition,
        /// A claim.
        Claim,
        /// What a claim rests on.
        Premise,
    }
}

counterpart! {
    /// What a check of a claim comes to.
    CheckVerdict = check::CheckVerdict {
        /// The sources bear it out.
        True,
        /// The sources tell against it.
        False,
        /// Nothing that was found decides it. No word against the claim.
        Unverifiable,
    }
}

counterpart! {
    /// What kind of state a debate is in.
    RegimeKind = regime::RegimeKind {
        /// Nothing can be said yet.
        Undetermined,
        /// Something is agreed, nothing is split, and everything was looked at.
        Consensus,
        /// Something is split and nothing is agreed.
        Polarized,
        /// Something is split and something is agreed.
        Partial,
    }
}

counterpart! {
    /// How an attack works.
    AttackKind = argument::AttackKind {
        /// Against the claim; mutual.
        Rebut,
        /// Against a premise or an assumption; directed.
        Undermine,
        /// Against the step from premises to claim; directed.
        Undercut,
    }
}

counterpart! {
    /// What a reason does to a stance.
    Polarity = dispute::Polarity {
        /// Tells for it.
        Supports,
        /// Tells against it.
        Attacks,
    }
}

counterpart! {
    /// Whether words stand in a passage. Kinds of white space, quotation marks and dashes are not told apart.
    QuoteCheck = turn::QuoteCheck {
        /// Letter by letter.
        Verbatim,
        /// In pieces, in order, with an ellipsis for what was left out.
        Abridged,
        /// Not so.
        Unverified,
    }
}

counterpart! {
    /// Why a moderator whispers.
    HintKind = turn::Hint {
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
}

counterpart! {
    /// What a participant's way from first to last stance comes to.
    ShiftKind = shifts::ShiftKind {
        /// The last side is the first one, whatever was between.
        Kept,
        /// From yes to no, or from no to yes.
        Reversed,
        /// They had not taken yes or no at first, and have now.
        Decided,
        /// They do not say yes or no any more, or never did and waver in another way.
        Wavered,
    }
}

counterpart! {
    /// What a turn does.
    Move = turn::Move {
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
}

impl DebateStatus {
    /// Its name in the list of debates.
    pub fn name(self) -> &'static str {
        match self {
            DebateStatus::Running => summary::Status::Running.name(),
            DebateStatus::Paused => summary::Status::Paused.name(),
            DebateStatus::Concluded => summary::Status::Concluded.name(),
            DebateStatus::Aborted => summary::Status::Aborted.name(),
        }
    }
}

/// A number that may be too great for GraphQL's `Int`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Long(pub u64);

/// A whole number from 0 that may be greater than an `Int`: at most 2^64 - 1. Where a client has no numbers of that size,
/// it may be given as text.
#[Scalar]
impl ScalarType for Long {
    fn parse(value: Value) -> InputValueResult<Self> {
        let read = match &value {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        read.map(Long)
            .ok_or_else(|| InputValueError::custom(format!("{value:.40} is no whole number from 0 to 2^64 - 1")))
    }

    fn to_value(&self) -> Value {
        Value::Number(Number::from(self.0))
    }
}

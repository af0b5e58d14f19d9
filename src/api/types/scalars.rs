//! Enumerations and scalars that several types share.

use async_graphql::{Enum, InputType, InputValueError, InputValueResult, Number, Scalar, ScalarType, Value};

use faultline_argumentation::{labelling, semantics};
use faultline_core::events::argument;
use faultline_core::events::argument::ArgumentPart;
use faultline_core::events::channel as channel_events;
use faultline_core::events::checks::check;
use faultline_core::events::citation;
use faultline_core::events::crux as crux_events;
use faultline_core::events::dispute;
use faultline_core::events::imported;
use faultline_core::events::lifecycle::DebateOutcome;
use faultline_core::events::proposal;
use faultline_core::events::turn;
use faultline_core::projections::disputes::dispute_state;
use faultline_core::projections::{crux_rooms, summary};
use faultline_core::verdicts::concessions::shifts;
use faultline_core::verdicts::disagreement::fault_category;
use faultline_core::verdicts::{consequence, crux, regime};

/// Defines a GraphQL enumeration that mirrors a domain enumeration variant by variant. A new domain variant without a
/// counterpart is a compile error.
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
    /// Status of a debate.
    DebateStatus = summary::Status {
        /// Running.
        Running,
        /// Paused on request.
        Paused,
        /// Ended by itself.
        Concluded,
        /// Cancelled on request.
        Cancelled,
    }
}

counterpart! {
    /// Acceptance label of an argument, under the grounded semantics unless another one was requested.
    LabelValue = labelling::Label {
        /// Accepted: every attacker is defeated.
        In,
        /// Defeated by an accepted argument.
        Out,
        /// Neither accepted nor defeated.
        Undec,
    }
}

/// Semantics of abstract argumentation: the definition of jointly accepted sets of arguments.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "semantics::Semantics")]
pub enum Semantics {
    /// The least complete extension: it accepts only what is beyond doubt. Exactly one set.
    Grounded,
    /// Conflict-free sets that attack all their attackers and contain every argument they defend.
    Complete,
    /// Maximal complete extensions: the positions that can be held consistently.
    Preferred,
    /// Conflict-free sets that attack every argument outside them. There may be none.
    Stable,
    /// Complete extensions that contain or attack as many arguments as possible.
    SemiStable,
    /// Conflict-free sets that contain or attack as many arguments as possible.
    Stage,
    /// The largest admissible set that is contained in every preferred extension. Exactly one set.
    Ideal,
}

counterpart! {
    /// Sides of a dispute.
    Side = dispute::Side {
        /// Yes.
        Yes,
        /// No.
        No,
        /// It depends. Never counts as agreement.
        Nuanced,
        /// Undecided. Never counts as agreement.
        Undecided,
    }
}

counterpart! {
    /// Subject of a fault line.
    FaultCategory = fault_category::FaultCategory {
        /// The time frame.
        TimeHorizon,
        /// Things taken for granted.
        Assumptions,
        /// Values and belonging.
        IdentityValues,
        /// Evidence and knowledge.
        Epistemology,
        /// Gains, costs and risks.
        Stakes,
    }
}

counterpart! {
    /// Sides of a position on a crux.
    CruxSide = crux::PositionSide {
        /// Says yes to the question.
        Yes,
        /// Says no to the question.
        No,
        /// Says that it depends.
        Nuanced,
        /// Says that it is undecided.
        Undecided,
        /// An argument of the participant rests on the statement.
        RestsOn,
        /// An argument of the participant attacks the statement, where another argument rests on it. The statement had
        /// been made before.
        Attacks,
        /// An argument of the participant attacks how the statement follows from its reasons. Nothing says that the
        /// statement itself is denied.
        Undercuts,
        /// A claim of the participant conflicts with the statement, and neither was made in answer to the other.
        ConflictsWith,
        /// Proposed it as the crux, and took no side on it.
        ProposesCrux,
        /// Agreed that it is the crux, and took no side on it.
        AgreesOnCrux,
    }
}

counterpart! {
    /// Kind of the claims that are counted as theses.
    CountedClaims = consequence::CountedClaims {
        /// Claims that answer the topic.
        Theses,
        /// All disputed claims, since no claim that answers the topic is attacked.
        DisputedClaims,
    }
}

counterpart! {
    /// Status of a dispute.
    DisputeStatus = dispute_state::DisputeStatus {
        /// Raised, but without opposing sides so far.
        Proposed,
        /// At least one participant says yes and another says no.
        Open,
        /// Was open; all participants with a side now take the same one.
        Settled,
        /// No longer counts.
        Retired,
    }
}

impl DisputeStatus {
    /// Returns the name used in the stored list of disputes.
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
    /// Kinds of rooms.
    RoomKind = crux_events::RoomKind {
        /// A room in which only its participants may speak, beside a moderator.
        Private,
        /// A thread: all participants of the debate may speak in it.
        Thread,
    }
}

counterpart! {
    /// Status of a room.
    RoomStatus = crux_rooms::RoomStatus {
        /// Accepts turns.
        Open,
        /// Closed.
        Closed,
        /// Still open when the debate ended.
        LeftOpen,
    }
}

counterpart! {
    /// Outcome of a room, as judged when it was closed.
    RoomOutcome = crux_events::RoomOutcome {
        /// The participants came to the same side. Only their stances prove that they did.
        Resolved,
        /// They stated clearly what divides them, and it still does.
        Surfaced,
        /// The room used up its turns. Never a sign of agreement.
        Exhausted,
        /// The room could not continue, or no result could be drawn up.
        Failed,
        /// Closed early on request.
        Abandoned,
    }
}

counterpart! {
    /// Stages of a room in which the participants take the same step, after their entry statements. A staged room has the first
    /// five; a panel has takes, replies and rejoinders on each aspect of its question, then a clash and a closing.
    RoomStage = channel_events::RoomStage {
        /// Each states the position of the other in its strongest form.
        Steelman,
        /// Each says whether the other has stated their position fairly.
        Confirmation,
        /// Each says why they disagree.
        Diagnosis,
        /// Each says what would change their mind.
        Falsifiers,
        /// Each says where they stand at the end, and what is settled.
        Resolution,
        /// Each says where they stand on an aspect, at the same time.
        Takes,
        /// Each replies to the take of the other.
        Replies,
        /// Each whose take was challenged answers the challenge.
        Rejoinders,
        /// They take turns on what divides them.
        Clash,
        /// Each says where they stand at the end of a panel.
        Closing,
    }
}

counterpart! {
    /// Kinds of disagreement.
    DisagreementKind = crux_events::Disagreement {
        /// The time horizon.
        Horizon,
        /// The facts, or the evidence for them.
        Evidence,
        /// Values.
        Values,
        /// The meaning of a word.
        Definition,
        /// A claim.
        Claim,
        /// A premise of a claim.
        Premise,
        /// Whether a claim follows from its premises.
        Inference,
    }
}

counterpart! {
    /// Results of a fact check.
    CheckVerdict = check::CheckVerdict {
        /// The sources confirm the claim.
        True,
        /// The sources contradict the claim.
        False,
        /// No source decides it. This does not count against the claim.
        Unverifiable,
    }
}

counterpart! {
    /// Kinds of overall state of a debate.
    RegimeKind = regime::RegimeKind {
        /// Not enough is known yet.
        Undetermined,
        /// There is agreement and no division, and every pair of claims was examined.
        Consensus,
        /// There is division and no agreement.
        Polarized,
        /// There is both division and agreement.
        Partial,
    }
}

impl RegimeKind {
    /// Returns the name used in the stored lists.
    pub fn name(self) -> &'static str {
        match self {
            RegimeKind::Undetermined => regime::RegimeKind::Undetermined.name(),
            RegimeKind::Consensus => regime::RegimeKind::Consensus.name(),
            RegimeKind::Polarized => regime::RegimeKind::Polarized.name(),
            RegimeKind::Partial => regime::RegimeKind::Partial.name(),
        }
    }
}

counterpart! {
    /// Kinds of attack.
    AttackKind = argument::AttackKind {
        /// Attacks the claim; mutual.
        Rebut,
        /// Attacks a premise or an assumption; directed.
        Undermine,
        /// Attacks the step from the premises to the claim; directed.
        Undercut,
    }
}

/// Components of an argument that an attack can be directed at.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttackComponent {
    /// The claim, or the step from the premises to it.
    Claim,
    /// One of the premises.
    Premise,
    /// One of the assumptions.
    Assumption,
}

impl From<ArgumentPart> for AttackComponent {
    fn from(part: ArgumentPart) -> Self {
        match part {
            ArgumentPart::Claim => AttackComponent::Claim,
            ArgumentPart::Premise(_) => AttackComponent::Premise,
            ArgumentPart::Assumption(_) => AttackComponent::Assumption,
        }
    }
}

counterpart! {
    /// Severities of an issue with a proposal.
    IssueSeverity = proposal::Severity {
        /// Worth mentioning.
        Minor,
        /// Should be fixed.
        Major,
        /// The proposal fails because of it.
        Critical,
    }
}

counterpart! {
    /// Recommendations of a critic.
    Recommendation = proposal::Recommendation {
        /// Accept the proposal as it is, in words and with a reason.
        Accept,
        /// Nothing to object. No agreement.
        NoObjection,
        /// Revise it.
        Revise,
        /// Reject it.
        Reject,
    }
}

/// Kinds of outcome of a debate.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeKind {
    /// The participants settled the question: they agreed on the crux in words, or came to one side of every dispute.
    Settled,
    /// Nothing new came. Not a sign of agreement.
    Exhausted,
    /// A limit was reached. Not a sign of agreement.
    Limit,
    /// The debate could not continue, because too few participants were left.
    Stalled,
    /// Effects on which the debate depended failed and were abandoned.
    Failed,
    /// The debate was cancelled on request.
    Cancelled,
}

impl From<&DebateOutcome> for OutcomeKind {
    fn from(outcome: &DebateOutcome) -> Self {
        match outcome {
            DebateOutcome::Settled { .. } => OutcomeKind::Settled,
            DebateOutcome::Exhausted { .. } => OutcomeKind::Exhausted,
            DebateOutcome::Limit { .. } => OutcomeKind::Limit,
            DebateOutcome::Stalled { .. } => OutcomeKind::Stalled,
            DebateOutcome::Failed { .. } => OutcomeKind::Failed,
        }
    }
}

counterpart! {
    /// Effects of a reason on a stance.
    Polarity = dispute::Polarity {
        /// Supports it.
        Supports,
        /// Attacks it.
        Attacks,
    }
}

counterpart! {
    /// Results of comparing a quotation with a passage. Variants of white space, quotation marks and dashes are treated
    /// as equal.
    QuoteCheck = citation::QuoteCheck {
        /// The passage contains it verbatim.
        Verbatim,
        /// The passage contains it in pieces, in order, with an ellipsis for each omission.
        Abridged,
        /// The passage does not contain it.
        Unverified,
    }
}

counterpart! {
    /// Reasons for a moderator's hint.
    HintKind = turn::Hint {
        /// Another participant made a concession.
        Conceded,
        /// Another participant reframed the question.
        Reframed,
        /// The talk repeats itself.
        Circling,
        /// A challenge was not answered for some turns.
        OneSided,
        /// One challenge followed another.
        Challenges,
        /// The last turns brought nothing new.
        Stuck,
        /// The speaker's stance on a dispute is unknown.
        StanceWanted,
        /// The actual point of disagreement is unknown.
        CruxWanted,
        /// The speaker has not said what would change its mind.
        FlipWanted,
        /// The speaker has not said whether it agrees with a proposed crux.
        AgreementWanted,
    }
}

counterpart! {
    /// Comparisons of a participant's last stance with the first one.
    StanceShiftKind = shifts::ShiftKind {
        /// The last side is the first one, whatever came between.
        Kept,
        /// Changed from yes to no, or from no to yes.
        Reversed,
        /// Took neither yes nor no at first, and does now.
        Decided,
        /// No longer says yes or no; or never did, and moved between the other sides.
        Wavered,
    }
}

counterpart! {
    /// Moves of a turn.
    Move = turn::Move {
        /// Advances an argument.
        Claim,
        /// Attacks an argument.
        Challenge,
        /// Clarifies what was meant.
        Clarify,
        /// Makes a concession.
        Concede,
        /// Reframes the question.
        Reframe,
        /// Proposes a crux of the disagreement.
        ProposeCrux,
        /// Drafts, criticizes or revises a proposal.
        Propose,
    }
}

counterpart! {
    /// Bases of a position on a crux.
    PositionBasis = crux::PositionBasis {
        /// The turn contains the words that show it.
        Said,
        /// An argument contains them as its claim, a premise or the reason of an attack, and the turn does not.
        Written,
        /// An argument takes the statement for granted, and its turn does not contain it.
        Assumed,
        /// The record has no quotation.
        Unquoted,
    }
}

counterpart! {
    /// Basis on which an argument is attributed to a turn.
    TurnBasis = imported::TurnBasis {
        /// The debate records the turn.
        Stated,
        /// The imported file does not state the turn. Among the turns of the speaker that are not younger than an attack
        /// on the argument, it is the one that shares the most words with the claim.
        MatchedWords,
        /// The imported file does not state the turn, and no turn of the speaker shares a word with the claim. It is the
        /// speaker's latest turn at the time when the file's system extracted the argument.
        LatestTurn,
        /// No turn of the speaker that could contain the argument shares a word with it.
        Unknown,
    }
}

impl DebateStatus {
    /// Returns the name used in the stored list of debates.
    pub fn name(self) -> &'static str {
        match self {
            DebateStatus::Running => summary::Status::Running.name(),
            DebateStatus::Paused => summary::Status::Paused.name(),
            DebateStatus::Concluded => summary::Status::Concluded.name(),
            DebateStatus::Cancelled => summary::Status::Cancelled.name(),
        }
    }
}

/// Seed of a debate's random choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub u64);

/// Seed of random choices: an integer from 0 to 2^64 - 1. Returned as a string, because clients may lack integers of
/// that size; accepted as a string or a number.
#[Scalar]
impl ScalarType for Seed {
    fn parse(value: Value) -> InputValueResult<Self> {
        Ok(Seed(parse_u64(&value)?))
    }

    fn to_value(&self) -> Value {
        Value::String(self.0.to_string())
    }
}

/// Number that can exceed GraphQL's `Int`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Long(pub u64);

/// A non-negative integer that can exceed an `Int`: at most 2^64 - 1. Clients without integers of that size may pass it
/// as a string.
#[Scalar]
impl ScalarType for Long {
    fn parse(value: Value) -> InputValueResult<Self> {
        Ok(Long(parse_u64(&value)?))
    }

    fn to_value(&self) -> Value {
        Value::Number(Number::from(self.0))
    }
}

/// Reads a non-negative integer of 64 bits from a number or a string.
fn parse_u64<T: InputType>(value: &Value) -> Result<u64, InputValueError<T>> {
    let read = match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    read.ok_or_else(|| InputValueError::custom(format!("{value:.40} is not an integer from 0 to 2^64 - 1")))
}

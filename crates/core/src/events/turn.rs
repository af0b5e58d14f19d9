//! Turns: contributions of participants, with citations, hints and concessions.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::argument::ArgumentPart;
use crate::events::audit::{AuditQuestion, Reading};
use crate::events::citation::Citation;
use crate::events::dispute::Side;
use crate::events::ids::{ArgumentId, CheckId, CruxId, DisputeId, DraftId, PersonaId, RoomId, TurnId};
use crate::events::summary::{Summarize, in_room, refused_parts, short};

/// A participant took a turn. Its effects on graph and disputes follow as separate events in the same append.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnTaken {
    /// The turn.
    pub turn: TurnId,
    /// Participant who spoke.
    pub speaker: PersonaId,
    /// Number of the round, if the engine has rounds; 0 is the opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// The room; absent in the main channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<RoomId>,
    /// Moves of the turn; at least one.
    pub moves: Vec<Move>,
    /// Words of the turn that make its moves. Not every move has any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub move_quotes: Vec<MoveQuote>,
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
    /// Preparation of the turn, if the engine asks for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preparation: Option<Preparation>,
}

impl Summarize for TurnTaken {
    fn summary(&self) -> String {
        let to = self.answers.map(|turn| format!(" to {turn}")).unwrap_or_default();
        let (room, cited, refused) = (in_room(self.room), aliases(&self.citations), refused_parts(&self.refused));
        format!("{} {}{to}{room}: {}{cited}{refused}", self.turn, self.speaker, short(&self.text))
    }
}

/// Preparation of a turn that was reflected on before it was written. It is shown, and no verdict rests on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Preparation {
    /// The speaker's view of the debate and of the other side's argument. Empty, as the critique, if the turn answers nothing.
    pub reflection: String,
    /// Weaknesses, fallacies and counter-arguments that the speaker sees. Empty, as the reflection, if the turn answers nothing.
    pub critique: String,
    /// Number of words cut off at the end, because the speech was longer than the debate allows; 0 for none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted_words: u32,
    /// The draft that became the turn, if drafts are checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<DraftId>,
    /// Checks that found a claim of the turn false, although such drafts are rejected: no attempt was left, or no other draft came.
    /// Empty if the turn was accepted without a violation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<CheckId>,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Move that a turn makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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

impl Move {
    /// Returns the name of the move, as in events and prompts.
    pub fn name(self) -> &'static str {
        match self {
            Move::Claim => "claim",
            Move::Challenge => "challenge",
            Move::Clarify => "clarify",
            Move::Concede => "concede",
            Move::Reframe => "reframe",
            Move::ProposeCrux => "propose_crux",
            Move::Propose => "propose",
        }
    }
}

/// Words of a turn that make one of its moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MoveQuote {
    /// The move, one of those of the turn.
    #[serde(rename = "move")]
    pub talk_move: Move,
    /// The words, exactly as the turn contains them.
    pub quote: String,
}

/// A moderator gave the next speaker a private hint. At most one per turn; never in the opening or closing phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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

impl Summarize for HintGiven {
    fn summary(&self) -> String {
        format!("to {}: {}", self.speaker, short(&self.text))
    }
}

/// Occasion of a moderator's hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConcessionMade {
    /// The participant's own turn that contains the concession.
    pub turn: TurnId,
    /// Participant who conceded.
    pub speaker: PersonaId,
    /// Extent to which the point is conceded.
    pub kind: ConcessionExtent,
    /// The point conceded.
    pub what: String,
    /// Words of the turn that make the concession, exactly as it contains them. A concession without them was only
    /// reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Effect of the concession on the participant's arguments and stances.
    pub effect: ConcessionEffect,
    /// The statement of another participant that the words grant; absent if they grant none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granted: Option<GrantedPoint>,
}

impl ConcessionMade {
    /// Returns the question that an auditor is asked about the words. A concession that grants a statement is read for
    /// what it grants.
    pub fn audit_question(&self) -> AuditQuestion {
        if self.granted.is_some() { AuditQuestion::Grant } else { AuditQuestion::Concession }
    }

    /// Returns true if a reading confirms the concession: ground can be given in part, a statement is granted or it is not.
    pub fn is_confirmed_by(&self, reading: Reading) -> bool {
        if self.granted.is_some() { reading.confirms_assent() } else { reading.confirms_concession() }
    }
}

impl Summarize for ConcessionMade {
    fn summary(&self) -> String {
        let effect = match self.effect {
            ConcessionEffect::Withdrew { argument } => format!("{argument} withdrawn"),
            ConcessionEffect::Revised { argument } => format!("{argument} revised"),
            ConcessionEffect::Moved { dispute, to } => format!("{} on {dispute}", to.name()),
            ConcessionEffect::Said => "said".to_owned(),
        };
        let kind = match self.kind {
            ConcessionExtent::Full => "full",
            ConcessionExtent::Partial => "partial",
            ConcessionExtent::Scope => "scope",
        };
        let granted = self.granted.as_ref().map(|point| format!(", grants {}", point.source)).unwrap_or_default();
        format!("{} in {}, {kind}, {effect}{granted}: {}", self.speaker, self.turn, short(&self.what))
    }
}

/// Statement of one participant that another grants in a concession.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GrantedPoint {
    /// Statement, exactly as its source contains it when it is granted.
    pub statement: String,
    /// Source of the statement.
    pub source: StatementSource,
}

/// Source of a participant's statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StatementSource {
    /// The words of a turn.
    Turn {
        /// The turn.
        turn: TurnId,
    },
    /// A part of an argument.
    Argument {
        /// The argument.
        argument: ArgumentId,
        /// The part.
        component: ArgumentPart,
    },
}

/// Describes the statement for readers, who count parts from 1.
impl fmt::Display for StatementSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StatementSource::Turn { turn } => write!(f, "a statement of {turn}"),
            StatementSource::Argument { argument, component } => match component {
                ArgumentPart::Claim => write!(f, "the claim of {argument}"),
                ArgumentPart::Premise(index) => write!(f, "premise {} of {argument}", u64::from(*index) + 1),
                ArgumentPart::Assumption(index) => write!(f, "assumption {} of {argument}", u64::from(*index) + 1),
            },
        }
    }
}

/// A participant said in a turn of their own what would change their mind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlipConditionStated {
    /// Participant who said it.
    pub speaker: PersonaId,
    /// The participant's own turn that contains the words.
    pub turn: TurnId,
    /// Words of the turn that state the condition, exactly as it contains them.
    pub quote: String,
    /// The dispute on which the participant would change sides; absent if the condition concerns the topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispute: Option<DisputeId>,
    /// The proposed crux that the condition concerns; absent if it concerns none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crux: Option<CruxId>,
}

impl Summarize for FlipConditionStated {
    fn summary(&self) -> String {
        let dispute = self.dispute.map(|dispute| format!(" on {dispute}")).unwrap_or_default();
        let crux = self.crux.map(|crux| format!(" on {crux}")).unwrap_or_default();
        format!("{} in {}{dispute}{crux}: {}", self.speaker, self.turn, short(&self.quote))
    }
}

/// Extent of a concession.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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

/// Formats citations, each with the results of its quotation checks.
fn aliases(citations: &[Citation]) -> String {
    let aliases = citations.iter().map(|citation| {
        let checks: Vec<&str> = citation.quotes.iter().map(|quote| quote.check.name()).collect();
        let quotes = if checks.is_empty() { String::new() } else { format!(" ({})", checks.join(", ")) };
        format!("{}{quotes}", citation.alias)
    });
    if citations.is_empty() { String::new() } else { format!(" [{}]", aliases.collect::<Vec<_>>().join(", ")) }
}

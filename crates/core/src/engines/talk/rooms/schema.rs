//! Reply types of messages, of the detector and of the clerk who distils rooms.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::engines::talk::dispute_clerk::schema::{ConcededPoint, NewReason, NewStance, WithdrawnReason};
use crate::engines::talk::replies::schema::{MoveReply, StanceReply, TurnReply, moves_with_or_without_words};
use crate::events::crux::Disagreement;

/// Message: a turn whose speaker may skip it.
#[derive(Deserialize, JsonSchema)]
pub struct MessageReply {
    /// The words said aloud, in the voice of the speaker; empty for a skip.
    pub text: String,
    /// Kind of the message; it determines the length.
    #[serde(default)]
    pub kind: MessageKind,
    /// With `skip`: the reason, in a few words.
    #[serde(default)]
    pub skip_reason: Option<String>,
    /// Alias of the turn that it answers.
    #[serde(default)]
    pub answers: Option<String>,
    /// Moves of the turn, one or more, each with its words.
    #[serde(default, deserialize_with = "moves_with_or_without_words")]
    pub moves: Vec<MoveReply>,
    /// Stances that the speaker takes in this turn.
    #[serde(default)]
    pub stances: Vec<StanceReply>,
    /// The words of `text` that agree with another participant's crux, copied exactly.
    #[serde(default)]
    pub agreement_words: Option<String>,
    /// Alias of that crux.
    #[serde(default)]
    pub agrees_with: Option<String>,
    /// With `propose_crux`: the point on which the disagreement turns, in one sentence.
    #[serde(default)]
    pub crux: Option<String>,
    /// The words of `text` that say what would change the speaker's mind, copied exactly.
    #[serde(default)]
    pub would_change: Option<String>,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

impl MessageReply {
    /// Returns the reply as a turn of a talk.
    pub fn turn(self) -> TurnReply {
        TurnReply {
            text: self.text,
            answers: self.answers,
            moves: self.moves,
            stances: self.stances,
            agreement_words: self.agreement_words,
            agrees_with: self.agrees_with,
            crux: self.crux,
            would_change: self.would_change,
            passages: self.passages,
        }
    }
}

/// Kind of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageKind {
    /// A direct reply: two or three sentences.
    #[default]
    #[serde(alias = "REPLY", alias = "Reply", alias = "direct_reply", alias = "answer")]
    Reply,
    /// A dismissal: one sentence.
    #[serde(alias = "DISMISSAL", alias = "Dismissal", alias = "dismiss")]
    Dismissal,
    /// A key argument: four to six sentences.
    #[serde(alias = "ARGUMENT", alias = "Argument", alias = "key_argument")]
    Argument,
    /// Nothing to say.
    #[serde(alias = "SKIP", alias = "Skip", alias = "pass", alias = "silence")]
    Skip,
}

/// Reply to `detect`.
#[derive(Deserialize, JsonSchema)]
pub struct DetectionReply {
    /// Disagreements in the window.
    pub disagreements: Vec<DisagreementReply>,
}

/// Disagreement of two participants.
#[derive(Deserialize, JsonSchema)]
pub struct DisagreementReply {
    /// Name of a sentence that answers the question with yes, such as t3.2.
    pub yes: String,
    /// Name of a sentence of another participant that answers it with no, such as t4.1.
    pub no: String,
    /// The question, which yes or no answers.
    pub question: String,
    /// Confidence that these two really disagree about this question, from 0 to 1.
    pub confidence: f64,
}

/// Reply to `extract`.
#[derive(Deserialize, JsonSchema)]
pub struct ExtractionReply {
    /// Stances taken.
    pub stances: Vec<NewStance>,
    /// Reasons given.
    pub reasons: Vec<NewReason>,
    /// Reasons that their owners gave up.
    #[serde(default)]
    pub withdrawn: Vec<WithdrawnReason>,
    /// Concessions.
    #[serde(default)]
    pub concessions: Vec<ConcededPoint>,
    /// Names of the sentences that say what would change their speaker's mind, such as t9.2.
    #[serde(default)]
    pub conditions: Vec<String>,
    /// Names of the sentences that say what could be observed that would settle the question, such as t9.2.
    #[serde(default)]
    pub settled_by: Vec<String>,
    /// Name of the sentence that settles the question for both; null if none does.
    #[serde(default)]
    pub resolution: Option<String>,
    /// Explanation of why they disagree, in one or two sentences.
    pub diagnosis: String,
    /// Kind of disagreement; null if it is none of these.
    #[serde(default)]
    pub kind: Option<DisagreementKind>,
}

/// Kind of disagreement.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DisagreementKind {
    /// About the time frame.
    #[serde(alias = "HORIZON", alias = "Horizon", alias = "time_horizon")]
    Horizon,
    /// About facts, or about what counts as evidence for them.
    #[serde(alias = "EVIDENCE", alias = "Evidence", alias = "empirical")]
    Evidence,
    /// About priorities and values.
    #[serde(alias = "VALUES", alias = "Values", alias = "value")]
    Values,
    /// About the meaning of a word.
    #[serde(alias = "DEFINITION", alias = "Definition", alias = "definitional")]
    Definition,
    /// About a claim.
    #[serde(alias = "CLAIM", alias = "Claim")]
    Claim,
    /// About a premise of a claim.
    #[serde(alias = "PREMISE", alias = "Premise", alias = "assumption")]
    Premise,
}

impl From<DisagreementKind> for Disagreement {
    fn from(kind: DisagreementKind) -> Disagreement {
        match kind {
            DisagreementKind::Horizon => Disagreement::Horizon,
            DisagreementKind::Evidence => Disagreement::Evidence,
            DisagreementKind::Values => Disagreement::Values,
            DisagreementKind::Definition => Disagreement::Definition,
            DisagreementKind::Claim => Disagreement::Claim,
            DisagreementKind::Premise => Disagreement::Premise,
        }
    }
}

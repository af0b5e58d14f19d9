//! Replies in a talk: the JSON that the talk engines expect.

use serde::Serialize;

use crate::offline::corpus::stance::CorpusSide;
use faultline_core::events::argument::AttackKind;

/// Reply with the opening words.
#[derive(Debug, Serialize)]
pub struct FirstWords {
    /// Text of the turn.
    pub text: String,
    /// Side of the topic.
    pub stance: CorpusSide,
    /// Words of the text that state it.
    pub stance_words: &'static str,
    /// Aliases of the quoted passages.
    pub passages: Vec<String>,
}

/// Reply with a turn.
#[derive(Debug, Serialize)]
pub struct TurnReply {
    /// Text of the turn.
    pub text: String,
    /// Moves that the turn makes.
    pub moves: Vec<&'static str>,
    /// Turn that it answers.
    pub answers: Option<String>,
    /// Crux that it proposes.
    pub crux: Option<String>,
    /// Crux that it agrees with.
    pub agrees_with: Option<String>,
    /// Words of the text that agree with it.
    pub agreement_words: Option<&'static str>,
    /// Sides that it takes.
    pub stances: Vec<ReplyStance>,
    /// Aliases of the quoted passages.
    pub passages: Vec<String>,
}

/// Reply with the closing words.
#[derive(Debug, Serialize)]
pub struct LastWords {
    /// Text of the turn.
    pub text: String,
    /// Core question of the talk, if nobody has stated it.
    pub core_question: Option<String>,
    /// Crux that it agrees with.
    pub agrees_with: Option<String>,
    /// Words of the text that agree with it.
    pub agreement_words: Option<&'static str>,
    /// Sides at the end.
    pub stances: Vec<ReplyStance>,
    /// Aliases of the quoted passages.
    pub passages: Vec<String>,
}

/// Side taken on a dispute.
#[derive(Debug, Serialize)]
pub struct ReplyStance {
    /// Alias of the dispute: `d2`.
    pub dispute: String,
    /// Side that is taken.
    pub side: CorpusSide,
    /// Words of the text that state it.
    pub words: &'static str,
}

/// Changes to the argument graph that a clerk extracts from turns.
#[derive(Debug, Default, Serialize)]
pub struct Crystals {
    /// New arguments.
    pub arguments: Vec<ExtractedArgument>,
    /// Narrowed arguments: the offline clerk finds none.
    pub revised: Vec<()>,
    /// Withdrawn arguments.
    pub withdrawn: Vec<GaveWay>,
    /// New attacks.
    pub attacks: Vec<ExtractedAttack>,
    /// Withdrawn attacks: the offline clerk finds none.
    pub withdrawn_attacks: Vec<()>,
    /// Conceded points.
    pub concessions: Vec<Granted>,
}

/// New argument.
#[derive(Debug, Serialize)]
pub struct ExtractedArgument {
    /// Name in the reply: `n1`.
    pub name: String,
    /// Name of the sentence that states the claim: `t3.2`.
    pub claim: String,
    /// Names of the sentences that are its premises.
    pub premises: Vec<String>,
    /// Assumptions: the offline clerk reads none into a turn.
    pub assumptions: Vec<()>,
    /// Pieces of evidence: the offline clerk names none.
    pub evidence: Vec<()>,
    /// True if it answers the topic.
    pub answers_topic: bool,
}

/// Withdrawn argument.
#[derive(Debug, Serialize)]
pub struct GaveWay {
    /// Alias of the argument.
    pub argument: String,
    /// Name of the sentence of its author that replaces it.
    pub sentence: String,
    /// Argument that replaces it.
    pub superseded_by: Option<String>,
    /// Reason for the withdrawal.
    pub reason: &'static str,
}

/// New attack.
#[derive(Debug, Serialize)]
pub struct ExtractedAttack {
    /// Attacking argument.
    pub source: String,
    /// Attacked argument.
    pub target: String,
    /// `claim`, `premise` or `assumption`.
    pub component: &'static str,
    /// Index of the premise or assumption.
    pub index: Option<u32>,
    /// Kind of attack.
    pub kind: AttackKind,
    /// Reason for the attack.
    pub reason: String,
    /// Strength, from 0 to 1.
    pub strength: f64,
}

/// Conceded point.
#[derive(Debug, Serialize)]
pub struct Granted {
    /// Name of the sentence that concedes it.
    pub sentence: String,
    /// `partial`: a quotation grants a point and keeps the rest.
    pub kind: &'static str,
}

/// Changes to the disputes that a clerk extracts from turns.
#[derive(Debug, Default, Serialize)]
pub struct Quarrels {
    /// New disputes.
    pub disputes: Vec<ExtractedDispute>,
    /// Sides that were taken.
    pub stances: Vec<ExtractedStance>,
    /// Reasons that were given.
    pub reasons: Vec<ExtractedReason>,
    /// Withdrawn reasons: the offline clerk finds none.
    pub withdrawn: Vec<()>,
    /// Conceded points.
    pub concessions: Vec<Granted>,
    /// Retired disputes: the offline clerk finds none.
    pub retired: Vec<()>,
}

/// New dispute.
#[derive(Debug, Serialize)]
pub struct ExtractedDispute {
    /// Name in the reply: `n1`.
    pub name: String,
    /// Question of the dispute.
    pub question: String,
    /// Time horizon: unknown to the offline clerk.
    pub horizon: Option<String>,
    /// Criteria that would settle it.
    pub criteria: Vec<String>,
    /// Turns that it comes from.
    pub turns: Vec<String>,
}

/// Side taken on a dispute.
#[derive(Debug, Serialize)]
pub struct ExtractedStance {
    /// Alias of the dispute.
    pub dispute: String,
    /// Name of the sentence that states it.
    pub sentence: String,
    /// Side that is taken.
    pub side: CorpusSide,
}

/// Reason given in a dispute.
#[derive(Debug, Serialize)]
pub struct ExtractedReason {
    /// Alias of the dispute.
    pub dispute: String,
    /// Name of the sentence that states it.
    pub sentence: String,
    /// Side whose stance it concerns.
    pub side: CorpusSide,
    /// `supports` or `attacks`.
    pub polarity: &'static str,
    /// Assumptions: the offline clerk reads none into a turn.
    pub assumptions: Vec<()>,
    /// Pieces of evidence: the offline clerk names none.
    pub evidence: Vec<()>,
    /// Reasons of others that it answers.
    pub attacks: Vec<String>,
}

/// Reply with the findings on pairs of claims.
#[derive(Debug, Serialize)]
pub struct Comparisons {
    /// Findings, one per pair.
    pub pairs: Vec<PairFinding>,
}

/// Finding on one pair.
#[derive(Debug, Serialize)]
pub struct PairFinding {
    /// Alias of the first claim.
    pub one: String,
    /// Alias of the second claim.
    pub other: String,
    /// `conflict`, `agreement` or `compatible`.
    pub finding: &'static str,
    /// Reason for the finding.
    pub reason: String,
    /// Strength of a conflict.
    pub strength: f64,
}

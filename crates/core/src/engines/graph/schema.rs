//! Reply types of the graph engine.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::engines::shared::reply_schema::{ArgumentPartReply, AttackKindReply, SideReply};

/// Reply to `open`.
#[derive(Deserialize, JsonSchema)]
pub struct OpeningReply {
    /// The words said aloud, in the voice of the speaker.
    pub speech: String,
    /// Two to four arguments.
    pub arguments: Vec<ArgumentReply>,
    /// The words of `speech` that state the stance on the topic, copied exactly.
    pub stance_words: String,
    /// Stance of the speaker.
    pub stance: SideReply,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// Argument.
#[derive(Deserialize, JsonSchema)]
pub struct ArgumentReply {
    /// Conclusion.
    pub claim: String,
    /// Premises; one to three.
    #[serde(default)]
    pub premises: Vec<String>,
    /// Assumptions taken for granted; at most two.
    #[serde(default)]
    pub assumptions: Vec<String>,
    /// Evidence offered in support; at most two.
    #[serde(default)]
    pub evidence: Vec<EvidenceReply>,
}

/// Piece of evidence.
#[derive(Deserialize, JsonSchema)]
pub struct EvidenceReply {
    /// Text of the evidence.
    pub text: String,
    /// Alias of the passage it comes from.
    #[serde(default)]
    pub passage: Option<String>,
}

/// Reply to `attack`.
#[derive(Deserialize, JsonSchema)]
pub struct AttacksReply {
    /// The words said aloud, in the voice of the speaker.
    pub speech: String,
    /// Up to four attacks; may be empty.
    pub attacks: Vec<AttackMade>,
    /// The words of `speech` that state a changed stance on the topic, copied exactly.
    #[serde(default)]
    pub stance_words: Option<String>,
    /// Stance of the speaker on the topic, if it has changed.
    #[serde(default)]
    pub stance: Option<SideReply>,
    /// Statements of others that the speech grants; may be empty.
    #[serde(default)]
    pub grants: Vec<GrantMade>,
    /// Aliases of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// Attack on an argument.
#[derive(Deserialize, JsonSchema)]
pub struct AttackMade {
    /// The words of `speech` that make the attack, copied exactly; null if it is only written.
    #[serde(default)]
    pub words: Option<String>,
    /// Explanation of why it defeats the target.
    pub rationale: String,
    /// Alias of the attacked argument.
    pub target: String,
    /// The part that is attacked.
    pub component: ArgumentPartReply,
    /// Index of the premise or assumption, from 0.
    #[serde(default)]
    pub index: Option<u32>,
    /// The attacking argument.
    pub counter: ArgumentReply,
    /// Kind of attack.
    pub kind: AttackKindReply,
    /// Confidence, from 0 to 1.
    pub confidence: f64,
}

/// Statement of another participant that the speech grants.
#[derive(Deserialize, JsonSchema)]
pub struct GrantMade {
    /// The words of `speech` that grant it, copied exactly.
    pub words: String,
    /// Alias of the argument that contains it.
    pub argument: String,
    /// The part that is granted.
    pub component: ArgumentPartReply,
    /// Index of the premise or assumption, from 0.
    #[serde(default)]
    pub index: Option<u32>,
}

/// Reply to `judge`.
#[derive(Deserialize, JsonSchema)]
pub struct JudgementsReply {
    /// One judgement for each attack.
    pub judgements: Vec<JudgementItem>,
}

/// Judgement of one attack.
#[derive(Deserialize, JsonSchema)]
pub struct JudgementItem {
    /// Alias of the attack.
    pub attack: String,
    /// Reason for the judgement.
    pub reason: String,
    /// True if the attack is a valid objection to its target.
    pub valid: bool,
    /// Strength, from 0 to 1.
    pub strength: f64,
    /// The actual kind of attack, if the attacker named a wrong one.
    #[serde(default)]
    pub kind: Option<AttackKindReply>,
    /// The part that is actually attacked, if the attacker named a wrong one.
    #[serde(default)]
    pub component: Option<ArgumentPartReply>,
    /// Index of the premise or assumption, from 0.
    #[serde(default)]
    pub index: Option<u32>,
}

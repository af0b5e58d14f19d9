//! Reply types of the dialogue engine's clerk.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::engines::shared::reply_schema::{ArgumentPartReply, AttackKindReply};
use crate::engines::talk::replies::schema::Conceding;

/// Reply to `crystallize`.
#[derive(Deserialize, JsonSchema)]
pub struct ArgumentDistillation {
    /// New arguments.
    pub arguments: Vec<NewArgument>,
    /// Arguments that their owners narrowed.
    #[serde(default)]
    pub revised: Vec<Narrowed>,
    /// Arguments that their owners gave up or replaced.
    #[serde(default)]
    pub withdrawn: Vec<WithdrawnArgument>,
    /// New attacks.
    pub attacks: Vec<NewAttack>,
    /// Attacks that no longer apply.
    #[serde(default)]
    pub withdrawn_attacks: Vec<WithdrawnAttack>,
    /// Concessions.
    #[serde(default)]
    pub concessions: Vec<Conceding>,
}

/// New argument.
#[derive(Deserialize, JsonSchema)]
pub struct NewArgument {
    /// Name in this reply: n1.
    pub name: String,
    /// Name of the sentence that states the conclusion, such as t3.2.
    pub claim: String,
    /// Names of the sentences of the same turn that are its premises.
    #[serde(default)]
    pub premises: Vec<String>,
    /// Assumptions that the speaker takes for granted without saying them, in the clerk's words.
    #[serde(default, alias = "assumption")]
    pub assumptions: Vec<String>,
    /// Names of the sentences of the same turn that offer evidence.
    #[serde(default, alias = "empirical")]
    pub evidence: Vec<String>,
    /// True if the claim itself answers the topic.
    #[serde(default)]
    pub answers_topic: bool,
}

/// Argument that was narrowed or put under a condition.
#[derive(Deserialize, JsonSchema)]
pub struct Narrowed {
    /// Alias of the argument.
    pub argument: String,
    /// Name of its owner's sentence that narrows it, such as t3.2.
    pub sentence: String,
    /// True if this sentence is the narrower claim.
    #[serde(default)]
    pub states_claim: bool,
    /// The condition under which it is put, in the clerk's words.
    #[serde(default)]
    pub assumption: Option<String>,
    /// True if the owner made a concession by it.
    pub concedes: bool,
}

/// Argument that was given up or replaced.
#[derive(Deserialize, JsonSchema)]
pub struct WithdrawnArgument {
    /// Alias of the argument.
    pub argument: String,
    /// Name of its owner's sentence that gives it up or replaces it, such as t3.2.
    pub sentence: String,
    /// Reason.
    pub reason: String,
    /// Alias of the argument of the same owner that replaces it.
    #[serde(default)]
    pub superseded_by: Option<String>,
}

/// Attack of one argument on another.
#[derive(Deserialize, JsonSchema)]
pub struct NewAttack {
    /// Explanation of why the source defeats the target.
    pub reason: String,
    /// Alias of the attacking argument.
    pub source: String,
    /// Alias of the attacked argument.
    pub target: String,
    /// The part that is attacked.
    pub component: ArgumentPartReply,
    /// Index of the premise or assumption, from 0.
    #[serde(default)]
    pub index: Option<u32>,
    /// Kind of attack.
    pub kind: AttackKindReply,
    /// Strength, from 0 to 1.
    pub strength: f64,
}

/// Attack that no longer applies.
#[derive(Deserialize, JsonSchema)]
pub struct WithdrawnAttack {
    /// Reason.
    pub reason: String,
    /// Alias of the attack.
    pub attack: String,
    /// Alias of the turn that shows it.
    pub turn: String,
}

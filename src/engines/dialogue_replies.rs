//! What the clerk of the dialogue engine is asked for: the shape of its replies.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::engines::replies::{Kind, Part};
use crate::engines::talk_replies::Conceding;

/// A reply to `crystallize`.
#[derive(Deserialize, JsonSchema)]
pub struct Crystallized {
    /// New arguments.
    pub arguments: Vec<NewArgument>,
    /// Arguments that their owners said more narrowly.
    #[serde(default)]
    pub revised: Vec<Narrowed>,
    /// Arguments that their owners gave up or replaced.
    #[serde(default)]
    pub withdrawn: Vec<GivenUp>,
    /// New attacks.
    pub attacks: Vec<NewAttack>,
    /// Attacks that no longer tell.
    #[serde(default)]
    pub withdrawn_attacks: Vec<Dropped>,
    /// Points granted.
    #[serde(default)]
    pub concessions: Vec<Conceding>,
}

/// A new argument.
#[derive(Deserialize, JsonSchema)]
pub struct NewArgument {
    /// Its name in this reply: n1.
    pub name: String,
    /// The turn that it comes from, by name.
    pub turn: String,
    /// What it concludes.
    pub claim: String,
    /// What from.
    #[serde(default)]
    pub premises: Vec<String>,
    /// What it takes for granted.
    #[serde(default, alias = "assumption")]
    pub assumptions: Vec<String>,
    /// What it points to.
    #[serde(default, alias = "empirical")]
    pub evidence: Vec<String>,
    /// Whether the claim itself answers the topic.
    #[serde(default)]
    pub answers_topic: bool,
}

/// An argument said more narrowly, or under a condition.
#[derive(Deserialize, JsonSchema)]
pub struct Narrowed {
    /// The argument, by name.
    pub argument: String,
    /// The turn of its owner's, by name.
    pub turn: String,
    /// The narrower claim.
    #[serde(default)]
    pub claim: Option<String>,
    /// The condition.
    #[serde(default)]
    pub assumption: Option<String>,
    /// Whether the owner gave ground by it.
    pub concedes: bool,
}

/// An argument given up, or replaced.
#[derive(Deserialize, JsonSchema)]
pub struct GivenUp {
    /// The argument, by name.
    pub argument: String,
    /// The turn of its owner's, by name.
    pub turn: String,
    /// The argument of the same owner that replaced it, by name.
    #[serde(default)]
    pub superseded_by: Option<String>,
    /// Why.
    pub reason: String,
}

/// An attack between two arguments.
#[derive(Deserialize, JsonSchema)]
pub struct NewAttack {
    /// The argument with which, by name.
    pub source: String,
    /// The argument against which, by name.
    pub target: String,
    /// The part of it.
    pub component: Part,
    /// Which premise or assumption, from 0.
    #[serde(default)]
    pub index: Option<u32>,
    /// How.
    pub kind: Kind,
    /// Why the one tells against the other.
    pub reason: String,
    /// From 0 to 1.
    pub strength: f64,
}

/// An attack that no longer tells.
#[derive(Deserialize, JsonSchema)]
pub struct Dropped {
    /// The attack, by name.
    pub attack: String,
    /// The turn that shows it, by name.
    pub turn: String,
    /// Why.
    pub reason: String,
}

//! What the graph engine asks models for: the shapes of its replies.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::engines::replies::{Kind, Part, Stance};

/// A reply to `open`.
#[derive(Deserialize, JsonSchema)]
pub struct Opened {
    /// Where the speaker stands.
    pub stance: Stance,
    /// What is said aloud.
    pub speech: String,
    /// Two to four.
    pub arguments: Vec<Told>,
    /// Names of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// An argument as a model tells it.
#[derive(Deserialize, JsonSchema)]
pub struct Told {
    /// What it concludes.
    pub claim: String,
    /// What from; one to three.
    #[serde(default)]
    pub premises: Vec<String>,
    /// What it takes for granted; at most two.
    #[serde(default)]
    pub assumptions: Vec<String>,
    /// What it points to; at most two.
    #[serde(default)]
    pub evidence: Vec<EvidenceTold>,
}

/// A piece of evidence as a model tells it.
#[derive(Deserialize, JsonSchema)]
pub struct EvidenceTold {
    /// What it says.
    pub text: String,
    /// The passage it comes from, by name.
    #[serde(default)]
    pub passage: Option<String>,
}

/// A reply to `attack`.
#[derive(Deserialize, JsonSchema)]
pub struct Attacked {
    /// What is said aloud.
    pub speech: String,
    /// None to four.
    pub attacks: Vec<AttackMade>,
    /// Names of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// An attack as a model makes it.
#[derive(Deserialize, JsonSchema)]
pub struct AttackMade {
    /// The argument, by name.
    pub target: String,
    /// The part of it.
    pub component: Part,
    /// Which premise or assumption, from 0.
    #[serde(default)]
    pub index: Option<u32>,
    /// How.
    pub kind: Kind,
    /// The argument with which.
    pub counter: Told,
    /// Why it tells against the target.
    pub rationale: String,
    /// From 0 to 1.
    pub confidence: f64,
}

/// A reply to `judge`.
#[derive(Deserialize, JsonSchema)]
pub struct Judged {
    /// One for each attack.
    pub judgements: Vec<Judgement>,
}

/// A judgement of one attack.
#[derive(Deserialize, JsonSchema)]
pub struct Judgement {
    /// The attack, by name.
    pub attack: String,
    /// Whether it tells against its target at all.
    pub valid: bool,
    /// From 0 to 1.
    pub strength: f64,
    /// Why.
    pub reason: String,
    /// What kind it really is, where the attacker was wrong.
    #[serde(default)]
    pub kind: Option<Kind>,
    /// What it really hits, where the attacker was wrong.
    #[serde(default)]
    pub component: Option<Part>,
    /// Which premise or assumption, from 0.
    #[serde(default)]
    pub index: Option<u32>,
}

//! What the clerk of the disputes engine is asked for: the shape of its replies.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::engines::replies::Stance;
use crate::engines::talk_replies::Conceding;
use crate::events::dispute::Polarity;

/// A reply to `crystallize`.
#[derive(Deserialize, JsonSchema)]
pub struct Crystallized {
    /// New disputes.
    pub disputes: Vec<NewDispute>,
    /// Sides that were taken.
    pub stances: Vec<NewStance>,
    /// Reasons that were given.
    pub reasons: Vec<NewReason>,
    /// Reasons that their owners gave up.
    #[serde(default)]
    pub withdrawn: Vec<GivenUp>,
    /// Points granted.
    #[serde(default)]
    pub concessions: Vec<Conceding>,
    /// Disputes that ask nothing.
    #[serde(default)]
    pub retired: Vec<Retired>,
}

/// A new dispute.
#[derive(Deserialize, JsonSchema)]
pub struct NewDispute {
    /// Its name in this reply: n1.
    pub name: String,
    /// A question that yes or no answers.
    pub question: String,
    /// Within which time it would show.
    #[serde(default)]
    pub horizon: Option<String>,
    /// What could be observed that would settle it.
    pub criteria: Vec<String>,
    /// The turns that it comes from, by name.
    pub turns: Vec<String>,
}

/// A side that somebody took.
#[derive(Deserialize, JsonSchema)]
pub struct NewStance {
    /// The dispute, by name.
    pub dispute: String,
    /// The turn of theirs in which, by name.
    pub turn: String,
    /// The side.
    pub side: Stance,
    /// The stance in a sentence.
    #[serde(default)]
    pub statement: Option<String>,
}

/// A reason that somebody gave.
#[derive(Deserialize, JsonSchema)]
pub struct NewReason {
    /// The dispute, by name.
    pub dispute: String,
    /// The turn of theirs in which, by name.
    pub turn: String,
    /// The side whose stance it is about.
    pub side: Stance,
    /// What it does to that stance.
    pub polarity: Does,
    /// The reason itself.
    pub claim: String,
    /// What it takes for granted.
    #[serde(default, alias = "assumption")]
    pub assumptions: Vec<String>,
    /// What it points to.
    #[serde(default, alias = "empirical")]
    pub evidence: Vec<String>,
    /// Reasons of others that it answers, by name.
    #[serde(default)]
    pub attacks: Vec<String>,
}

/// What a reason does to a stance.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Does {
    /// Tells for it.
    #[serde(alias = "SUPPORTS", alias = "SUPPORT", alias = "support")]
    Supports,
    /// Tells against it.
    #[serde(alias = "ATTACKS", alias = "ATTACK", alias = "attack")]
    Attacks,
}

impl From<Does> for Polarity {
    fn from(does: Does) -> Polarity {
        match does {
            Does::Supports => Polarity::Supports,
            Does::Attacks => Polarity::Attacks,
        }
    }
}

/// A reason given up.
#[derive(Deserialize, JsonSchema)]
pub struct GivenUp {
    /// The reason, by name.
    pub reason: String,
    /// The turn of its owner's, by name.
    pub turn: String,
    /// Why.
    pub why: String,
}

/// A dispute that asks nothing.
#[derive(Deserialize, JsonSchema)]
pub struct Retired {
    /// The dispute, by name.
    pub dispute: String,
    /// Why.
    pub why: String,
}

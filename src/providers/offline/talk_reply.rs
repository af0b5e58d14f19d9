//! Replies in a talk: the JSON that the engines of talk ask for.

use serde::Serialize;

use crate::events::argument::AttackKind;
use crate::providers::offline::stance::Side;

/// First words.
#[derive(Debug, Serialize)]
pub struct FirstWords {
    /// What is said.
    pub text: String,
    /// The side of the topic.
    pub stance: Side,
    /// The passages quoted.
    pub passages: Vec<String>,
}

/// A turn.
#[derive(Debug, Serialize)]
pub struct Turn {
    /// What is said.
    pub text: String,
    /// What it does.
    pub moves: Vec<&'static str>,
    /// The turn that it answers.
    pub answers: Option<String>,
    /// The crux that it proposes.
    pub crux: Option<String>,
    /// The crux that it agrees with.
    pub agrees_with: Option<String>,
    /// The sides that it takes.
    pub stances: Vec<StanceTaken>,
    /// The passages quoted.
    pub passages: Vec<String>,
}

/// Last words.
#[derive(Debug, Serialize)]
pub struct LastWords {
    /// What is said.
    pub text: String,
    /// What it comes down to, where nobody said so.
    pub core_question: Option<String>,
    /// The crux that it agrees with.
    pub agrees_with: Option<String>,
    /// The sides at the end.
    pub stances: Vec<StanceTaken>,
    /// The passages quoted.
    pub passages: Vec<String>,
}

/// A side that is taken.
#[derive(Debug, Serialize)]
pub struct StanceTaken {
    /// The dispute: `d2`.
    pub dispute: String,
    /// The side.
    pub side: Side,
    /// The stance in a sentence.
    pub statement: Option<String>,
}

/// What a clerk draws from turns as arguments.
#[derive(Debug, Default, Serialize)]
pub struct Crystals {
    /// New arguments.
    pub arguments: Vec<NewArgument>,
    /// Arguments said more narrowly: the offline clerk finds none.
    pub revised: Vec<()>,
    /// Arguments that gave way.
    pub withdrawn: Vec<GaveWay>,
    /// New attacks.
    pub attacks: Vec<NewAttack>,
    /// Attacks that no longer tell: the offline clerk finds none.
    pub withdrawn_attacks: Vec<()>,
    /// Points granted.
    pub concessions: Vec<Granted>,
}

/// A new argument.
#[derive(Debug, Serialize)]
pub struct NewArgument {
    /// Its name in the reply: `n1`.
    pub name: String,
    /// The turn that it comes from.
    pub turn: String,
    /// What it concludes.
    pub claim: String,
    /// What from.
    pub premises: Vec<String>,
    /// What it takes for granted.
    pub assumptions: Vec<String>,
    /// What it points to.
    pub evidence: Vec<String>,
    /// Whether it answers the topic.
    pub answers_topic: bool,
}

/// An argument that gave way.
#[derive(Debug, Serialize)]
pub struct GaveWay {
    /// Which.
    pub argument: String,
    /// The turn of its owner's.
    pub turn: String,
    /// The argument that took its place.
    pub superseded_by: Option<String>,
    /// Why.
    pub reason: &'static str,
}

/// A new attack.
#[derive(Debug, Serialize)]
pub struct NewAttack {
    /// With what.
    pub source: String,
    /// Against what.
    pub target: String,
    /// `claim`, `premise` or `assumption`.
    pub component: &'static str,
    /// Which premise or assumption.
    pub index: Option<u32>,
    /// How.
    pub kind: AttackKind,
    /// Why.
    pub reason: String,
    /// How strongly, from 0 to 1.
    pub strength: f64,
}

/// A point granted.
#[derive(Debug, Serialize)]
pub struct Granted {
    /// The turn of whoever grants it.
    pub turn: String,
    /// `partial`: a quotation grants a point and keeps the rest.
    pub kind: &'static str,
    /// What is granted.
    pub what: String,
}

/// What a clerk draws from turns as disputes.
#[derive(Debug, Default, Serialize)]
pub struct Quarrels {
    /// New disputes.
    pub disputes: Vec<NewDispute>,
    /// Sides that were taken.
    pub stances: Vec<NewStance>,
    /// Reasons that were given.
    pub reasons: Vec<NewReason>,
    /// Reasons given up: the offline clerk finds none.
    pub withdrawn: Vec<()>,
    /// Points granted.
    pub concessions: Vec<Granted>,
    /// Disputes that ask nothing: the offline clerk finds none.
    pub retired: Vec<()>,
}

/// A new dispute.
#[derive(Debug, Serialize)]
pub struct NewDispute {
    /// Its name in the reply: `n1`.
    pub name: String,
    /// The question.
    pub question: String,
    /// Within which time: the offline clerk does not know.
    pub horizon: Option<String>,
    /// What would settle it.
    pub criteria: Vec<String>,
    /// The turns that it comes from.
    pub turns: Vec<String>,
}

/// A side that was taken.
#[derive(Debug, Serialize)]
pub struct NewStance {
    /// The dispute.
    pub dispute: String,
    /// The turn.
    pub turn: String,
    /// The side.
    pub side: Side,
    /// The stance in a sentence.
    pub statement: String,
}

/// A reason that was given.
#[derive(Debug, Serialize)]
pub struct NewReason {
    /// The dispute.
    pub dispute: String,
    /// The turn.
    pub turn: String,
    /// The side whose stance it is about.
    pub side: Side,
    /// `supports` or `attacks`.
    pub polarity: &'static str,
    /// The reason.
    pub claim: String,
    /// What it takes for granted.
    pub assumptions: Vec<String>,
    /// What it points to.
    pub evidence: Vec<String>,
    /// Reasons of others that it answers.
    pub attacks: Vec<String>,
}

/// What a clerk finds on pairs of claims.
#[derive(Debug, Serialize)]
pub struct Comparisons {
    /// One for each pair.
    pub pairs: Vec<Compared>,
}

/// A finding on one pair.
#[derive(Debug, Serialize)]
pub struct Compared {
    /// The one.
    pub one: String,
    /// The other.
    pub other: String,
    /// `conflict`, `agreement` or `compatible`.
    pub finding: &'static str,
    /// Why.
    pub reason: String,
    /// How strong a conflict is.
    pub strength: f64,
}

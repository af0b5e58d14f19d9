//! What is asked of those who talk: the shapes of their replies.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::engines::replies::Stance;
use crate::events::turn::Move;

/// A reply to `open`.
#[derive(Deserialize, JsonSchema)]
pub struct Opened {
    /// What is said, four to six sentences.
    pub text: String,
    /// Where the speaker stands on the topic.
    pub stance: Stance,
    /// Names of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// A reply to `turn`.
#[derive(Deserialize, JsonSchema)]
pub struct Spoken {
    /// What is said, two to four sentences.
    pub text: String,
    /// What the turn does; one or more.
    pub moves: Vec<MoveMade>,
    /// The turn that it answers, by name.
    #[serde(default)]
    pub answers: Option<String>,
    /// With `propose_crux`: what the disagreement turns on, in one sentence.
    #[serde(default)]
    pub crux: Option<String>,
    /// The crux of somebody else that the speaker agrees is the crux, by name.
    #[serde(default)]
    pub agrees_with: Option<String>,
    /// Sides that the speaker takes in this turn.
    #[serde(default)]
    pub stances: Vec<StanceTold>,
    /// Names of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// A reply to `close`.
#[derive(Deserialize, JsonSchema)]
pub struct Closed {
    /// What is said, four to six sentences.
    pub text: String,
    /// What the speaker holds to be the core question, in one sentence, where it is not yet among the cruxes.
    #[serde(default)]
    pub core_question: Option<String>,
    /// The crux of somebody else that the speaker agrees is the crux, by name.
    #[serde(default)]
    pub agrees_with: Option<String>,
    /// Where the speaker stands at the end.
    #[serde(default)]
    pub stances: Vec<StanceTold>,
    /// Names of the passages used.
    #[serde(default)]
    pub passages: Vec<String>,
}

/// A side that a speaker takes.
#[derive(Deserialize, JsonSchema)]
pub struct StanceTold {
    /// The dispute, by name.
    pub dispute: String,
    /// The side.
    pub side: Stance,
    /// The stance in a sentence.
    #[serde(default)]
    pub statement: Option<String>,
}

/// What a turn does.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MoveMade {
    /// Says something new.
    #[serde(alias = "CLAIM", alias = "Claim", alias = "assert")]
    Claim,
    /// Disputes what somebody said.
    #[serde(alias = "CHALLENGE", alias = "Challenge", alias = "attack", alias = "rebut")]
    Challenge,
    /// Asks or says what is meant.
    #[serde(alias = "CLARIFY", alias = "Clarify", alias = "ask", alias = "question")]
    Clarify,
    /// Grants a point.
    #[serde(alias = "CONCEDE", alias = "Concede", alias = "concession", alias = "grant")]
    Concede,
    /// Puts the question differently.
    #[serde(alias = "REFRAME", alias = "Reframe")]
    Reframe,
    /// Says what the disagreement turns on.
    #[serde(alias = "PROPOSE_CRUX", alias = "ProposeCrux", alias = "crux")]
    ProposeCrux,
}

impl From<MoveMade> for Move {
    fn from(made: MoveMade) -> Move {
        match made {
            MoveMade::Claim => Move::Claim,
            MoveMade::Challenge => Move::Challenge,
            MoveMade::Clarify => Move::Clarify,
            MoveMade::Concede => Move::Concede,
            MoveMade::Reframe => Move::Reframe,
            MoveMade::ProposeCrux => Move::ProposeCrux,
        }
    }
}

/// A concession that a clerk read in a turn.
#[derive(Deserialize, JsonSchema)]
pub struct Conceding {
    /// The turn of the conceder's own, by name.
    pub turn: String,
    /// How far it goes.
    pub kind: Extent,
    /// What is conceded, in a sentence.
    pub what: String,
}

/// How far a concession goes.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// The point is given up.
    #[serde(alias = "FULL", alias = "Full")]
    Full,
    /// A narrower point is kept.
    #[serde(alias = "PARTIAL", alias = "Partial")]
    Partial,
    /// The point is kept under a condition.
    #[serde(alias = "SCOPE", alias = "Scope", alias = "scope_narrowing")]
    Scope,
}

/// A reply to `compare`.
#[derive(Deserialize, JsonSchema)]
pub struct Compared {
    /// One for each pair.
    pub pairs: Vec<PairJudged>,
}

/// A finding on one pair.
#[derive(Deserialize, JsonSchema)]
pub struct PairJudged {
    /// The one claim, by name.
    pub one: String,
    /// The other claim, by name.
    pub other: String,
    /// What was found.
    pub finding: Found,
    /// Why, in a sentence.
    pub reason: String,
    /// How strong a conflict is, from 0 to 1.
    #[serde(default)]
    pub strength: f64,
}

/// What a comparison finds.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// They cannot both hold.
    #[serde(alias = "CONFLICT", alias = "Conflict", alias = "contradiction", alias = "conflicts")]
    Conflict,
    /// They say the same.
    #[serde(alias = "AGREEMENT", alias = "Agreement", alias = "same", alias = "agree")]
    Agreement,
    /// Both may hold.
    #[serde(alias = "COMPATIBLE", alias = "Compatible", alias = "none", alias = "unrelated", alias = "independent")]
    Compatible,
}

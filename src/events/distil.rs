//! What a clerk drew from the talk, what it compared, and how far the talk had come.

use serde::{Deserialize, Serialize};

use crate::events::ids::{Point, TurnId};

/// A clerk read some turns and distilled them. What it drew from them follows in events of their own, in the same
/// append.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnsCrystallized {
    /// The turns that were distilled here for the first time.
    pub turns: Vec<TurnId>,
    /// What the reply held that could not be taken, each with the reason; the rest was kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// How far the latest turns repeat those before them in what they mean; `None` while there are too few, or where no
    /// embedder told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetition: Option<Repetition>,
}

/// How far turns repeat others in what they mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repetition {
    /// The mean, over the latest turns, of the cosine with the turn before them that each is most like; from 0 to 1.
    pub share: f64,
    /// The embedder that told it.
    pub by: String,
}

/// A clerk examined pairs of claims of different speakers for conflict, and said so pair by pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimsCompared {
    /// The pairs.
    pub pairs: Vec<Comparison>,
    /// What the reply held that could not be taken, each with the reason; the rest was kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}

/// Two claims that were held against each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The one: an argument or a reason.
    pub one: Point,
    /// The other, of another speaker and of the same kind.
    pub other: Point,
    /// What was found.
    pub finding: Finding,
    /// Why.
    pub reason: String,
}

/// What a comparison of two claims finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// They cannot both hold.
    Conflict,
    /// They say the same.
    Agreement,
    /// Both may hold.
    Compatible,
}

/// How far the talk had come after a crystallization: what an engine decides the next phase by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgressMeasured {
    /// The last turn that was distilled.
    pub turn: TurnId,
    /// Arguments or reasons that live.
    pub live: u32,
    /// Attacks among them that are in force.
    pub attacks: u32,
    /// What is contested: arguments in some preferred extensions and not in others, or disputes with a yes and a no.
    pub frontier: Vec<Point>,
    /// Pairs of live claims of different speakers that were examined for conflict.
    pub examined: u32,
    /// All such pairs.
    pub pairs: u32,
    /// The share of content words that nobody had used before, in the turns since the last measurement; from 0 to 1.
    pub novelty: f64,
    /// How far the latest turns repeat those before them, from 0 to 1; `None` while there are too few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circling: Option<f64>,
    /// The embedder that told how far; `None` where content words did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circling_by: Option<String>,
    /// Concessions for each turn so far.
    pub concession_rate: f64,
    /// Whether the frontier is complete.
    pub exact: bool,
}

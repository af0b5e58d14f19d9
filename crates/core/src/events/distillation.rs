//! Distillation: the structure a clerk extracts from turns, the claims it compares, and the progress measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::ids::{PointId, TurnId};
use crate::events::summary::{Summarize, refused_parts};

/// A clerk distilled some turns. The extracted arguments, disputes and stances follow as separate events in the same
/// append.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnsCrystallized {
    /// The turns distilled here for the first time.
    pub turns: Vec<TurnId>,
    /// Parts of the reply that were rejected, each with the reason; the rest was accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// Semantic repetition of the latest turns; absent while there are too few turns, or if no embedder measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetition: Option<Repetition>,
}

impl Summarize for TurnsCrystallized {
    fn summary(&self) -> String {
        let turns: Vec<String> = self.turns.iter().map(ToString::to_string).collect();
        format!("{}{}", turns.join(", "), refused_parts(&self.refused))
    }
}

/// Degree to which turns repeat the meaning of earlier ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Repetition {
    /// Mean, over the latest turns, of each turn's highest cosine similarity to an earlier turn; from 0 to 1.
    pub share: f64,
    /// The embedder that measured it.
    pub by: String,
}

/// A clerk examined pairs of claims by different speakers for conflict. The result is recorded pair by pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimsCompared {
    /// Pairs of claims that were examined.
    pub pairs: Vec<Comparison>,
    /// Parts of the reply that were rejected, each with the reason; the rest was accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}

impl Summarize for ClaimsCompared {
    fn summary(&self) -> String {
        let conflicts = self.pairs.iter().filter(|pair| pair.finding == ComparisonFinding::Conflict).count();
        format!("{} pairs, {conflicts} in conflict{}", self.pairs.len(), refused_parts(&self.refused))
    }
}

/// Comparison of two claims.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The first claim: an argument or a reason.
    pub one: PointId,
    /// The second claim, by another speaker and of the same kind.
    pub other: PointId,
    /// Result of the comparison.
    pub finding: ComparisonFinding,
    /// Reason for the finding.
    pub reason: String,
}

/// Result of comparing two claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonFinding {
    /// They cannot both be true.
    Conflict,
    /// They say the same.
    Agreement,
    /// Both may be true.
    Compatible,
}

/// Progress of the debate after a distillation. An engine chooses the next phase from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgressMeasured {
    /// The last turn that was distilled.
    pub turn: TurnId,
    /// Number of live arguments or reasons.
    pub live: u32,
    /// Number of attacks in force among them.
    pub attacks: u32,
    /// Contested points: arguments in some preferred extensions but not in all, or disputes with both a yes and a no.
    pub frontier: Vec<PointId>,
    /// Number of pairs of live claims by different speakers that were examined for conflict.
    pub examined: u32,
    /// Number of all such pairs.
    pub pairs: u32,
    /// Share of content words, in the turns since the last measurement, that nobody had used before; from 0 to 1.
    pub novelty: f64,
    /// Degree to which the latest turns repeat earlier ones, from 0 to 1; absent while there are too few turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circling: Option<f64>,
    /// The embedder that measured `circling`; absent if it was measured by content words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circling_by: Option<String>,
    /// Concessions per turn so far.
    pub concession_rate: f64,
    /// True if the frontier is complete.
    pub exact: bool,
}

impl Summarize for ProgressMeasured {
    fn summary(&self) -> String {
        let frontier: Vec<String> = self.frontier.iter().map(ToString::to_string).collect();
        let frontier = if frontier.is_empty() { "nothing".to_owned() } else { frontier.join(", ") };
        format!("{} live, {} of {} pairs examined, contested: {frontier}", self.live, self.examined, self.pairs)
    }
}

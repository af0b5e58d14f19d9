//! Probes: small requests to models about a debate that has ended, for measures that the log alone cannot give. No verdict
//! depends on their answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::dispute::Side;
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::events::summary::{Summarize, refused_parts, short};

/// Somebody asked for probes of a debate that has ended. What follows up to `probes_concluded` belongs to the probes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbesRequested {
    /// Registered name of the provider that is asked.
    pub provider: String,
}

impl Summarize for ProbesRequested {
    fn summary(&self) -> String {
        format!("of {}", self.provider)
    }
}

/// A model read turns of one participant beside the participant's contract, and pointed out words that contradict it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContractProbed {
    /// Provider and model that answered, as named by the provider.
    pub model: String,
    /// The participant.
    pub speaker: PersonaId,
    /// Turns that were read. Those without an entry in `contradictions` contradict nothing.
    pub turns: Vec<TurnId>,
    /// Words that contradict the contract.
    pub contradictions: Vec<ContractContradiction>,
    /// Turns about which the model was asked and gave no usable answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<TurnId>,
    /// Parts of the reply that were rejected, each with the reason; the rest was accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}

impl Summarize for ContractProbed {
    fn summary(&self) -> String {
        let (read, asked) = (self.turns.len(), self.turns.len() + self.unread.len());
        let (found, refused) = (self.contradictions.len(), refused_parts(&self.refused));
        format!("{}: {read} of {asked} turns read by {}, {found} contradictions{refused}", self.speaker, self.model)
    }
}

/// Words of a turn that contradict the contract of their speaker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContractContradiction {
    /// The turn.
    pub turn: TurnId,
    /// Part of the contract that the words contradict.
    pub field: ContractField,
    /// The words, as the turn contains them.
    pub quote: String,
}

/// Part of a persona's contract that words can contradict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContractField {
    /// Conclusions that it favours.
    Bias,
    /// Potential losses and gains.
    Stakes,
    /// Grounds on which it believes a claim.
    Epistemology,
    /// Time horizon, ahead and back.
    TimeHorizon,
    /// Kinds of evidence that it accepts.
    EvidencePolicy,
    /// Conditions that would change its mind.
    FlipConditions,
}

impl ContractField {
    /// All parts, in the order in which they are shown.
    pub const ALL: [ContractField; 6] = [
        ContractField::Bias,
        ContractField::Stakes,
        ContractField::Epistemology,
        ContractField::TimeHorizon,
        ContractField::EvidencePolicy,
        ContractField::FlipConditions,
    ];

    /// Returns the wire name, such as `time_horizon`.
    pub fn name(self) -> &'static str {
        match self {
            ContractField::Bias => "bias",
            ContractField::Stakes => "stakes",
            ContractField::Epistemology => "epistemology",
            ContractField::TimeHorizon => "time_horizon",
            ContractField::EvidencePolicy => "evidence_policy",
            ContractField::FlipConditions => "flip_conditions",
        }
    }
}

/// A model decided for pairs of statements of the common ground whether both can be true. A statement is a dispute with the
/// side on which the participants agree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContradictionsProbed {
    /// Provider and model that answered, as named by the provider.
    pub model: String,
    /// Pairs with an answer.
    pub pairs: Vec<ProbedPair>,
    /// Pairs about which the model was asked and gave no usable answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<StatementPair>,
    /// Parts of the reply that were rejected, each with the reason; the rest was accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}

impl Summarize for ContradictionsProbed {
    fn summary(&self) -> String {
        let (read, asked) = (self.pairs.len(), self.pairs.len() + self.unread.len());
        let found = self.pairs.iter().filter(|pair| pair.contradicts).count();
        let refused = refused_parts(&self.refused);
        format!("{read} of {asked} pairs read by {}, {found} contradictions{refused}", self.model)
    }
}

/// Answer about a pair of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProbedPair {
    /// Dispute of the first statement.
    pub one: DisputeId,
    /// Dispute of the second statement.
    pub other: DisputeId,
    /// True if the statements cannot both be true.
    pub contradicts: bool,
}

/// Pair of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct StatementPair {
    /// Dispute of the first statement.
    pub one: DisputeId,
    /// Dispute of the second statement.
    pub other: DisputeId,
}

/// A participant, as a model plays it, rated the statements of the common ground. A statement is a dispute with the side on
/// which the participants agree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EndorsementsProbed {
    /// Provider and model that answered, as named by the provider.
    pub model: String,
    /// The participant.
    pub speaker: PersonaId,
    /// Ratings, each of one statement.
    pub ratings: Vec<EndorsementRating>,
    /// Disputes of the statements that were to be rated and have no usable rating.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<DisputeId>,
    /// Parts of the reply that were rejected, each with the reason; the rest was accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}

impl Summarize for EndorsementsProbed {
    fn summary(&self) -> String {
        let (read, asked) = (self.ratings.len(), self.ratings.len() + self.unread.len());
        let refused = refused_parts(&self.refused);
        format!("{}: {read} of {asked} statements rated by {}{refused}", self.speaker, self.model)
    }
}

/// Rating of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EndorsementRating {
    /// Dispute of the statement.
    pub dispute: DisputeId,
    /// Side on which the participants agreed when it was rated.
    pub side: Side,
    /// Rating, from 1 (firmly rejects) to 7 (firmly endorses).
    pub rating: u32,
}

/// The probes of a debate that had ended are over. Nothing can follow but a request for an audit or for further probes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbesConcluded {
    /// Result in words: the number of requests that were answered, and what was left out.
    pub reason: String,
}

impl Summarize for ProbesConcluded {
    fn summary(&self) -> String {
        short(&self.reason)
    }
}

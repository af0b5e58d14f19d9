//! Reply types of the disputes engine's clerk.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::engines::shared::reply_schema::SideReply;
use crate::engines::talk::replies::schema::{Conceding, Extent};
use crate::events::dispute::Polarity;

/// Reply to `crystallize`.
#[derive(Deserialize, JsonSchema)]
pub struct DisputeDistillation {
    /// New disputes.
    pub disputes: Vec<NewDispute>,
    /// Stances taken.
    pub stances: Vec<NewStance>,
    /// Reasons given.
    pub reasons: Vec<NewReason>,
    /// Reasons that their owners gave up.
    #[serde(default)]
    pub withdrawn: Vec<WithdrawnReason>,
    /// Concessions.
    #[serde(default)]
    pub concessions: Vec<ConcededPoint>,
    /// Disputes whose wording or criteria the new turns made clearer.
    #[serde(default)]
    pub revised: Vec<RevisedDispute>,
    /// Disputes that ask nothing and should be retired.
    #[serde(default)]
    pub retired: Vec<Retired>,
}

/// New dispute.
#[derive(Deserialize, JsonSchema)]
pub struct NewDispute {
    /// Name in this reply: n1.
    pub name: String,
    /// Aliases of the turns that it comes from.
    pub turns: Vec<String>,
    /// A yes-or-no question.
    pub question: String,
    /// Observations that would settle it.
    pub criteria: Vec<String>,
    /// Time frame within which the answer would show.
    #[serde(default)]
    pub horizon: Option<String>,
}

/// Stance of a participant.
#[derive(Deserialize, JsonSchema)]
pub struct NewStance {
    /// Name of the participant's sentence that states the stance, such as t3.2.
    pub sentence: String,
    /// Alias of the dispute.
    pub dispute: String,
    /// Side taken.
    pub side: SideReply,
    /// Confidence in the side that the sentence expresses, from 0 to 1; null if it expresses none.
    #[serde(default)]
    pub confidence: Option<f64>,
}

/// Reason of a participant.
#[derive(Deserialize, JsonSchema)]
pub struct NewReason {
    /// Name of the participant's sentence that states the reason, such as t3.2.
    pub sentence: String,
    /// Alias of the dispute.
    pub dispute: String,
    /// The side to which the reason applies.
    pub side: SideReply,
    /// Effect of the reason on that side.
    pub polarity: Does,
    /// Assumptions that the speaker takes for granted without saying them, in the clerk's words.
    #[serde(default, alias = "assumption")]
    pub assumptions: Vec<String>,
    /// Names of the sentences of the same turn that offer evidence.
    #[serde(default, alias = "empirical")]
    pub evidence: Vec<String>,
    /// Aliases of other participants' reasons that it attacks, or names of sentences that state one earlier in this answer.
    #[serde(default)]
    pub attacks: Vec<String>,
}

/// Effect of a reason on a stance.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Does {
    /// Supports it.
    #[serde(alias = "SUPPORTS", alias = "SUPPORT", alias = "support")]
    Supports,
    /// Attacks it.
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

/// Reason that was given up.
#[derive(Deserialize, JsonSchema)]
pub struct WithdrawnReason {
    /// Name of its owner's sentence that gives it up, such as t3.2.
    pub sentence: String,
    /// Explanation.
    pub why: String,
    /// Alias of the reason.
    pub reason: String,
}

/// Concession, and the stance that it moves.
#[derive(Deserialize, JsonSchema)]
pub struct ConcededPoint {
    /// Name of the sentence that concedes the point, such as t3.2.
    pub sentence: String,
    /// Extent of the concession.
    pub kind: Extent,
    /// Name of the sentence of another participant that it grants, such as t2.1; null if it grants none.
    #[serde(default)]
    pub grants: Option<String>,
    /// Alias of the dispute that the point answers; null if there is none.
    #[serde(default)]
    pub dispute: Option<String>,
    /// Side of that dispute that the speaker takes by the sentence; null if it takes none.
    #[serde(default)]
    pub side: Option<SideReply>,
}

impl ConcededPoint {
    /// Returns the concession without the side that it takes.
    pub fn conceding(&self) -> Conceding {
        Conceding { sentence: self.sentence.clone(), kind: self.kind, grants: self.grants.clone() }
    }
}

/// Revision of a dispute that asks the same as before.
#[derive(Deserialize, JsonSchema)]
pub struct RevisedDispute {
    /// Explanation.
    pub why: String,
    /// Aliases of the turns that it comes from.
    #[serde(default)]
    pub turns: Vec<String>,
    /// Alias of the dispute.
    pub dispute: String,
    /// The same question in clearer words; null if its words stay.
    #[serde(default)]
    pub question: Option<String>,
    /// Observations that would settle it, in place of the former ones; empty if they stay.
    #[serde(default)]
    pub criteria: Vec<String>,
    /// Time frame within which the answer would show; null if it stays.
    #[serde(default)]
    pub horizon: Option<String>,
}

/// Dispute that asks nothing.
#[derive(Deserialize, JsonSchema)]
pub struct Retired {
    /// Explanation.
    pub why: String,
    /// Alias of the dispute.
    pub dispute: String,
}

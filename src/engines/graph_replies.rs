//! What the graph engine asks models for: the shapes of its replies.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::events::argument::{AttackKind, Component};
use crate::events::dispute::Side;

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

/// A stance on the topic.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stance {
    /// For it.
    #[serde(alias = "YES", alias = "Yes", alias = "pro", alias = "for")]
    Yes,
    /// Against it.
    #[serde(alias = "NO", alias = "No", alias = "con", alias = "against")]
    No,
    /// It depends.
    #[serde(alias = "NUANCED", alias = "Nuanced", alias = "mixed")]
    Nuanced,
    /// Not made up.
    #[serde(alias = "UNDECIDED", alias = "Undecided", alias = "uncertain", alias = "unsure")]
    Undecided,
}

impl From<Stance> for Side {
    fn from(stance: Stance) -> Side {
        match stance {
            Stance::Yes => Side::Yes,
            Stance::No => Side::No,
            Stance::Nuanced => Side::Nuanced,
            Stance::Undecided => Side::Undecided,
        }
    }
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

/// A part of an argument.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The claim.
    #[serde(alias = "claims", alias = "conclusion")]
    Claim,
    /// A premise.
    #[serde(alias = "premises")]
    Premise,
    /// An assumption.
    #[serde(alias = "assumptions")]
    Assumption,
}

impl Part {
    /// The component meant; the first one where no index is given.
    pub fn component(self, index: Option<u32>) -> Component {
        match self {
            Part::Claim => Component::Claim,
            Part::Premise => Component::Premise(index.unwrap_or(0)),
            Part::Assumption => Component::Assumption(index.unwrap_or(0)),
        }
    }
}

/// How an attack works.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Against the claim.
    #[serde(alias = "rebuttal")]
    Rebut,
    /// Against a premise or an assumption.
    Undermine,
    /// Against the step.
    Undercut,
}

impl From<Kind> for AttackKind {
    fn from(kind: Kind) -> AttackKind {
        match kind {
            Kind::Rebut => AttackKind::Rebut,
            Kind::Undermine => AttackKind::Undermine,
            Kind::Undercut => AttackKind::Undercut,
        }
    }
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

//! Arguments, the attacks between them, and what a judge made of the attacks.

use serde::{Deserialize, Serialize};

use crate::events::ids::{ArgumentId, AttackId, PersonaId, TurnId};
use crate::events::turn::Citation;

/// A participant advanced an argument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArgumentAdvanced {
    /// The argument.
    pub argument: ArgumentId,
    /// Whose it is.
    pub speaker: PersonaId,
    /// The turn in which it was advanced.
    pub turn: TurnId,
    /// What it concludes.
    pub claim: String,
    /// What it is concluded from.
    pub premises: Vec<String>,
    /// What it takes for granted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// What it points to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// The attack that it carries out. Such an argument exists for the graph only while that attack is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carries: Option<AttackId>,
    /// Whether the claim itself answers the topic: such claims are the theses.
    #[serde(default)]
    pub answers_topic: bool,
}

/// Something an argument points to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// What it says.
    pub text: String,
    /// The passage it comes from, where it was given one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citation: Option<Citation>,
}

/// A participant attacked an argument. Nothing comes of it until it is judged valid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttackRaised {
    /// The attack.
    pub attack: AttackId,
    /// Who attacks.
    pub speaker: PersonaId,
    /// The turn in which.
    pub turn: TurnId,
    /// The argument with which.
    pub source: ArgumentId,
    /// The argument against which.
    pub target: ArgumentId,
    /// The part of it.
    pub component: Component,
    /// How.
    pub kind: AttackKind,
    /// Why the one tells against the other.
    pub rationale: String,
    /// The attacker's own, from 0 to 1.
    pub confidence: f64,
}

/// How an attack works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttackKind {
    /// Against the claim. Mutual: each claim tells against the other, unless a preference is recorded.
    Rebut,
    /// Against a premise or an assumption. Directed.
    Undermine,
    /// Against the step from premises to claim. Directed.
    Undercut,
}

/// The part of an argument that is hit. Premises and assumptions are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "part", content = "index", rename_all = "snake_case")]
pub enum Component {
    /// What it concludes.
    Claim,
    /// One of what it is concluded from.
    Premise(u32),
    /// One of what it takes for granted.
    Assumption(u32),
}

/// A judge looked at an attack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttackJudged {
    /// The attack.
    pub attack: AttackId,
    /// Whether it tells against its target at all.
    pub valid: bool,
    /// How strongly, from 0 to 1.
    pub strength: f64,
    /// Why.
    pub reason: String,
    /// What kind it really is, where the attacker was wrong about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<AttackKind>,
    /// What it really hits, where the attacker was wrong about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<Component>,
}

/// A participant said an argument of their own more narrowly, or under a condition. The older words stay in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArgumentRevised {
    /// The argument.
    pub argument: ArgumentId,
    /// The turn of its owner's in which.
    pub turn: TurnId,
    /// What it concludes from now on; `None` where the claim stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// What it takes for granted from now on as well. The number of an older assumption never changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
}

/// A participant gave up an argument of their own, or put another in its place. Its attacks go with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArgumentWithdrawn {
    /// The argument.
    pub argument: ArgumentId,
    /// The turn of its owner's in which.
    pub turn: TurnId,
    /// The argument of the same owner that took its place; `None` where it was given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<ArgumentId>,
    /// Why.
    pub reason: String,
}

/// An attack no longer tells against its target, as a turn shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttackWithdrawn {
    /// The attack.
    pub attack: AttackId,
    /// The turn that shows it.
    pub turn: TurnId,
    /// Why.
    pub reason: String,
}

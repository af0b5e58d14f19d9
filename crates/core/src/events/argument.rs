//! Arguments, attacks between them, and the judge's rulings on attacks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::citation::Evidence;
use crate::events::ids::{ArgumentId, AttackId, PersonaId, TurnId};
use crate::events::summary::{Summarize, short};

/// A participant advanced an argument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArgumentAdvanced {
    /// The argument.
    pub argument: ArgumentId,
    /// Participant who advanced it.
    pub speaker: PersonaId,
    /// The turn in which it was advanced.
    pub turn: TurnId,
    /// Conclusion.
    pub claim: String,
    /// Premises from which the conclusion is drawn.
    pub premises: Vec<String>,
    /// Assumptions taken for granted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// Evidence offered in support.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// The attack that this argument carries out. Such an argument takes part in the graph only while that attack is
    /// valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carries: Option<AttackId>,
    /// True if the claim itself answers the topic. Such claims are the theses.
    #[serde(default)]
    pub answers_topic: bool,
    /// True if a clerk distilled the argument: claim, premises and evidence are sentences of the turn, and the assumptions
    /// are the clerk's reading of what the speaker takes for granted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub distilled: bool,
    /// True if claim, premises and evidence of a distilled argument are the clerk's reading as well: words for what the turn
    /// says that it does not contain.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paraphrased: bool,
}

impl Summarize for ArgumentAdvanced {
    fn summary(&self) -> String {
        match self.carries {
            Some(attack) => format!("{} {} carrying {attack}: {}", self.argument, self.speaker, short(&self.claim)),
            None => format!("{} {}: {}", self.argument, self.speaker, short(&self.claim)),
        }
    }
}

/// A participant attacked an argument. The attack has no effect until it is judged valid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttackRaised {
    /// The attack.
    pub attack: AttackId,
    /// Participant who attacks.
    pub speaker: PersonaId,
    /// The turn that contains the attack.
    pub turn: TurnId,
    /// The attacking argument.
    pub source: ArgumentId,
    /// The attacked argument.
    pub target: ArgumentId,
    /// The part of the target that is attacked.
    pub component: ArgumentPart,
    /// Kind of attack.
    pub kind: AttackKind,
    /// Explanation of why the source defeats the target.
    pub rationale: String,
    /// Words of the turn that make the attack, exactly as it contains them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The attacker's own confidence, from 0 to 1.
    pub confidence: f64,
}

impl Summarize for AttackRaised {
    fn summary(&self) -> String {
        let verb = match self.kind {
            AttackKind::Rebut => "rebuts",
            AttackKind::Undermine => "undermines",
            AttackKind::Undercut => "undercuts",
        };
        let part = match self.component {
            ArgumentPart::Claim => "the claim".to_owned(),
            ArgumentPart::Premise(index) => format!("premise {index}"),
            ArgumentPart::Assumption(index) => format!("assumption {index}"),
        };
        format!("{} {} {verb} {part} of {}", self.attack, self.source, self.target)
    }
}

/// Kind of attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttackKind {
    /// Attacks the claim. Mutual: each claim attacks the other, unless a preference is recorded.
    Rebut,
    /// Attacks a premise or an assumption. Directed.
    Undermine,
    /// Attacks the inference from the premises to the claim. Directed.
    Undercut,
}

/// The attacked part of an argument. Premises and assumptions are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "part", content = "index", rename_all = "snake_case")]
pub enum ArgumentPart {
    /// The conclusion.
    Claim,
    /// One of the premises.
    Premise(
        /// Index of the premise, from 0.
        u32,
    ),
    /// One of the assumptions.
    Assumption(
        /// Index of the assumption, from 0.
        u32,
    ),
}

/// A judge ruled on an attack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttackJudged {
    /// The attack.
    pub attack: AttackId,
    /// True if the attack is a valid objection to its target.
    pub valid: bool,
    /// Strength of the attack, from 0 to 1.
    pub strength: f64,
    /// Reason for the ruling.
    pub reason: String,
    /// The actual kind of attack, if the attacker named a wrong one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<AttackKind>,
    /// The part that is actually attacked, if the attacker named a wrong one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<ArgumentPart>,
}

impl Summarize for AttackJudged {
    fn summary(&self) -> String {
        let ruling = if self.valid { "valid" } else { "not valid" };
        format!("{} {ruling} {:.2}: {}", self.attack, self.strength, short(&self.reason))
    }
}

/// A participant narrowed an argument of their own or put it under a condition. The earlier wording stays in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArgumentRevised {
    /// The argument.
    pub argument: ArgumentId,
    /// The turn of the argument's owner that contains the revision.
    pub turn: TurnId,
    /// The new claim; absent if the claim is unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// Additional assumptions. The indices of earlier assumptions never change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
}

impl Summarize for ArgumentRevised {
    fn summary(&self) -> String {
        let claim = self.claim.iter().map(|claim| short(claim));
        let assumptions = self.assumptions.iter().map(|assumption| format!("if {}", short(assumption)));
        format!("{} in {}: {}", self.argument, self.turn, claim.chain(assumptions).collect::<Vec<_>>().join("; "))
    }
}

/// A participant gave up an argument of their own or replaced it by another. Its attacks end with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArgumentWithdrawn {
    /// The argument.
    pub argument: ArgumentId,
    /// The turn of the argument's owner that contains the withdrawal.
    pub turn: TurnId,
    /// The argument of the same owner that replaces it; absent if it was given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<ArgumentId>,
    /// Reason for the withdrawal.
    pub reason: String,
}

impl Summarize for ArgumentWithdrawn {
    fn summary(&self) -> String {
        let by = self.superseded_by.map(|argument| format!(" for {argument}")).unwrap_or_default();
        format!("{}{by} in {}: {}", self.argument, self.turn, short(&self.reason))
    }
}

/// An attack no longer applies to its target, as a turn shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttackWithdrawn {
    /// The attack.
    pub attack: AttackId,
    /// The turn that shows it.
    pub turn: TurnId,
    /// Reason for the withdrawal.
    pub reason: String,
}

impl Summarize for AttackWithdrawn {
    fn summary(&self) -> String {
        format!("{} in {}: {}", self.attack, self.turn, short(&self.reason))
    }
}

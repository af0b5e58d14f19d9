//! Enumerations in replies that several engines share, with aliases for common deviations of models.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::events::argument::{ArgumentPart, AttackKind};
use crate::events::dispute::Side;

/// Side of a question.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SideReply {
    /// In favour.
    #[serde(alias = "YES", alias = "Yes", alias = "pro", alias = "for")]
    Yes,
    /// Opposed.
    #[serde(alias = "NO", alias = "No", alias = "con", alias = "against")]
    No,
    /// It depends.
    #[serde(alias = "NUANCED", alias = "Nuanced", alias = "mixed")]
    Nuanced,
    /// Undecided.
    #[serde(alias = "UNDECIDED", alias = "Undecided", alias = "uncertain", alias = "unsure")]
    Undecided,
}

impl From<SideReply> for Side {
    fn from(stance: SideReply) -> Side {
        match stance {
            SideReply::Yes => Side::Yes,
            SideReply::No => Side::No,
            SideReply::Nuanced => Side::Nuanced,
            SideReply::Undecided => Side::Undecided,
        }
    }
}

/// Part of an argument.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentPartReply {
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

impl ArgumentPartReply {
    /// Returns the component; the first premise or assumption if no index is given.
    pub fn component(self, index: Option<u32>) -> ArgumentPart {
        match self {
            ArgumentPartReply::Claim => ArgumentPart::Claim,
            ArgumentPartReply::Premise => ArgumentPart::Premise(index.unwrap_or(0)),
            ArgumentPartReply::Assumption => ArgumentPart::Assumption(index.unwrap_or(0)),
        }
    }
}

/// Kind of attack.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttackKindReply {
    /// Attacks the claim.
    #[serde(alias = "rebuttal")]
    Rebut,
    /// Attacks a premise or an assumption.
    Undermine,
    /// Attacks the inference.
    Undercut,
}

impl From<AttackKindReply> for AttackKind {
    fn from(kind: AttackKindReply) -> AttackKind {
        match kind {
            AttackKindReply::Rebut => AttackKind::Rebut,
            AttackKindReply::Undermine => AttackKind::Undermine,
            AttackKindReply::Undercut => AttackKind::Undercut,
        }
    }
}

impl AttackKindReply {
    /// Returns the kind that is possible against a component: a claim cannot be undermined, and only a claim can be
    /// rebutted.
    pub fn against(self, component: ArgumentPart) -> AttackKind {
        match (self, component) {
            (AttackKindReply::Undercut, _) => AttackKind::Undercut,
            (_, ArgumentPart::Claim) => AttackKind::Rebut,
            (_, ArgumentPart::Premise(_) | ArgumentPart::Assumption(_)) => AttackKind::Undermine,
        }
    }
}

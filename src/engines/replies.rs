//! Words of closed lists that several engines read in replies, with what models write in their place.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::events::argument::{AttackKind, Component};
use crate::events::dispute::Side;

/// A side, as a model tells it.
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

impl Kind {
    /// How it works against this part: a claim is not undermined, and only a claim is rebutted.
    pub fn against(self, component: Component) -> AttackKind {
        match (self, component) {
            (Kind::Undercut, _) => AttackKind::Undercut,
            (_, Component::Claim) => AttackKind::Rebut,
            (_, Component::Premise(_) | Component::Assumption(_)) => AttackKind::Undermine,
        }
    }
}

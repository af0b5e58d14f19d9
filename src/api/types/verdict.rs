//! Regime, cruxes, camps, common ground.

use async_graphql::{ID, SimpleObject};

use crate::api::types::dispute::Stance;
use crate::api::types::scalars::{RegimeKind, Side};
use crate::verdicts::{camps, common_ground, last_word, regime};

/// The state of a debate as a whole, and why it is called so.
#[derive(SimpleObject, Clone)]
pub struct Regime {
    /// Which.
    kind: RegimeKind,
    /// Why, in words.
    reason: String,
    /// How many of the pairs of claims by different speakers were examined for conflict.
    coverage: Coverage,
    /// Whether every set it rests on is complete, and everything that was recorded is known.
    exact: bool,
    /// Events that a newer version recorded and this one does not know: with any of them nothing is exact, and nothing is
    /// called consensus.
    unknown_events: u32,
    /// The limit that the debate reached, if it ended by one. Reaching a limit is never convergence.
    limit: Option<String>,
    /// What stands only because nobody answered.
    last_word: LastWord,
    /// Which algorithm made the verdict.
    algorithm: String,
}

/// How much of what could be in conflict was looked at.
#[derive(SimpleObject, Clone)]
pub struct Coverage {
    /// Pairs that were examined.
    examined: usize,
    /// All pairs.
    pairs: usize,
    /// From 0 to 1.
    share: f64,
}

/// How many of the arguments that stand do so by an attack that nobody answered.
#[derive(SimpleObject, Clone)]
pub struct LastWord {
    /// Arguments that stand.
    standing: usize,
    /// Those that make, or rest on, an unanswered attack.
    unanswered: usize,
    /// From 0 to 1.
    share: f64,
}

impl Regime {
    /// A regime, and what else is said of the debate as a whole.
    pub fn new(regime: &regime::Regime, limit: Option<String>, last: last_word::LastWord, algorithm: &str) -> Self {
        let coverage = regime.coverage;
        Regime {
            kind: regime.kind.into(),
            reason: regime.reason.clone(),
            coverage: Coverage { examined: coverage.examined, pairs: coverage.pairs, share: coverage.share() },
            exact: regime.exact,
            unknown_events: regime.unknown_events,
            limit,
            last_word: LastWord { standing: last.standing, unanswered: last.unanswered, share: last.share() },
            algorithm: algorithm.to_owned(),
        }
    }
}

/// A dispute on which the participants agree, each in a turn of their own.
#[derive(SimpleObject, Clone)]
pub struct CommonGround {
    /// The dispute.
    dispute_id: ID,
    /// The question.
    question: String,
    /// The side they take.
    side: Side,
    /// Who takes it, and in which turn they said so.
    holders: Vec<Stance>,
}

impl From<&common_ground::CommonGround> for CommonGround {
    fn from(common: &common_ground::CommonGround) -> Self {
        let holders = common.holders.iter().map(|(persona, turn)| Stance {
            persona_id: ID(persona.to_string()),
            side: common.side.into(),
            turn_id: ID(turn.to_string()),
        });
        CommonGround {
            dispute_id: ID(common.dispute.to_string()),
            question: common.question.clone(),
            side: common.side.into(),
            holders: holders.collect(),
        }
    }
}

/// Arguments that stand together, and those whose arguments they mostly are.
#[derive(SimpleObject, Clone)]
pub struct Camp {
    /// The arguments.
    argument_ids: Vec<ID>,
    /// Those who belong to it.
    persona_ids: Vec<ID>,
    /// Those who belong to it and to another alike.
    tied_ids: Vec<ID>,
}

impl From<&camps::Camp> for Camp {
    fn from(camp: &camps::Camp) -> Self {
        Camp {
            argument_ids: camp.arguments.iter().map(|it| ID(it.to_string())).collect(),
            persona_ids: camp.personas.iter().map(|it| ID(it.to_string())).collect(),
            tied_ids: camp.tied.iter().map(|it| ID(it.to_string())).collect(),
        }
    }
}

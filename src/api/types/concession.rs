//! Concessions: who gave ground, and what came of it.

use async_graphql::{Enum, ID, SimpleObject};

use crate::api::types::scalars::Side;
use crate::projections::transcript::Transcript;
use crate::verdicts::concessions::{Concession as Inner, ConcessionKind as Kind, Effect};
use crate::verdicts::crux_words::quoted;

/// Somebody gave ground, in a turn of their own.
#[derive(SimpleObject, Clone)]
pub struct Concession {
    /// How.
    kind: ConcessionKind,
    /// Who.
    persona_id: ID,
    /// The turn in which.
    turn_id: ID,
    /// What was conceded; where that was not recorded, how the turn begins. At most 280 characters.
    words: String,
    /// The dispute on which, where it is on one.
    dispute_id: Option<ID>,
    /// The argument that gave way, where one did.
    argument_id: Option<ID>,
    /// The side they had taken, of a dispute.
    from: Option<Side>,
    /// The side they took.
    to: Option<Side>,
    /// What came of it, as it was made.
    effect: ConcessionEffect,
}

/// How ground is given.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConcessionKind {
    /// The point is given up.
    Full,
    /// A narrower point is kept.
    Partial,
    /// The point is kept under a condition.
    Scope,
    /// The other side of a dispute is taken, and nobody called it a concession.
    Stance,
}

/// What came of a concession.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConcessionEffect {
    /// A yes stood against a no before, and none did after.
    Settled,
    /// An argument of theirs was withdrawn.
    Withdrew,
    /// An argument of theirs was narrowed, or put under a condition.
    Revised,
    /// Nothing was settled by it, and no argument gave way.
    None,
}

impl Concession {
    /// A concession, and how its turn begins.
    pub fn new(concession: &Inner, transcript: &Transcript) -> Self {
        let said = transcript.turn(concession.turn).map(|it| it.text.as_str());
        let words = concession.what.as_deref().or(said).unwrap_or_default();
        Concession {
            kind: match concession.kind {
                Kind::Full => ConcessionKind::Full,
                Kind::Partial => ConcessionKind::Partial,
                Kind::Scope => ConcessionKind::Scope,
                Kind::Stance => ConcessionKind::Stance,
            },
            persona_id: ID(concession.persona.to_string()),
            turn_id: ID(concession.turn.to_string()),
            words: quoted(words),
            dispute_id: concession.dispute.map(|it| ID(it.to_string())),
            argument_id: concession.argument.map(|it| ID(it.to_string())),
            from: concession.from.map(Side::from),
            to: concession.to.map(Side::from),
            effect: match concession.effect {
                Effect::Settled => ConcessionEffect::Settled,
                Effect::Withdrew => ConcessionEffect::Withdrew,
                Effect::Revised => ConcessionEffect::Revised,
                Effect::None => ConcessionEffect::None,
            },
        }
    }
}

//! Calls that were given up, and turns that no clerk read: what a debate lacks.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::events::event::{Event, Recorded};
use crate::events::ids::TurnId;
use crate::events::receipt::{CRYSTALLIZE, EffectAbandoned, EffectKey, FailureKind};
use crate::projections::projection::Projection;

/// What a debate lacks because a call failed or was never made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MissedCalls {
    /// Calls that were given up, in order.
    pub calls: Vec<MissedCall>,
    /// Turns of participants that no clerk has read, in order.
    unread: Vec<TurnId>,
    /// True if a clerk reads the turns of this debate.
    has_clerk: bool,
    /// Calls whose latest attempt only repeated what had been said.
    repeated: BTreeSet<EffectKey>,
    phase: Option<String>,
    round: Option<u32>,
    latest: Option<TurnId>,
}

/// Call that was given up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MissedCall {
    /// The call, its attempts, and the last reason.
    #[serde(flatten)]
    pub abandoned: EffectAbandoned,
    /// True if the reply only repeated what had been said: the participant had nothing new to say.
    pub has_nothing_new: bool,
    /// Phase in which it was given up, as named by the engine.
    pub phase: Option<String>,
    /// Round, if the phase has rounds.
    pub round: Option<u32>,
    /// Latest turn before it; `None` before the first.
    pub after: Option<TurnId>,
}

impl MissedCalls {
    /// Turns of participants that no clerk has read, in order; none in a debate without a clerk who reads turns. Claims,
    /// reasons and concessions that they contain are in no read model.
    pub fn unread_turns(&self) -> &[TurnId] {
        if self.has_clerk { &self.unread } else { &[] }
    }
}

impl Projection for MissedCalls {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::PhaseEntered(entered) => (self.phase, self.round) = (Some(entered.phase.clone()), entered.round),
            Event::TurnTaken(taken) => {
                self.latest = Some(taken.turn);
                self.unread.push(taken.turn);
            }
            Event::Interjected(said) => self.latest = Some(said.turn),
            Event::TurnsCrystallized(read) => {
                self.has_clerk = true;
                self.unread.retain(|turn| !read.turns.contains(turn));
            }
            Event::EffectRequested(requested) => self.has_clerk |= requested.key.purpose == CRYSTALLIZE,
            Event::EffectFailed(failed) => {
                if failed.failure.kind == FailureKind::Repeated {
                    self.repeated.insert(failed.key.clone());
                } else {
                    self.repeated.remove(&failed.key);
                }
            }
            Event::EffectAbandoned(abandoned) => self.calls.push(MissedCall {
                abandoned: abandoned.clone(),
                has_nothing_new: self.repeated.remove(&abandoned.key),
                phase: self.phase.clone(),
                round: self.round,
                after: self.latest,
            }),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use uuid::Uuid;

    use super::*;
    use crate::events::ids::DebateId;
    use crate::events::lifecycle::Interjected;

    #[test]
    fn a_call_given_up_after_an_interjection_stands_after_it() {
        let interjected =
            Interjected { turn: TurnId(3), text: "Stay with the figures.".into(), speaker: None, room: None };
        let key = EffectKey { purpose: "turn".into(), subject: "ada".into(), ordinal: 4 };
        let abandoned = EffectAbandoned { key, attempts: 3, reason: "no answer".into() };
        let mut missed = MissedCalls::default();
        for event in [Event::Interjected(interjected), Event::EffectAbandoned(abandoned)] {
            let (id, debate, at) = (Uuid::nil(), DebateId(Uuid::nil()), DateTime::<Utc>::UNIX_EPOCH);
            missed.apply(&Recorded { id, debate, version: 1, lane: 0, position: 0, at, caused_by: None, event });
        }
        assert_eq!(missed.calls.iter().map(|call| call.after).collect::<Vec<_>>(), [Some(TurnId(3))]);
    }
}

//! Opening statements, the assignment of sides, and the entering of rounds.

use crate::engines::pro_con::moderator::announcement;
use crate::engines::pro_con::pro_con::{OPENING, ProCon, ROUND};
use crate::engines::pro_con::sides::assign;
use crate::engines::shared::effect_names;
use crate::engines::talk::speeches::Speeches;
use crate::engines::talk::state::{OPEN, TOPIC};
use crate::events::checks::sides::{MotionSide, SidesAssigned};
use crate::events::dispute::Side;
use crate::events::event::Event;
use crate::events::ids::PersonaId;
use crate::events::lifecycle::{DebateOutcome, PhaseEntered};
use crate::events::receipt::EffectKey;
use crate::kernel::effect::{Effect, effect_key};
use crate::kernel::engine::Plan;

impl ProCon {
    /// Returns requests for the opening statements that are missing; also those of participants who joined with a fork.
    fn openings_due(&self) -> Vec<Effect> {
        let speeches = Speeches { talk: &self.talk };
        let missing = self.talk.participants.iter().filter(|it| self.talk.is_missing(&effect_key(OPEN, &it.id, 0)));
        missing.map(|speaker| speeches.opening(speaker)).collect()
    }

    /// Asks for opening statements, and then enters the next round.
    pub(super) fn open(&self) -> Plan {
        let asked = self.openings_due();
        if !asked.is_empty() {
            return Plan::Ask(asked);
        }
        if self.talk.speakers().next().is_none() {
            let keys: Vec<EffectKey> =
                self.talk.participants.iter().map(|participant| effect_key(OPEN, &participant.id, 0)).collect();
            let missed = effect_names::named(&self.talk.participants, keys.iter()).unwrap_or_default();
            return Plan::Conclude(DebateOutcome::Failed { reason: format!("{missed} abandoned") });
        }
        self.enter_round(self.round + 1)
    }

    /// Enters a round, with the sides assigned before it if somebody has none, or somebody with a side has left. Whoever
    /// joined with a fork opens before it, in a phase of openings: their words belong neither to a round nor to the last
    /// words of the others.
    pub(super) fn enter_round(&self, round: u32) -> Plan {
        if !self.openings_due().is_empty() {
            return Plan::Record(vec![Event::PhaseEntered(PhaseEntered::new(OPENING, None, None))]);
        }
        let (sides, is_new) = match self.sides_due() {
            Some(Ok(sides)) => (sides, true),
            Some(Err(reason)) => return Plan::Conclude(DebateOutcome::Stalled { reason }),
            None => match &self.motion.sides {
                Some(sides) => (sides.clone(), false),
                None => return Plan::Conclude(DebateOutcome::Stalled { reason: "no sides were assigned".to_owned() }),
            },
        };
        let announcement = Some(announcement(&self.options, round, &sides, |id| self.talk.names.of(id)));
        let entered = PhaseEntered { announcement, ..PhaseEntered::new(ROUND, Some(round), None) };
        let assigned = is_new.then_some(Event::SidesAssigned(sides));
        Plan::Record(assigned.into_iter().chain([Event::PhaseEntered(entered)]).collect())
    }

    /// Assigns the sides, if those who take part are not those who have one. Whoever has a side keeps it, unless the options name
    /// another.
    fn sides_due(&self) -> Option<Result<SidesAssigned, String>> {
        let named = |id: &PersonaId| self.options.pro.contains(id) || self.options.con.contains(id);
        let takes_part = |id: &PersonaId| named(id) || self.talk.speakers().any(|speaker| speaker.id == *id);
        let present: Vec<&PersonaId> =
            self.talk.participants.iter().map(|it| &it.id).filter(|id| takes_part(id)).collect();
        let mut options = self.options.clone();
        if let Some(sides) = &self.motion.sides {
            let fits = |side: MotionSide, named: &[PersonaId]| named.iter().all(|id| sides.side_of(id) == Some(side));
            let has_all = present.iter().all(|id| sides.side_of(id).is_some())
                && sides.speaking_order().all(|(id, _)| present.contains(&id));
            if has_all && fits(MotionSide::Pro, &options.pro) && fits(MotionSide::Con, &options.con) {
                return None;
            }
            let keep =
                |side: MotionSide| sides.of(side).iter().filter(|id| present.contains(id) && !named(id)).cloned();
            options.pro.extend(keep(MotionSide::Pro));
            options.con.extend(keep(MotionSide::Con));
        }
        let stances = self.talk.disputes.disputes.get(&TOPIC).map(|topic| &topic.stances);
        let side = |id: &PersonaId| stances.and_then(|it| it.get(id)).map_or(Side::Undecided, |stance| stance.side);
        let stated: Vec<(PersonaId, Side)> = present.into_iter().map(|id| (id.clone(), side(id))).collect();
        let assigned = assign(&options, &stated);
        Some(assigned.map(|sides| match self.motion.sides {
            None => sides,
            Some(_) => SidesAssigned { reason: "participants or options have changed".to_owned(), ..sides },
        }))
    }
}

//! Steps of a panel: the question of the room is discussed aspect by aspect.
//!
//! After their entry statements, a clerk names up to [`MAX_ASPECTS`] aspects of the question. On each of them, both give their
//! take at the same time; each replies to the take of the other; and whoever was challenged answers. Then they take turns on
//! what divides them, [`CLASH_TURNS`] at most, until an exit check finds that both have stated it. Each closes with where they
//! stand. Without aspects, the clash follows the entry statements. Cost: at most two entry statements, one call for the
//! aspects, six turns for each of them, four turns and two exit checks of the clash, two closings, and the extraction.

use crate::engines::crux_rooms::discussion::{Discussion, RoomEnding, RoomStep};
use crate::engines::talk::rooms::room_slots::SlotKind;
use crate::events::channel::RoomStage;
use crate::events::ids::{DisputeId, PersonaId};

/// Maximum number of aspects of a question.
pub const MAX_ASPECTS: usize = 3;
/// Maximum number of turns in a clash, missed ones included.
pub const CLASH_TURNS: usize = 4;

impl Discussion {
    /// Returns the next step of a panel after the entry statements.
    pub(super) fn panel_step(&self) -> RoomStep {
        let Some(aspects) = &self.aspects else {
            return self.lost_aspects.clone().map_or(RoomStep::NameAspects, RoomStep::NoAspects);
        };
        let order = RoomStage::in_order(Some(aspects));
        let Some(current) = self.slots.stage else { return self.next_of(&order) };
        let (stage, aspect) = current;
        let step = match stage {
            RoomStage::Clash => self.clash_step(),
            _ => {
                let missing = self.missing(stage, aspect, |persona| self.has_step(stage, aspect, persona));
                (!missing.is_empty()).then_some(RoomStep::Stage(stage, missing))
            }
        };
        let at = order.iter().position(|other| *other == current).map_or(order.len(), |at| at + 1);
        step.unwrap_or_else(|| self.next_of(&order[at..]))
    }

    /// Enters the first of these stages in which somebody has a step to take; the panel is over if there is none.
    fn next_of(&self, stages: &[(RoomStage, Option<DisputeId>)]) -> RoomStep {
        let is_held = |(stage, aspect): &&(RoomStage, Option<DisputeId>)| {
            !stage.is_optional() || self.participants.iter().any(|persona| self.has_step(*stage, *aspect, persona))
        };
        match stages.iter().find(is_held) {
            Some((stage, aspect)) => RoomStep::EnterStage(*stage, *aspect),
            None if self.surfaced.is_some() => RoomStep::Extract(RoomEnding::Surfaced),
            None => RoomStep::Extract(RoomEnding::Held),
        }
    }

    /// Returns true if a participant has a step to take in a stage: nobody replies to a take that was not given, and only those
    /// whose take was challenged answer.
    fn has_step(&self, stage: RoomStage, aspect: Option<DisputeId>, persona: &PersonaId) -> bool {
        let others = |stage| self.slots_of(stage, aspect).filter(|slot| slot.speaker != *persona);
        match stage {
            RoomStage::Replies => others(RoomStage::Takes).any(|slot| slot.turn.is_some()),
            RoomStage::Rejoinders => {
                let mut replies = others(RoomStage::Replies).filter_map(|slot| slot.turn);
                let has_take =
                    self.slots_of(RoomStage::Takes, aspect).any(|slot| slot.speaker == *persona && slot.turn.is_some());
                has_take && replies.any(|reply| self.challenges.contains(&reply))
            }
            _ => true,
        }
    }

    /// Returns the next step of a clash; `None` once it is over.
    fn clash_step(&self) -> Option<RoomStep> {
        let (n, slots) = (self.participants.len(), &self.slots.slots);
        let held: Vec<SlotKind> = self.slots_of(RoomStage::Clash, None).map(|slot| slot.kind).collect();
        let is_silent = held.len() >= n && held.iter().rev().take(n).all(|kind| *kind != SlotKind::Taken);
        if self.surfaced.is_some() || is_silent {
            return None;
        }
        if !held.is_empty() && held.len().is_multiple_of(n) && self.checked < slots.len() {
            return Some(RoomStep::CheckExit);
        }
        let speaker = self.next_speaker().filter(|_| held.len() < CLASH_TURNS)?;
        Some(RoomStep::Speak(speaker.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::crux_rooms::discussion::{ASPECTS, EXIT};
    use crate::engines::crux_rooms::settings::RoomStyle;
    use crate::engines::talk::replies::decode::noted;
    use crate::engines::talk::rooms::room_slots::ROOM_TURN;
    use crate::engines::talk::sample::persona;
    use crate::events::channel::{ExitChecked, RoomAspect, RoomAspectsNamed, RoomStageEntered};
    use crate::events::event::Event;
    use crate::events::ids::{RoomId, TurnId};
    use crate::events::receipt::EffectAbandoned;
    use crate::events::turn::{Move, TurnTaken};

    /// Plays a panel of ada and ben: `ada` takes a turn, `ada!` one that challenges, `-ada` misses one, `a2` names two aspects,
    /// `x` is an abandoned call for aspects, `?` an exit check, `!` one that finds the crux, `>` the next stage.
    fn panel(steps: &str) -> RoomStep {
        let mut room = Discussion::new(RoomId(1), vec![persona("ada"), persona("ben")], RoomStyle::Panel);
        for (at, step) in (1..).zip(steps.split_whitespace()) {
            let event = event(&room, TurnId(at), step);
            room.evolve(&noted(&event));
        }
        room.step(20)
    }

    fn event(room: &Discussion, turn: TurnId, step: &str) -> Event {
        let id = RoomId(1);
        let lost = |key| Event::EffectAbandoned(EffectAbandoned { key, attempts: 3, reason: "no answer".into() });
        let check = |surfaced| {
            Event::ExitChecked(ExitChecked {
                room: id,
                turn,
                surfaced,
                words: vec![],
                reason: String::new(),
                refused: vec![],
            })
        };
        match step {
            "?" => check(false),
            "!" => check(true),
            "x" => lost(room.key(ASPECTS, "m1")),
            "?x" => lost(room.key(EXIT, "m1")),
            ">" => match room.step(20) {
                RoomStep::EnterStage(stage, aspect) => {
                    Event::RoomStageEntered(RoomStageEntered { room: id, stage, aspect })
                }
                other => panic!("{other:?} instead of the next stage"),
            },
            _ if step.starts_with('a') && step[1..].parse::<u32>().is_ok() => {
                let number: u32 = step[1..].parse().expect("a number");
                let aspect = |number| RoomAspect { dispute: DisputeId(10 + number), label: "it".to_owned() };
                let aspects = (1..=number).map(aspect).collect();
                Event::RoomAspectsNamed(RoomAspectsNamed { room: id, aspects, refused: vec![] })
            }
            _ if step.starts_with('-') => lost(room.key(ROOM_TURN, &step[1..])),
            _ => Event::TurnTaken(TurnTaken {
                preparation: None,
                turn,
                speaker: persona(step.trim_end_matches('!')),
                round: None,
                room: Some(id),
                moves: vec![if step.ends_with('!') { Move::Challenge } else { Move::Claim }],
                move_quotes: vec![],
                answers: None,
                text: String::new(),
                citations: vec![],
                refused: vec![],
                dangling: 0,
            }),
        }
    }

    #[test]
    fn a_panel_goes_from_aspects_to_a_closing() {
        let of = |stage, names: &[&str]| RoomStep::Stage(stage, names.iter().map(|name| persona(name)).collect());
        let on = |stage, number: u32| RoomStep::EnterStage(stage, Some(DisputeId(10 + number)));
        let one_aspect = "ada ben a1 > ada ben > ada! ben > ben";
        let check = |steps: &str, expected: RoomStep| assert_eq!(panel(steps), expected, "{steps}");
        check("ada ben", RoomStep::NameAspects);
        check("ada ben x", RoomStep::NoAspects("no answer".to_owned()));
        check("ada ben a0", RoomStep::EnterStage(RoomStage::Clash, None));
        check("ada ben a2", on(RoomStage::Takes, 1));
        check("ada ben a2 > ben", of(RoomStage::Takes, &["ada"]));
        check("ada ben a2 > ada ben", on(RoomStage::Replies, 1));
        check("ada ben a2 > ada -ben >", of(RoomStage::Replies, &["ben"]));
        check("ada ben a2 > -ada -ben", on(RoomStage::Takes, 2));
        check("ada ben a2 > ada ben > ada ben", on(RoomStage::Takes, 2));
        check("ada ben a2 > ada ben > ada! ben", on(RoomStage::Rejoinders, 1));
        check("ada ben a2 > ada ben > ada! ben >", of(RoomStage::Rejoinders, &["ben"]));
        check("ada ben a2 > ada -ben > ben!", on(RoomStage::Rejoinders, 1));
        check("ada ben a2 > -ada ben > ada", on(RoomStage::Takes, 2));
        check(one_aspect, RoomStep::EnterStage(RoomStage::Clash, None));
        check(&format!("{one_aspect} >"), RoomStep::Speak(persona("ada")));
        check(&format!("{one_aspect} > ada ben"), RoomStep::CheckExit);
        check(&format!("{one_aspect} > ada ben ?"), RoomStep::Speak(persona("ada")));
        check(&format!("{one_aspect} > ada ben ?x"), RoomStep::Speak(persona("ada")));
        check(&format!("{one_aspect} > ada ben !"), RoomStep::EnterStage(RoomStage::Closing, None));
        check(&format!("{one_aspect} > -ada -ben"), RoomStep::EnterStage(RoomStage::Closing, None));
        check(&format!("{one_aspect} > ada ben ? ada ben ?"), RoomStep::EnterStage(RoomStage::Closing, None));
        check(&format!("{one_aspect} > ada ben ! > ada"), of(RoomStage::Closing, &["ben"]));
        check(&format!("{one_aspect} > ada ben ! > ada ben"), RoomStep::Extract(RoomEnding::Surfaced));
        check(&format!("{one_aspect} > -ada -ben > ada ben"), RoomStep::Extract(RoomEnding::Held));
    }
}

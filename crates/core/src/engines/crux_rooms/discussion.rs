//! State of one room, and its next step.
//!
//! Both participants enter with a statement at the same time. Then they take turns. After every exchange, a turn of each, a
//! clerk checks whether they have stated what divides them. The room ends when they have, when its turns are used up, when
//! neither has anything new to say, or when the calls of both fail; then a clerk distils it into a card.
//!
//! In a staged room, both take the same steps after their entry: each states the other's position in its strongest form,
//! judges the statement of their own, says why they disagree, what would change their mind, and where they stand at the end.
//! The steps of a panel are those of [`crate::engines::crux_rooms::panel`].

use crate::engines::crux_rooms::settings::RoomStyle;
use crate::engines::talk::rooms::room_slots::{ROOM_TURN, RoomSlot, RoomSlots, SlotKind};
use crate::events::channel::{RoomAspect, RoomStage};
use crate::events::crux::RoomOutcome;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{DisputeId, PersonaId, RoomId, TurnId};
use crate::events::receipt::EffectKey;
use crate::events::turn::Move;

/// Purposes of the stages.
const STAGES: [(RoomStage, &str); 10] = [
    (RoomStage::Steelman, "steelman"),
    (RoomStage::Confirmation, "confirm"),
    (RoomStage::Diagnosis, "diagnose"),
    (RoomStage::Falsifiers, "falsify"),
    (RoomStage::Resolution, "resolve"),
    (RoomStage::Takes, "take"),
    (RoomStage::Replies, "reply"),
    (RoomStage::Rejoinders, "rejoinder"),
    (RoomStage::Clash, "clash"),
    (RoomStage::Closing, "room_closing"),
];
/// Purpose of exit checks.
pub const EXIT: &str = "exit";
/// Purpose of naming the aspects of a panel.
pub const ASPECTS: &str = "aspects";

/// Room under discussion.
#[derive(Clone, Debug, PartialEq)]
pub struct Discussion {
    pub(super) participants: Vec<PersonaId>,
    style: RoomStyle,
    /// Entry statements first.
    pub(super) slots: RoomSlots,
    /// Aspects of the question of a panel; `None` until they were named.
    pub(super) aspects: Option<Vec<RoomAspect>>,
    /// Reason for which no aspects can be named; `None` while they can.
    pub(super) lost_aspects: Option<String>,
    /// Turns that challenge what the other said.
    pub(super) challenges: Vec<TurnId>,
    /// Number of slots at the last exit check, answered or abandoned.
    pub(super) checked: usize,
    /// Reason of the exit check by which both stated what divides them.
    pub(super) surfaced: Option<String>,
}

/// Next step of a room.
#[derive(Clone, Debug, PartialEq)]
pub enum RoomStep {
    /// These participants have not entered.
    Enter(Vec<PersonaId>),
    /// A clerk names the aspects of the question.
    NameAspects,
    /// The panel goes on without aspects, for this reason.
    NoAspects(String),
    /// The room enters this stage, on this aspect if it is about one.
    EnterStage(RoomStage, Option<DisputeId>),
    /// These participants have not taken the step of this stage.
    Stage(RoomStage, Vec<PersonaId>),
    /// This participant has the floor.
    Speak(PersonaId),
    /// A clerk checks whether what divides the participants was stated.
    CheckExit,
    /// A clerk distils the room.
    Extract(RoomEnding),
    /// The room closes without a card.
    Fail(RoomFailure),
    /// The room is closed.
    Done,
}

/// Reason for which a room closes without a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoomFailure {
    /// This participant did not enter.
    NotEntered(PersonaId),
    /// No card could be drawn from it, for this reason.
    NoCard(String),
}

/// Reason for which the discussion in a room ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoomEnding {
    /// Both stated what divides them.
    Surfaced,
    /// Neither had anything new to say.
    NothingNew,
    /// The turns of the room are used up.
    Limit(usize),
    /// The latest calls of both failed.
    Silent,
    /// The stages of the room are over.
    Held,
}

impl RoomEnding {
    /// Returns the outcome of a room whose participants still stand on different sides.
    pub fn outcome(self) -> RoomOutcome {
        match self {
            RoomEnding::Surfaced => RoomOutcome::Surfaced,
            RoomEnding::NothingNew | RoomEnding::Limit(_) | RoomEnding::Silent | RoomEnding::Held => {
                RoomOutcome::Exhausted
            }
        }
    }
}

impl Discussion {
    /// Describes the reason for which the discussion ended.
    pub fn reason(&self, ending: RoomEnding) -> String {
        let found = self.surfaced.as_deref().map(|reason| reason.trim().trim_end_matches('.'));
        match ending {
            RoomEnding::Surfaced => {
                format!("the exit check found: {}", found.unwrap_or("what divides them was stated"))
            }
            RoomEnding::NothingNew => "neither had anything new to say".to_owned(),
            RoomEnding::Limit(turns) => format!("the limit of {turns} turns was reached"),
            RoomEnding::Silent => "the latest calls of both failed".to_owned(),
            RoomEnding::Held => "its stages are over".to_owned(),
        }
    }
}

/// Returns the purpose of the steps in a stage.
pub fn purpose_of(stage: RoomStage) -> &'static str {
    STAGES.iter().find(|(named, _)| *named == stage).map_or("", |(_, purpose)| purpose)
}

/// Returns the stage of a purpose; `None` for other purposes.
pub fn stage_of(purpose: &str) -> Option<RoomStage> {
    STAGES.iter().find(|(_, name)| *name == purpose).map(|(stage, _)| *stage)
}

impl Discussion {
    /// Creates the state of a room that was opened.
    pub fn new(room: RoomId, participants: Vec<PersonaId>, style: RoomStyle) -> Discussion {
        let slots = RoomSlots::new(room, participants.clone());
        Discussion {
            participants,
            style,
            slots,
            aspects: None,
            lost_aspects: None,
            challenges: Vec::new(),
            checked: 0,
            surfaced: None,
        }
    }

    /// Returns the key of an effect of the room. Turns and checks are numbered by their slot, steps on an aspect by the aspect.
    pub fn key(&self, purpose: &str, subject: &str) -> EffectKey {
        let index = match stage_of(purpose) {
            Some(stage) if RoomStage::OF_ASPECT.contains(&stage) => self.aspect_index(),
            Some(RoomStage::Clash) => self.slots.slots.len(),
            None if [ROOM_TURN, EXIT].contains(&purpose) => self.slots.slots.len(),
            _ => 0,
        };
        self.slots.key(purpose, subject, index)
    }

    fn aspect_index(&self) -> usize {
        let aspect = self.slots.stage.and_then(|(_, aspect)| aspect);
        self.aspects.iter().flatten().position(|named| Some(named.dispute) == aspect).unwrap_or(0)
    }

    /// Returns the participant who has the floor next; `None` before both have entered, and in stages in which all take the
    /// same step.
    pub fn next_speaker(&self) -> Option<&PersonaId> {
        let slots = &self.slots.slots;
        let is_exchange = match self.style {
            RoomStyle::Exchange => true,
            RoomStyle::Staged => false,
            RoomStyle::Panel => self.slots.stage.is_some_and(|(stage, _)| stage == RoomStage::Clash),
        };
        let has_begun = slots.len() >= self.participants.len() && !self.slots.is_closed && is_exchange;
        let last = slots.last().map(|slot| &slot.speaker);
        self.participants.iter().find(|persona| Some(*persona) != last).filter(|_| has_begun)
    }

    /// Returns the present stage, with its aspect; `None` before the first, and in a free exchange.
    pub fn stage(&self) -> Option<(RoomStage, Option<DisputeId>)> {
        self.slots.stage
    }

    /// Returns the slots of a stage, on this aspect if it is about one.
    pub(super) fn slots_of(&self, stage: RoomStage, aspect: Option<DisputeId>) -> impl Iterator<Item = &RoomSlot> {
        self.slots.slots.iter().filter(move |slot| slot.stage == Some((stage, aspect)))
    }

    /// Returns the turns taken in a stage, on this aspect if it is about one.
    pub fn turns_of(&self, stage: RoomStage, aspect: Option<DisputeId>) -> impl Iterator<Item = TurnId> {
        self.slots_of(stage, aspect).filter_map(|slot| slot.turn)
    }

    /// Returns the turns in which a participant stated the position of the other.
    pub fn steelmen(&self) -> Vec<TurnId> {
        self.turns_of(RoomStage::Steelman, None).collect()
    }

    /// Returns the turn in which another participant stated the position of this one.
    pub fn steelman_of(&self, persona: &PersonaId) -> Option<TurnId> {
        self.slots_of(RoomStage::Steelman, None).find(|slot| slot.speaker != *persona)?.turn
    }

    /// Applies an event.
    pub fn evolve(&mut self, recorded: &Recorded) {
        self.slots.evolve(recorded);
        match &recorded.event {
            Event::RoomAspectsNamed(it) if it.room == self.slots.room => self.aspects = Some(it.aspects.clone()),
            Event::TurnTaken(it) if it.room == Some(self.slots.room) && it.moves.contains(&Move::Challenge) => {
                self.challenges.push(it.turn);
            }
            Event::ExitChecked(it) if it.room == self.slots.room => {
                self.checked = self.slots.slots.len();
                if it.surfaced {
                    self.surfaced = Some(it.reason.clone());
                }
            }
            Event::EffectAbandoned(it) if it.key.purpose == EXIT && it.key.room() == Some(self.slots.room) => {
                self.checked = self.slots.slots.len();
            }
            Event::EffectAbandoned(it) if it.key.purpose == ASPECTS && it.key.room() == Some(self.slots.room) => {
                self.lost_aspects = Some(it.reason.clone());
            }
            _ => {}
        }
    }

    /// Returns the next step. `most` is the maximum number of slots.
    pub fn step(&self, most: usize) -> RoomStep {
        if self.slots.is_closed {
            return RoomStep::Done;
        }
        let slots = &self.slots.slots;
        let has_entered = |persona: &&PersonaId| slots.iter().any(|slot| slot.speaker == **persona);
        let missing: Vec<PersonaId> =
            self.participants.iter().filter(|persona| !has_entered(persona)).cloned().collect();
        if !missing.is_empty() {
            return RoomStep::Enter(missing);
        }
        let n = self.participants.len();
        if let Some(lost) = slots[..n.min(slots.len())].iter().find(|slot| slot.kind != SlotKind::Taken) {
            return RoomStep::Fail(RoomFailure::NotEntered(lost.speaker.clone()));
        }
        if let Some(reason) = &self.slots.lost_card {
            return RoomStep::Fail(RoomFailure::NoCard(reason.clone()));
        }
        match self.style {
            RoomStyle::Exchange => self.exchange_step(most),
            RoomStyle::Staged => self.staged_step(),
            RoomStyle::Panel => self.panel_step(),
        }
    }

    fn exchange_step(&self, most: usize) -> RoomStep {
        let (slots, n) = (&self.slots.slots, self.participants.len());
        let since = slots.len() - self.checked.max(n).min(slots.len());
        match self.ending(most) {
            Some(ending) => RoomStep::Extract(ending),
            None if since >= n => RoomStep::CheckExit,
            None => self.next_speaker().cloned().map_or(RoomStep::Done, RoomStep::Speak),
        }
    }

    fn staged_step(&self) -> RoomStep {
        let order = RoomStage::STAGED;
        let Some((stage, _)) = self.slots.stage else { return RoomStep::EnterStage(order[0], None) };
        // Nobody judges a statement that was never made.
        let is_due = |persona: &PersonaId| stage != RoomStage::Confirmation || self.steelman_of(persona).is_some();
        let missing = self.missing(stage, None, is_due);
        let next = order.iter().skip_while(|other| **other != stage).nth(1);
        match next {
            _ if !missing.is_empty() => RoomStep::Stage(stage, missing),
            Some(next) => RoomStep::EnterStage(*next, None),
            None if self.checked < self.slots.slots.len() => RoomStep::CheckExit,
            None if self.surfaced.is_some() => RoomStep::Extract(RoomEnding::Surfaced),
            None => RoomStep::Extract(RoomEnding::Held),
        }
    }

    /// Returns the participants who have a step to take in a stage and have not taken it.
    pub(super) fn missing(
        &self,
        stage: RoomStage,
        aspect: Option<DisputeId>,
        is_due: impl Fn(&PersonaId) -> bool,
    ) -> Vec<PersonaId> {
        let has_taken = |persona: &PersonaId| self.slots_of(stage, aspect).any(|slot| slot.speaker == *persona);
        let missing = self.participants.iter().filter(|persona| !has_taken(persona) && is_due(persona));
        missing.cloned().collect()
    }

    fn ending(&self, most: usize) -> Option<RoomEnding> {
        let n = self.participants.len();
        if self.surfaced.is_some() {
            return Some(RoomEnding::Surfaced);
        }
        if self.slots.latest_are(n, &[SlotKind::NothingNew]) {
            return Some(RoomEnding::NothingNew);
        }
        if self.slots.latest_are(n, &[SlotKind::NothingNew, SlotKind::Lost]) {
            return Some(RoomEnding::Silent);
        }
        (self.slots.slots.len() >= most).then_some(RoomEnding::Limit(most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::replies::decode::noted;
    use crate::engines::talk::rooms::room_slots::EXTRACT;
    use crate::engines::talk::sample::persona;
    use crate::events::channel::{ExitChecked, RoomStageEntered, TurnSkipped};
    use crate::events::receipt::EffectAbandoned;
    use crate::events::turn::{Move, TurnTaken};

    const MOST: usize = 6;

    /// Plays a room of ada and ben: `ada` takes a turn, `-ada` misses one, `~ada` skips one, `?` is an exit check, `!` one that
    /// finds the crux, `x` an abandoned extraction, `>` the next stage.
    fn room(style: RoomStyle, steps: &str) -> RoomStep {
        let mut room = Discussion::new(RoomId(1), vec![persona("ada"), persona("ben")], style);
        for step in steps.split_whitespace() {
            let event = event(&room, step);
            room.evolve(&noted(&event));
        }
        room.step(MOST)
    }

    fn event(room: &Discussion, step: &str) -> Event {
        let check = |surfaced| {
            let (turn, reason) = (TurnId(1), String::new());
            Event::ExitChecked(ExitChecked { room: RoomId(1), turn, surfaced, words: vec![], reason, refused: vec![] })
        };
        let lost = |key| Event::EffectAbandoned(EffectAbandoned { key, attempts: 3, reason: "no answer".into() });
        match step {
            "?" => check(false),
            "!" => check(true),
            "x" => lost(room.key(EXTRACT, "m1")),
            ">" => match room.step(MOST) {
                RoomStep::EnterStage(stage, aspect) => {
                    Event::RoomStageEntered(RoomStageEntered { room: RoomId(1), stage, aspect })
                }
                other => panic!("{other:?} instead of the next stage"),
            },
            _ if step.starts_with('-') => lost(room.key(ROOM_TURN, &step[1..])),
            _ if step.starts_with('~') => {
                let (speaker, room, reason) = (persona(&step[1..]), Some(RoomId(1)), String::new());
                Event::TurnSkipped(TurnSkipped { speaker, room, reason })
            }
            _ => Event::TurnTaken(TurnTaken {
                preparation: None,
                turn: TurnId(1),
                speaker: persona(step),
                round: None,
                room: Some(RoomId(1)),
                moves: vec![Move::Claim],
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
    fn a_room_goes_from_entry_to_card() {
        let both = || RoomStep::Enter(vec![persona("ada"), persona("ben")]);
        let speak = |name: &str| RoomStep::Speak(persona(name));
        for (steps, expected) in [
            ("", both()),
            ("ben", RoomStep::Enter(vec![persona("ada")])),
            ("ada ben", speak("ada")),
            ("ben ada", speak("ben")),
            ("ada ben ada", speak("ben")),
            ("ada ben ada ben", RoomStep::CheckExit),
            ("ada ben ada ben ?", speak("ada")),
            ("ada ben ada ben !", RoomStep::Extract(RoomEnding::Surfaced)),
            ("ada ben ada ben ? ada ben", RoomStep::Extract(RoomEnding::Limit(MOST))),
            ("ada ben ~ada ~ben", RoomStep::Extract(RoomEnding::NothingNew)),
            ("ada ben -ada ~ben", RoomStep::Extract(RoomEnding::Silent)),
            ("ada ben -ada ben", RoomStep::CheckExit),
            ("-ada ben", RoomStep::Fail(RoomFailure::NotEntered(persona("ada")))),
            ("ada ben ada ben ! x", RoomStep::Fail(RoomFailure::NoCard("no answer".to_owned()))),
        ] {
            assert_eq!(room(RoomStyle::Exchange, steps), expected, "{steps}");
        }
    }

    #[test]
    fn a_staged_room_takes_every_step() {
        let missing = |stage, names: &[&str]| RoomStep::Stage(stage, names.iter().map(|name| persona(name)).collect());
        for (steps, expected) in [
            ("ada ben", RoomStep::EnterStage(RoomStage::Steelman, None)),
            ("ada ben >", missing(RoomStage::Steelman, &["ada", "ben"])),
            ("ada ben > ben", missing(RoomStage::Steelman, &["ada"])),
            ("ada ben > ada ben", RoomStep::EnterStage(RoomStage::Confirmation, None)),
            ("ada ben > ada -ben >", missing(RoomStage::Confirmation, &["ben"])),
            ("ada ben > -ada -ben >", RoomStep::EnterStage(RoomStage::Diagnosis, None)),
            ("ada ben > -ada -ben > > ada ben > ada ben > ada ben", RoomStep::CheckExit),
            ("ada ben > -ada -ben > > ada ben > ada ben > ada ben ?", RoomStep::Extract(RoomEnding::Held)),
            ("ada ben > -ada -ben > > ada ben > ada ben > ada ben !", RoomStep::Extract(RoomEnding::Surfaced)),
        ] {
            assert_eq!(room(RoomStyle::Staged, steps), expected, "{steps}");
        }
    }
}

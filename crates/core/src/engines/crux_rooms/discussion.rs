//! State of one room, and its next step.
//!
//! Both participants enter with a statement at the same time. Then they take turns. After every exchange, a turn of each, a
//! clerk checks whether they have stated what divides them. The room ends when they have, when its turns are used up, when
//! neither has anything new to say, or when the calls of both fail; then a clerk distils it into a card.
//!
//! In a staged room, both take the same steps after their entry: each states the other's position in its strongest form,
//! judges the statement of their own, says why they disagree, what would change their mind, and where they stand at the end.

use crate::engines::crux_rooms::settings::RoomStyle;
use crate::events::channel::RoomStage;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{PersonaId, RoomId, TurnId};
use crate::events::receipt::{EffectKey, FailureKind, ROOM_ORDINALS};
use crate::kernel::effect::effect_key;

/// Purpose of entry statements.
pub const ENTER: &str = "enter";
/// Purpose of turns in a room.
pub const ROOM_TURN: &str = "room_turn";
/// Purposes of the stages of a staged room, in order.
pub const STAGES: [(RoomStage, &str); 5] = [
    (RoomStage::Steelman, "steelman"),
    (RoomStage::Confirmation, "confirm"),
    (RoomStage::Diagnosis, "diagnose"),
    (RoomStage::Falsifiers, "falsify"),
    (RoomStage::Resolution, "resolve"),
];
/// Purpose of exit checks.
pub const EXIT: &str = "exit";
/// Purpose of the extraction of a card.
pub const EXTRACT: &str = "extract";

/// Room under discussion.
#[derive(Clone, Debug, PartialEq)]
pub struct Discussion {
    room: RoomId,
    participants: Vec<PersonaId>,
    style: RoomStyle,
    /// The present stage of a staged room; `None` before the first.
    stage: Option<RoomStage>,
    /// Slots in order, entry statements first.
    slots: Vec<RoomSlot>,
    /// Number of slots at the last exit check, answered or abandoned.
    checked: usize,
    /// Reason of the exit check by which both stated what divides them.
    surfaced: Option<String>,
    /// Keys of the latest attempts that only repeated a turn.
    echoed: Vec<EffectKey>,
    /// Reason for which no card can be drawn; `None` while one can.
    lost_card: Option<String>,
    is_closed: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct RoomSlot {
    speaker: PersonaId,
    kind: SlotKind,
    stage: Option<RoomStage>,
    /// The turn taken, if any.
    turn: Option<TurnId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SlotKind {
    Taken,
    NothingNew,
    Lost,
}

/// Next step of a room.
#[derive(Clone, Debug, PartialEq)]
pub enum RoomStep {
    /// These participants have not entered.
    Enter(Vec<PersonaId>),
    /// The room enters this stage.
    EnterStage(RoomStage),
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
    /// All stages of the room were held.
    Held,
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
            RoomEnding::Held => "all its stages were held".to_owned(),
        }
    }
}

/// Returns the stage of a purpose; `None` for other purposes.
pub fn stage_of(purpose: &str) -> Option<RoomStage> {
    STAGES.iter().find(|(_, name)| *name == purpose).map(|(stage, _)| *stage)
}

impl Discussion {
    /// Creates the state of a room that was opened.
    pub fn new(room: RoomId, participants: Vec<PersonaId>, style: RoomStyle) -> Discussion {
        Discussion {
            room,
            participants,
            style,
            stage: None,
            slots: Vec::new(),
            checked: 0,
            surfaced: None,
            echoed: Vec::new(),
            lost_card: None,
            is_closed: false,
        }
    }

    /// Returns the key of an effect of the room; turns and checks are numbered by their slot.
    pub fn key(&self, purpose: &str, subject: &str) -> EffectKey {
        let slot = match purpose {
            ROOM_TURN | EXIT => u32::try_from(self.slots.len()).unwrap_or(ROOM_ORDINALS - 1).min(ROOM_ORDINALS - 1),
            _ => 0,
        };
        effect_key(purpose, subject, self.room.0.saturating_mul(ROOM_ORDINALS).saturating_add(slot))
    }

    /// Returns the participant who has the floor next; `None` before both have entered.
    pub fn next_speaker(&self) -> Option<&PersonaId> {
        let last = self.slots.last().map(|slot| &slot.speaker);
        let is_exchange = self.style == RoomStyle::Exchange;
        let has_begun = self.slots.len() >= self.participants.len() && !self.is_closed && is_exchange;
        self.participants.iter().find(|persona| Some(*persona) != last).filter(|_| has_begun)
    }

    /// Returns true if a participant stated the position of the other in a turn.
    pub fn is_steelman(&self, turn: TurnId) -> bool {
        self.slots.iter().any(|slot| slot.stage == Some(RoomStage::Steelman) && slot.turn == Some(turn))
    }

    /// Applies an event.
    pub fn evolve(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::TurnTaken(it) if it.room == Some(self.room) => {
                self.push(&it.speaker, SlotKind::Taken, Some(it.turn));
            }
            Event::TurnSkipped(it) if it.room == Some(self.room) => {
                self.push(&it.speaker, SlotKind::NothingNew, None);
            }
            Event::RoomStageEntered(it) if it.room == self.room => self.stage = Some(it.stage),
            Event::ExitChecked(it) if it.room == self.room => {
                self.checked = self.slots.len();
                if it.surfaced {
                    self.surfaced = Some(it.reason.clone());
                }
            }
            Event::RoomClosed(it) if it.room == self.room => self.is_closed = true,
            Event::EffectFailed(it) if self.is_own(&it.key) => {
                self.echoed.retain(|key| *key != it.key);
                if it.failure.kind == FailureKind::Repeated {
                    self.echoed.push(it.key.clone());
                }
            }
            Event::EffectAbandoned(it) if self.is_own(&it.key) => self.abandoned(&it.key, &it.reason),
            _ => {}
        }
    }

    fn is_own(&self, key: &EffectKey) -> bool {
        key.room() == Some(self.room)
    }

    fn push(&mut self, speaker: &PersonaId, kind: SlotKind, turn: Option<TurnId>) {
        self.slots.push(RoomSlot { speaker: speaker.clone(), kind, stage: self.stage, turn });
    }

    /// Returns the turn in which another participant stated the position of this one.
    pub fn steelman_of(&self, persona: &PersonaId) -> Option<TurnId> {
        let is_theirs = |slot: &&RoomSlot| slot.stage == Some(RoomStage::Steelman) && slot.speaker != *persona;
        self.slots.iter().find(is_theirs)?.turn
    }

    fn abandoned(&mut self, key: &EffectKey, reason: &str) {
        match key.purpose.as_str() {
            EXIT => self.checked = self.slots.len(),
            EXTRACT => self.lost_card = Some(reason.to_owned()),
            _ => {
                let kind = if self.echoed.contains(key) { SlotKind::NothingNew } else { SlotKind::Lost };
                let speaker = self.participants.iter().find(|persona| persona.as_str() == key.subject).cloned();
                if let Some(speaker) = speaker {
                    self.push(&speaker, kind, None);
                }
            }
        }
    }

    /// Returns the next step. `most` is the maximum number of slots.
    pub fn step(&self, most: usize) -> RoomStep {
        if self.is_closed {
            return RoomStep::Done;
        }
        let has_entered = |persona: &&PersonaId| self.slots.iter().any(|slot| slot.speaker == **persona);
        let missing: Vec<PersonaId> =
            self.participants.iter().filter(|persona| !has_entered(persona)).cloned().collect();
        if !missing.is_empty() {
            return RoomStep::Enter(missing);
        }
        let n = self.participants.len();
        if let Some(lost) = self.slots[..n.min(self.slots.len())].iter().find(|slot| slot.kind != SlotKind::Taken) {
            return RoomStep::Fail(RoomFailure::NotEntered(lost.speaker.clone()));
        }
        if let Some(reason) = &self.lost_card {
            return RoomStep::Fail(RoomFailure::NoCard(reason.clone()));
        }
        if self.style == RoomStyle::Staged {
            return self.staged_step();
        }
        let since = self.slots.len() - self.checked.max(n).min(self.slots.len());
        match self.ending(most) {
            Some(ending) => RoomStep::Extract(ending),
            None if since >= n => RoomStep::CheckExit,
            None => self.next_speaker().cloned().map_or(RoomStep::Done, RoomStep::Speak),
        }
    }

    fn staged_step(&self) -> RoomStep {
        let Some(stage) = self.stage else { return RoomStep::EnterStage(RoomStage::ALL[0]) };
        let has_taken =
            |persona: &PersonaId| self.slots.iter().any(|slot| slot.stage == Some(stage) && slot.speaker == *persona);
        // Nobody judges a statement that was never made.
        let is_due = |persona: &&PersonaId| {
            !has_taken(persona) && (stage != RoomStage::Confirmation || self.steelman_of(persona).is_some())
        };
        let missing: Vec<PersonaId> = self.participants.iter().filter(is_due).cloned().collect();
        match stage.next() {
            _ if !missing.is_empty() => RoomStep::Stage(stage, missing),
            Some(next) => RoomStep::EnterStage(next),
            None if self.checked < self.slots.len() => RoomStep::CheckExit,
            None if self.surfaced.is_some() => RoomStep::Extract(RoomEnding::Surfaced),
            None => RoomStep::Extract(RoomEnding::Held),
        }
    }

    fn ending(&self, most: usize) -> Option<RoomEnding> {
        let n = self.participants.len();
        let latest = &self.slots[self.slots.len().saturating_sub(n)..];
        let all = |kinds: &[SlotKind]| latest.iter().all(|slot| kinds.contains(&slot.kind));
        if self.surfaced.is_some() {
            return Some(RoomEnding::Surfaced);
        }
        if all(&[SlotKind::NothingNew]) {
            return Some(RoomEnding::NothingNew);
        }
        if all(&[SlotKind::NothingNew, SlotKind::Lost]) {
            return Some(RoomEnding::Silent);
        }
        (self.slots.len() >= most).then_some(RoomEnding::Limit(most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::talk::replies::decode::noted;
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
            ">" => {
                let stage = room.stage.map_or(Some(RoomStage::ALL[0]), RoomStage::next).expect("a stage");
                Event::RoomStageEntered(RoomStageEntered { room: RoomId(1), stage })
            }
            _ if step.starts_with('-') => lost(room.key(ROOM_TURN, &step[1..])),
            _ if step.starts_with('~') => {
                let (speaker, room, reason) = (persona(&step[1..]), Some(RoomId(1)), String::new());
                Event::TurnSkipped(TurnSkipped { speaker, room, reason })
            }
            _ => Event::TurnTaken(TurnTaken {
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
            ("ada ben", RoomStep::EnterStage(RoomStage::Steelman)),
            ("ada ben >", missing(RoomStage::Steelman, &["ada", "ben"])),
            ("ada ben > ben", missing(RoomStage::Steelman, &["ada"])),
            ("ada ben > ada ben", RoomStep::EnterStage(RoomStage::Confirmation)),
            ("ada ben > ada -ben >", missing(RoomStage::Confirmation, &["ben"])),
            ("ada ben > -ada -ben >", RoomStep::EnterStage(RoomStage::Diagnosis)),
            ("ada ben > -ada -ben > > ada ben > ada ben > ada ben", RoomStep::CheckExit),
            ("ada ben > -ada -ben > > ada ben > ada ben > ada ben ?", RoomStep::Extract(RoomEnding::Held)),
            ("ada ben > -ada -ben > > ada ben > ada ben > ada ben !", RoomStep::Extract(RoomEnding::Surfaced)),
        ] {
            assert_eq!(room(RoomStyle::Staged, steps), expected, "{steps}");
        }
    }
}

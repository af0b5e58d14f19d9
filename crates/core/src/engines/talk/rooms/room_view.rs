//! Room as its participants and its clerk see it.

use crate::engines::talk::prompts;
use crate::engines::talk::state::{TOPIC, Talk, Window};
use crate::events::ids::{DisputeId, TurnId};
use crate::kernel::safety::foreign_text::{fenced, flat};
use crate::kernel::task::{DisputeInput, ReasonInput, RoomInput, TalkInput, TurnInput};
use crate::projections::crux_rooms::Room;
use crate::projections::transcript::Turn;

/// Room with the talk beside which it runs.
#[derive(Clone, Copy)]
pub struct RoomView<'a> {
    /// The talk.
    pub talk: &'a Talk,
    /// The room.
    pub room: &'a Room,
}

impl<'a> RoomView<'a> {
    /// Returns the turns of the room as the window of a clerk. Turns of `context`, in which a participant stated the position
    /// of another, are not to be distilled: what they say is not the speaker's own.
    pub fn window(&self, context: &[TurnId]) -> Window<'a> {
        let here = |turn: &&Turn| turn.room == Some(self.room.opened.room) && turn.speaker.is_some();
        let turns = self.talk.transcript.turns.iter().filter(here);
        let (older, fresh) = turns.partition(|turn| context.contains(&turn.turn));
        Window { older, fresh }
    }

    /// Returns the talk as data, with the room in which the turn is taken.
    pub fn told(&self) -> TalkInput {
        let opened = &self.room.opened;
        let room = RoomInput {
            alias: opened.room.to_string(),
            dispute: self.dispute().alias,
            question: opened.question.clone(),
            participants: opened.participants.clone(),
            kind: opened.kind,
            stage: None,
            aspect: None,
        };
        TalkInput { hint: None, room: Some(room), ..prompts::talk(self.talk) }
    }

    /// Returns the dispute of the room.
    pub fn dispute(&self) -> DisputeInput {
        let question = self.room.opened.question.clone();
        let unknown = DisputeInput { alias: String::new(), question, stances: Vec::new(), criteria: Vec::new() };
        self.disputes().into_iter().next().unwrap_or(unknown)
    }

    /// Returns the dispute of the room, those of its aspects, and that about the topic.
    pub fn disputes(&self) -> Vec<DisputeInput> {
        let known = prompts::disputes(&self.talk.disputes);
        let named = |id: DisputeId| known.iter().find(|dispute| dispute.alias == id.to_string()).cloned();
        self.ids().filter_map(named).collect()
    }

    /// Returns the question of the room for a prompt.
    pub fn question(&self) -> String {
        fenced(&flat(&self.room.opened.question))
    }

    /// Returns the live reasons on these disputes.
    pub fn reasons(&self) -> Vec<ReasonInput> {
        let is_here = |dispute: DisputeId| self.ids().any(|id| id == dispute);
        let own = self.talk.disputes.live_reasons().filter(|(_, reason)| is_here(reason.given.dispute));
        own.map(|(id, reason)| ReasonInput {
            alias: id.to_string(),
            dispute: reason.given.dispute.to_string(),
            speaker: reason.given.speaker.clone(),
            side: reason.supported_side(),
            claim: reason.given.claim.clone(),
            assumptions: reason.given.assumptions.clone(),
        })
        .collect()
    }

    /// Returns the question of an aspect, as its dispute asks it.
    pub fn question_of(&self, aspect: DisputeId) -> Option<&'a str> {
        self.talk.disputes.disputes.get(&aspect).map(|dispute| dispute.question.as_str())
    }

    /// Returns the aspects as lines: alias and question, one aspect on each line.
    pub fn aspect_lines(&self, is_shown: impl Fn(DisputeId) -> bool) -> String {
        let aspects = self.room.aspects.iter().flatten().map(|aspect| aspect.dispute).filter(|id| is_shown(*id));
        let lines = aspects.filter_map(|id| Some(format!("{id}: {}\n", flat(self.question_of(id)?))));
        let lines: String = lines.collect();
        if lines.is_empty() { "none".to_owned() } else { fenced(lines.trim_end()) }
    }

    fn ids(&self) -> impl Iterator<Item = DisputeId> {
        self.room.disputes().chain([TOPIC])
    }
}

/// Returns the turns of a window as data, in the order in which they were taken.
pub fn turns_in_order(window: &Window) -> Vec<TurnInput> {
    let mut turns: Vec<(TurnId, TurnInput)> =
        window.older.iter().map(|taken| (taken.turn, prompts::turn(taken, false))).collect();
    turns.extend(window.fresh.iter().map(|taken| (taken.turn, prompts::turn(taken, true))));
    turns.sort_by_key(|(id, _)| *id);
    turns.into_iter().map(|(_, turn)| turn).collect()
}

//! The main channel: who speaks next, why, and what they are asked for.
//!
//! Participants of an open room stay in the channel, but others come first: if at least two are outside, only they have the
//! floor; otherwise those who do not have the floor of a room. The choice is recorded before the turn is requested, since
//! rooms open and close while the speaker thinks.

use crate::engines::crux_rooms::words::WORDS;
use crate::engines::shared::persona_prompts::TurnKind;
use crate::engines::talk::prompts;
use crate::engines::talk::rooms::cards::cards;
use crate::engines::talk::rooms::schema::MessageReply;
use crate::engines::talk::rooms::words::WORDS as MESSAGE_WORDS;
use crate::engines::talk::speeches::Speeches;
use crate::engines::talk::state::{TURN, Talk, TalkPhase};
use crate::engines::talk::talk::TurnManner;
use crate::engines::talk::turn_taking;
use crate::engines::talk::turn_taking::{FloorReason, NextSpeaker};
use crate::events::channel::FloorGiven;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{DisputeId, PersonaId, RoomId};
use crate::events::persona::Persona;
use crate::events::turn::Move;
use crate::kernel::effect::{Effect, effect_key};
use crate::kernel::schema;
use crate::kernel::task::TaskKind;
use crate::projections::crux_rooms::{CruxRooms, Room};
use crate::projections::projection::Projection;

/// Manner of the main channel.
#[derive(Default)]
pub struct ChannelManner {
    /// Rooms beside the channel.
    pub rooms: CruxRooms,
    /// Participants who have the floor of a room.
    pub in_turn: Vec<PersonaId>,
    /// Slot for which the floor was given, and its holder.
    floor: Option<(usize, PersonaId)>,
}

impl ChannelManner {
    /// Applies an event. `slot` is the number of slots of the channel before it.
    pub fn evolve(&mut self, recorded: &Recorded, slot: usize) {
        self.rooms.apply(recorded);
        if let Event::FloorGiven(given) = &recorded.event {
            self.floor = Some((slot, given.speaker.clone()));
        }
    }

    /// Returns the holder of the floor for the upcoming turn, if it was given.
    pub fn holder(&self, talk: &Talk) -> Option<&PersonaId> {
        self.floor.as_ref().filter(|(slot, _)| *slot == talk.slots.len()).map(|(_, holder)| holder)
    }

    /// Returns the event that gives somebody the floor.
    pub fn floor_given(&self, talk: &Talk, speaker: &PersonaId) -> Event {
        let chosen = self.choose(talk, &[]).filter(|next| next.speaker.id == *speaker);
        let hint = talk.current_hint().filter(|hint| hint.speaker == *speaker);
        let reason = match (chosen.map(|next| next.reason), hint) {
            (Some(FloorReason::Addressed(turn)), _) => format!("was addressed in {turn}"),
            (_, Some(_)) => "the moderator has a hint for them".to_owned(),
            (Some(FloorReason::WaitedLongest), _) => "has waited as long as anybody may".to_owned(),
            (Some(FloorReason::StanceMissing), _) | (None, _) => "has not taken a side on every question".to_owned(),
            (Some(FloorReason::SilentLongest), _) => "has been silent longest".to_owned(),
        };
        Event::FloorGiven(FloorGiven { speaker: speaker.clone(), room: None, reason, attention: None })
    }

    fn choose<'a>(&self, talk: &'a Talk, wanted: &[&PersonaId]) -> Option<NextSpeaker<'a>> {
        let is_inside = |persona: &PersonaId| self.open().any(|(_, room)| room.opened.participants.contains(persona));
        let n_outside = talk.speakers().filter(|speaker| !is_inside(&speaker.id)).count();
        let among = |is_eligible: &dyn Fn(&PersonaId) -> bool| turn_taking::next_among(talk, wanted, is_eligible);
        let outside = if n_outside >= 2 { among(&|persona| !is_inside(persona)) } else { None };
        outside.or_else(|| among(&|persona| !self.in_turn.contains(persona))).or_else(|| among(&|_| true))
    }

    /// Returns the open rooms, in the order in which they were opened.
    pub fn open(&self) -> impl Iterator<Item = (RoomId, &Room)> {
        self.rooms.rooms.iter().filter(|(_, room)| room.closed.is_none()).map(|(id, room)| (*id, room))
    }
}

impl TurnManner for ChannelManner {
    fn discusses_elsewhere(&self, speaker: &PersonaId, dispute: DisputeId) -> bool {
        let is_inside = |room: &Room| room.opened.participants.contains(speaker);
        self.open().any(|(_, room)| is_inside(room) && room.disputes().any(|discussed| discussed == dispute))
    }

    fn next_speaker<'a>(&self, talk: &'a Talk, wanted: &[&PersonaId]) -> Option<&'a Persona> {
        let holder = self.holder(talk);
        let holder = talk.speakers().find(|speaker| Some(&speaker.id) == holder);
        holder.or_else(|| self.choose(talk, wanted).map(|next| next.speaker))
    }

    fn turn(&self, talk: &Talk, speaker: &Persona) -> Effect {
        let speeches = Speeches { talk };
        let told = prompts::talk(talk);
        let hint = talk.current_hint();
        let hint = hint.map_or_else(String::new, |hint| prompts::WORDS.fill("hint", &[("hint", &hint.text)]));
        let slots = speeches.slots(speaker, &told, &hint, "");
        let (cards, fields) = (cards(talk, &self.rooms), MESSAGE_WORDS.fill("message", &[]));
        let values: Vec<(&str, &str)> = slots
            .iter()
            .map(|(slot, text)| (*slot, text.as_str()))
            .chain([("cards", cards.as_str()), ("fields", fields.as_str())])
            .collect();
        let challenged = talk.channel_turns().next_back().is_some_and(|turn| turn.moves.contains(&Move::Challenge));
        let manner = match talk.phase {
            Some(TalkPhase::CruxSeeking) => TurnKind::CruxSeeking,
            _ if challenged => TurnKind::Answer,
            _ => TurnKind::Exchange,
        };
        let ordinal = u32::try_from(talk.slots.len()).unwrap_or(u32::MAX);
        let schema = schema::closed(schema::strict::<MessageReply>(), &speeches.names(speaker, &told));
        let text = WORDS.fill("channel", &values);
        let asked = speeches.asked(speaker, manner, text, (schema, "message"), TaskKind::Speak(told));
        speeches.effect(effect_key(TURN, &speaker.id, ordinal), speaker, asked, &speeches.about(speaker))
    }
}

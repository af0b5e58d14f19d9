//! Turns of the main channel: who speaks next, and what they are asked for.

use std::fmt::Write;

use crate::engines::forum::floor::PlaceFloor;
use crate::engines::forum::forum_state::ForumState;
use crate::engines::forum::words::WORDS;
use crate::engines::shared::bounded_lines::newest;
use crate::engines::shared::persona_prompts::TurnKind;
use crate::engines::talk::prompts;
use crate::engines::talk::rooms::cards::cards;
use crate::engines::talk::rooms::schema::MessageReply;
use crate::engines::talk::rooms::words::WORDS as MESSAGE_WORDS;
use crate::engines::talk::speeches::Speeches;
use crate::engines::talk::state::{TURN, Talk, TalkPhase};
use crate::engines::talk::talk::TurnManner;
use crate::events::ids::PersonaId;
use crate::events::persona::Persona;
use crate::events::turn::Move;
use crate::kernel::effect::{Effect, effect_key};
use crate::kernel::safety::foreign_text::flat;
use crate::kernel::schema;
use crate::kernel::task::TaskKind;

/// Maximum number of bytes of the threads in a prompt.
const MAX_THREAD_BYTES: usize = 3_000;

impl ForumState {
    /// Formats the questions on the agenda as lines.
    pub fn focus_lines(&self, talk: &Talk) -> String {
        let lines = self.agenda.in_focus().iter().filter_map(|id| {
            let dispute = talk.disputes.disputes.get(id)?;
            Some(format!("{id}: {}\n", flat(&dispute.question)))
        });
        newest(lines.collect(), MAX_THREAD_BYTES, "question", "nothing yet")
    }

    fn thread_lines(&self, talk: &Talk) -> String {
        let open = self.rooms.rooms.iter().filter(|(_, room)| room.closed.is_none());
        let lines = open.map(|(id, room)| {
            let names: Vec<String> = room.members().map(|persona| talk.names.of(persona)).collect();
            let mut line = format!("{id}");
            if let Some(dispute) = room.opened.dispute {
                let _ = write!(line, " on {dispute}");
            }
            let _ = writeln!(line, " ({}): {}", names.join(", "), flat(&room.opened.question));
            line
        });
        newest(lines.collect(), MAX_THREAD_BYTES, "thread", "none is open")
    }
}

impl TurnManner for ForumState {
    fn next_speaker<'a>(&self, talk: &'a Talk, wanted: &[&PersonaId]) -> Option<&'a Persona> {
        let holder = self.holder(talk, None);
        let holder = talk.speakers().find(|speaker| Some(&speaker.id) == holder);
        holder.or_else(|| PlaceFloor { talk, state: self, place: None, is_main_over: false }.next(wanted))
    }

    fn turn(&self, talk: &Talk, speaker: &Persona) -> Effect {
        let speeches = Speeches { talk };
        let told = prompts::talk(talk);
        let hint = talk.current_hint();
        let hint = hint.map_or_else(String::new, |hint| prompts::WORDS.fill("hint", &[("hint", &hint.text)]));
        let slots = speeches.slots(speaker, &told, &hint, "");
        let more = [
            ("focus", self.focus_lines(talk)),
            ("threads", self.thread_lines(talk)),
            ("cards", cards(talk, &self.rooms)),
            ("fields", MESSAGE_WORDS.fill("message", &[])),
        ];
        let values: Vec<(&str, &str)> = slots.iter().chain(&more).map(|(slot, text)| (*slot, text.as_str())).collect();
        let challenged = talk.channel_turns().next_back().is_some_and(|turn| turn.moves.contains(&Move::Challenge));
        let manner = match talk.phase {
            Some(TalkPhase::CruxSeeking) => TurnKind::CruxSeeking,
            _ if challenged => TurnKind::Answer,
            _ => TurnKind::Exchange,
        };
        let ordinal = u32::try_from(talk.slots.len()).unwrap_or(u32::MAX);
        let schema = schema::closed(schema::strict::<MessageReply>(), &speeches.names(speaker, &told));
        let text = WORDS.fill("main", &values);
        let asked = speeches.asked(speaker, manner, text, (schema, "message"), TaskKind::Speak(told));
        speeches.effect(effect_key(TURN, &speaker.id, ordinal), speaker, asked, &speeches.about(speaker))
    }
}

//! Requests of a thread: entry statements, turns, and the extraction of its card.

use crate::engines::forum::forum_state::ForumState;
use crate::engines::forum::thread::ThreadEnding;
use crate::engines::forum::words::WORDS;
use crate::engines::shared::persona_prompts::TurnKind;
use crate::engines::shared::view_prompts;
use crate::engines::talk::prompts;
use crate::engines::talk::replies::schema::TurnReply;
use crate::engines::talk::rooms::extraction;
use crate::engines::talk::rooms::extraction::RoomOver;
use crate::engines::talk::rooms::room_slots::{ENTER, EXTRACT, ROOM_TURN, RoomSlots};
use crate::engines::talk::rooms::room_view::RoomView;
use crate::engines::talk::rooms::schema::MessageReply;
use crate::engines::talk::rooms::words::WORDS as MESSAGE_WORDS;
use crate::engines::talk::speeches::Speeches;
use crate::events::persona::Persona;
use crate::events::receipt::Tier;
use crate::events::turn::Move;
use crate::kernel::effect::Effect;
use crate::kernel::schema;
use crate::kernel::task::TaskKind;

/// Requests of one thread.
#[derive(Clone, Copy)]
pub struct ThreadRequests<'a> {
    /// The thread.
    pub view: RoomView<'a>,
    /// Its slots.
    pub slots: &'a RoomSlots,
    /// The forum.
    pub state: &'a ForumState,
}

impl<'a> ThreadRequests<'a> {
    /// Requests the entry statement of a participant whose disagreement the thread is about.
    pub fn enter(&self, speaker: &Persona) -> Effect {
        let RoomView { talk, room } = self.view;
        let speeches = Speeches { talk };
        let told = self.view.told();
        let source = told.turns.iter().filter(|turn| room.opened.turns.iter().any(|id| id.to_string() == turn.alias));
        let source: Vec<_> = source.cloned().collect();
        let text = self.fill(ENTER, &[("source", prompts::turn_lines(&source, &talk.names))]);
        let [answers, _, agrees_with] = speeches.names(speaker, &told);
        let names = [answers, ("dispute", vec![self.view.dispute().alias]), agrees_with];
        let schema = (schema::closed(schema::strict::<TurnReply>(), &names), "turn");
        let asked = speeches.asked(speaker, TurnKind::Opening, text, schema, TaskKind::EnterRoom(told));
        let key = self.slots.key(ENTER, speaker.id.as_str(), 0);
        speeches.effect(key, speaker, asked, std::slice::from_ref(&room.opened.question))
    }

    /// Requests the turn of a participant.
    pub fn turn(&self, speaker: &Persona) -> Effect {
        let RoomView { talk, room } = self.view;
        let speeches = Speeches { talk };
        let told = self.view.told();
        let shown = prompts::shown(&told, talk.options.shown_turns as usize);
        let more = [
            ("turns", prompts::turn_lines(&shown, &talk.names)),
            ("focus", self.state.focus_lines(talk)),
            ("own", prompts::own_lines(&told, &speaker.id, &shown)),
            ("fields", MESSAGE_WORDS.fill("message", &[])),
        ];
        let text = self.fill("thread", &more);
        let latest = talk.participant_turns().rev().filter(|turn| turn.room == Some(room.opened.room));
        let mut latest = latest.filter(|turn| turn.speaker.as_ref() != Some(&speaker.id)).peekable();
        let is_challenged = latest.peek().is_some_and(|turn| turn.moves.contains(&Move::Challenge));
        let kind = if is_challenged { TurnKind::Answer } else { TurnKind::CruxSeeking };
        let latest = latest.next().map(|turn| turn.text.clone());
        let about: Vec<String> = latest.into_iter().chain([room.opened.question.clone()]).collect();
        let schema = schema::closed(schema::strict::<MessageReply>(), &speeches.names(speaker, &told));
        let asked = speeches.asked(speaker, kind, text, (schema, "message"), TaskKind::Speak(told));
        let key = self.slots.key(ROOM_TURN, speaker.id.as_str(), self.slots.slots.len());
        speeches.effect(key, speaker, asked, &about)
    }

    /// Requests the extraction of the card.
    pub fn extraction(&self) -> Effect {
        let key = self.slots.key(EXTRACT, &self.view.room.opened.room.to_string(), 0);
        Speeches { talk: self.view.talk }.clerk(key, Tier::Deep, extraction::request(self.view, &[]))
    }

    fn fill(&self, section: &str, more: &[(&str, String)]) -> String {
        let RoomView { talk, room } = self.view;
        let members: Vec<String> = room.members().map(|persona| talk.names.of(persona)).collect();
        let values = [
            ("topic", talk.topic.clone()),
            ("interjections", view_prompts::interjections(&talk.transcript)),
            ("members", members.join(", ")),
            ("dispute", self.view.dispute().alias),
            ("question", self.view.question()),
        ];
        let values: Vec<(&str, &str)> = values.iter().chain(more).map(|(slot, text)| (*slot, text.as_str())).collect();
        WORDS.fill(section, &values)
    }

    /// Returns the thread as one that is over.
    pub fn over(&self, ending: ThreadEnding) -> RoomOver<'a> {
        RoomOver {
            view: self.view,
            context: Vec::new(),
            members: self.view.room.members().cloned().collect(),
            outcome: ending.outcome(),
            reason: ending.reason(),
        }
    }
}

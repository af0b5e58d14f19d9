//! Requests of a room: entry statements, aspects, turns, exit checks, and the extraction of its card.

use crate::engines::crux_rooms::aspects;
use crate::engines::crux_rooms::discussion::{ASPECTS, Discussion, EXIT, RoomEnding, purpose_of, stage_of};
use crate::engines::crux_rooms::schema::{ConfirmationReply, ExitReply};
use crate::engines::crux_rooms::words::WORDS;
use crate::engines::shared::persona_prompts::TurnKind;
use crate::engines::shared::view_prompts;
use crate::engines::talk::model_request::ModelRequest;
use crate::engines::talk::prompts;
use crate::engines::talk::replies::schema::TurnReply;
use crate::engines::talk::rooms::extraction;
use crate::engines::talk::rooms::extraction::RoomOver;
use crate::engines::talk::rooms::room_slots::{ENTER, EXTRACT, ROOM_TURN};
use crate::engines::talk::rooms::room_view::{RoomView, turns_in_order};
use crate::engines::talk::rooms::words::WORDS as CLERK_WORDS;
use crate::engines::talk::speeches::Speeches;
use crate::engines::talk::state::Window;
use crate::events::channel::RoomStage;
use crate::events::dispute::Side;
use crate::events::ids::DisputeId;
use crate::events::persona::Persona;
use crate::events::receipt::Tier;
use crate::kernel::effect::Effect;
use crate::kernel::safety::foreign_text::{fenced, flat};
use crate::kernel::schema;
use crate::kernel::task::{TalkInput, TaskKind};

/// Requests of one room.
#[derive(Clone, Copy)]
pub struct RoomRequests<'a> {
    /// The room.
    pub view: RoomView<'a>,
    /// Its discussion.
    pub discussion: &'a Discussion,
}

impl RoomRequests<'_> {
    /// Requests the entry statement of a participant.
    pub fn enter(&self, speaker: &Persona) -> Effect {
        let told = self.view.told();
        let source: Vec<_> = told
            .turns
            .iter()
            .filter(|turn| self.view.room.opened.turns.iter().any(|id| id.to_string() == turn.alias))
            .cloned()
            .collect();
        let source = prompts::turn_lines(&source, &self.view.talk.names);
        let text = self.fill(ENTER, speaker, &[("source", &source)]);
        let work = TaskKind::EnterRoom(told.clone());
        self.speech(ENTER, speaker, TurnKind::Opening, (text, &told), work)
    }

    /// Requests the turn of the participant who has the floor: in a free exchange, or in the clash of a panel.
    pub fn turn(&self, speaker: &Persona) -> Effect {
        if self.discussion.stage().is_some() {
            return self.step(RoomStage::Clash, speaker);
        }
        let told = self.view.told();
        let shown = prompts::shown(&told, 0);
        let turns = prompts::turn_lines(&shown, &self.view.talk.names);
        let own = prompts::own_lines(&told, &speaker.id, &shown);
        let text = self.fill(ROOM_TURN, speaker, &[("turns", &turns), ("own", &own)]);
        let work = TaskKind::Speak(told.clone());
        self.speech(ROOM_TURN, speaker, TurnKind::CruxSeeking, (text, &told), work)
    }

    /// Requests the step of a participant in a stage.
    pub fn step(&self, stage: RoomStage, speaker: &Persona) -> Effect {
        let purpose = purpose_of(stage);
        let aspect = self.discussion.stage().and_then(|(_, aspect)| aspect);
        let asked = aspect.and_then(|aspect| self.view.question_of(aspect));
        let mut told = self.view.told();
        if stage == RoomStage::Takes {
            // Both speak at the same time, also where one of them is asked again later.
            let given: Vec<String> = self.discussion.turns_of(stage, aspect).map(|turn| turn.to_string()).collect();
            told.turns.retain(|turn| !given.contains(&turn.alias));
        }
        if let Some(room) = &mut told.room {
            (room.stage, room.aspect) = (Some(stage), asked.map(str::to_owned));
        }
        let turns = prompts::turn_lines(&prompts::shown(&told, 0), &self.view.talk.names);
        let steelman = self.discussion.steelman_of(&speaker.id).map(|turn| turn.to_string()).unwrap_or_default();
        let values = [
            ("turns", turns.as_str()),
            ("steelman", &steelman),
            ("aspect", &asked.map(|asked| fenced(&flat(asked))).unwrap_or_default()),
            ("aspect_dispute", &aspect.map(|aspect| aspect.to_string()).unwrap_or_default()),
            ("divided", &self.view.aspect_lines(|aspect| self.divides(aspect))),
        ];
        let text = self.fill(purpose, speaker, &values);
        let work = TaskKind::Speak(told.clone());
        let manner = match stage {
            RoomStage::Takes => TurnKind::Exchange,
            RoomStage::Replies | RoomStage::Rejoinders => TurnKind::Answer,
            RoomStage::Closing => TurnKind::Closing,
            _ => TurnKind::CruxSeeking,
        };
        self.speech(purpose, speaker, manner, (text, &told), work)
    }

    /// Returns true if the participants of the room stand on opposite sides of a dispute.
    fn divides(&self, dispute: DisputeId) -> bool {
        let Some(dispute) = self.view.talk.disputes.disputes.get(&dispute) else { return false };
        let sides = self.view.room.opened.participants.iter().filter_map(|persona| dispute.stances.get(persona));
        let sides: Vec<Side> = sides.map(|stance| stance.side).collect();
        sides.contains(&Side::Yes) && sides.contains(&Side::No)
    }

    /// Requests the aspects of the question.
    pub fn aspects(&self) -> Effect {
        self.clerk(ASPECTS, Tier::Deep, aspects::request(self.view))
    }

    /// Requests the exit check after an exchange.
    pub fn exit_check(&self) -> Effect {
        let window = self.window();
        let (turns, question) = (turns_in_order(&window), self.view.question());
        let values = [
            ("topic", self.view.talk.topic.as_str()),
            ("question", question.as_str()),
            ("turns", &prompts::clerk_lines(&turns, &self.view.talk.names)),
        ];
        let names = [("sentences", window.sentence_names())];
        let asked = ModelRequest {
            system: CLERK_WORDS.fill("clerk", &[]),
            text: WORDS.fill(EXIT, &values),
            schema: (schema::closed(schema::strict::<ExitReply>(), &names), "exit_check"),
            work: TaskKind::CheckExit { turns, dispute: self.view.dispute() },
        };
        self.clerk(EXIT, Tier::Quick, asked)
    }

    /// Requests the extraction of the card.
    pub fn extraction(&self) -> Effect {
        self.clerk(EXTRACT, Tier::Deep, extraction::request(self.view, &self.discussion.steelmen()))
    }

    /// Returns the turns of the room as the window of a clerk.
    pub fn window(&self) -> Window<'_> {
        self.view.window(&self.discussion.steelmen())
    }

    /// Returns the room as one that is over.
    pub fn over(&self, ending: RoomEnding) -> RoomOver<'_> {
        RoomOver {
            view: self.view,
            context: self.discussion.steelmen(),
            members: self.view.room.opened.participants.clone(),
            outcome: ending.outcome(),
            reason: self.discussion.reason(ending),
        }
    }

    fn clerk(&self, purpose: &str, tier: Tier, asked: ModelRequest) -> Effect {
        let key = self.discussion.key(purpose, &self.view.room.opened.room.to_string());
        self.inside(Speeches { talk: self.view.talk }.clerk(key, tier, asked))
    }

    /// Returns an effect with the participants of the room instead of all.
    fn inside(&self, mut effect: Effect) -> Effect {
        effect.prompt.task.participants.clone_from(&self.view.room.opened.participants);
        effect
    }

    fn speech(
        &self,
        purpose: &str,
        speaker: &Persona,
        manner: TurnKind,
        (text, told): (String, &TalkInput),
        work: TaskKind,
    ) -> Effect {
        let speeches = Speeches { talk: self.view.talk };
        let [answers, _, agrees_with] = speeches.names(speaker, told);
        let disputes: Vec<String> = self.view.room.disputes().map(|dispute| dispute.to_string()).collect();
        let dispute = ("dispute", disputes);
        let (schema, name) = match stage_of(purpose) {
            Some(RoomStage::Confirmation) => (schema::strict::<ConfirmationReply>(), "confirmation"),
            _ => (schema::closed(schema::strict::<TurnReply>(), &[answers, dispute, agrees_with]), "turn"),
        };
        let asked = speeches.asked(speaker, manner, text, (schema, name), work);
        let room = told.room.as_ref().map(|room| &room.alias);
        let here = told.turns.iter().rev().filter(|turn| turn.room.as_ref() == room);
        let latest = here.into_iter().find(|turn| turn.speaker.is_some() && turn.speaker.as_ref() != Some(&speaker.id));
        let latest = latest.map(|turn| turn.text.clone());
        let aspect = told.room.as_ref().and_then(|room| room.aspect.clone());
        let about = latest.into_iter().chain(aspect).chain([self.view.room.opened.question.clone()]);
        let about: Vec<String> = about.collect();
        let key = self.discussion.key(purpose, speaker.id.as_str());
        self.inside(speeches.effect(key, speaker, asked, &about))
    }

    fn fill(&self, section: &str, speaker: &Persona, more: &[(&str, &str)]) -> String {
        let names = &self.view.talk.names;
        let participants = &self.view.room.opened.participants;
        let pair: Vec<String> = participants.iter().map(|persona| names.of(persona)).collect();
        let pair = pair.join(" and ");
        let other: Vec<String> =
            participants.iter().filter(|persona| **persona != speaker.id).map(|persona| names.of(persona)).collect();
        let other = other.join(" and ");
        let interjections = view_prompts::interjections(&self.view.talk.transcript);
        let (dispute, question) = (self.view.dispute().alias, self.view.question());
        let values = [
            ("topic", self.view.talk.topic.as_str()),
            ("interjections", &interjections),
            ("pair", &pair),
            ("other", &other),
            ("question", &question),
            ("dispute", &dispute),
        ];
        let values: Vec<(&str, &str)> = values.into_iter().chain(more.iter().copied()).collect();
        WORDS.fill(section, &values)
    }
}

//! Requests of a room: entry statements, turns, exit checks, and the extraction of its card.

use crate::engines::crux_rooms::discussion::{Discussion, ENTER, EXIT, EXTRACT, ROOM_TURN, stage_of};
use crate::engines::crux_rooms::schema::{ConfirmationReply, ExitReply, ExtractionReply};
use crate::engines::crux_rooms::words::WORDS;
use crate::engines::shared::persona_prompts::TurnKind;
use crate::engines::shared::view_prompts;
use crate::engines::talk::model_request::ModelRequest;
use crate::engines::talk::prompts;
use crate::engines::talk::replies::schema::TurnReply;
use crate::engines::talk::speeches::Speeches;
use crate::engines::talk::state::{TOPIC, Talk, Window};
use crate::events::channel::RoomStage;
use crate::events::ids::{DisputeId, TurnId};
use crate::events::persona::Persona;
use crate::events::receipt::Tier;
use crate::kernel::effect::Effect;
use crate::kernel::safety::foreign_text::{fenced, flat};
use crate::kernel::schema;
use crate::kernel::task::{DisputeInput, ReasonInput, RoomInput, TalkInput, TaskKind, TurnInput};
use crate::projections::crux_rooms::Room;
use crate::projections::transcript::Turn;

/// Requests of one room.
#[derive(Clone, Copy)]
pub struct RoomRequests<'a> {
    /// The talk.
    pub talk: &'a Talk,
    /// The room.
    pub room: &'a Room,
    /// Its discussion.
    pub discussion: &'a Discussion,
}

impl RoomRequests<'_> {
    /// Requests the entry statement of a participant.
    pub fn enter(&self, speaker: &Persona) -> Effect {
        let told = self.told();
        let source: Vec<_> = told
            .turns
            .iter()
            .filter(|turn| self.room.opened.turns.iter().any(|id| id.to_string() == turn.alias))
            .cloned()
            .collect();
        let source = prompts::turn_lines(&source, &self.talk.names);
        let text = self.fill(ENTER, speaker, &[("source", &source)]);
        let work = TaskKind::EnterRoom(told.clone());
        self.speech(ENTER, speaker, TurnKind::Opening, (text, &told), work)
    }

    /// Requests the turn of a participant.
    pub fn turn(&self, speaker: &Persona) -> Effect {
        let told = self.told();
        let shown = prompts::shown(&told, 0);
        let turns = prompts::turn_lines(&shown, &self.talk.names);
        let own = prompts::own_lines(&told, &speaker.id, &shown);
        let text = self.fill(ROOM_TURN, speaker, &[("turns", &turns), ("own", &own)]);
        let work = TaskKind::Speak(told.clone());
        self.speech(ROOM_TURN, speaker, TurnKind::CruxSeeking, (text, &told), work)
    }

    /// Requests the step of a participant in a stage.
    pub fn step(&self, stage: RoomStage, purpose: &str, speaker: &Persona) -> Effect {
        let mut told = self.told();
        if let Some(room) = &mut told.room {
            room.stage = Some(stage);
        }
        let turns = prompts::turn_lines(&prompts::shown(&told, 0), &self.talk.names);
        let steelman = self.discussion.steelman_of(&speaker.id).map(|turn| turn.to_string()).unwrap_or_default();
        let text = self.fill(purpose, speaker, &[("turns", &turns), ("steelman", &steelman)]);
        let work = TaskKind::Speak(told.clone());
        self.speech(purpose, speaker, TurnKind::CruxSeeking, (text, &told), work)
    }

    /// Requests the exit check after an exchange.
    pub fn exit_check(&self) -> Effect {
        let window = self.window();
        let (turns, question) = (self.turns(&window), self.question());
        let values = [
            ("topic", self.talk.topic.as_str()),
            ("question", question.as_str()),
            ("turns", &prompts::clerk_lines(&turns, &self.talk.names)),
        ];
        let names = [("sentences", window.sentence_names())];
        let asked = ModelRequest {
            system: WORDS.fill("clerk", &[]),
            text: WORDS.fill(EXIT, &values),
            schema: (schema::closed(schema::strict::<ExitReply>(), &names), "exit_check"),
            work: TaskKind::CheckExit { turns, dispute: self.dispute() },
        };
        self.clerk(EXIT, Tier::Quick, asked)
    }

    /// Requests the extraction of the card.
    pub fn extraction(&self) -> Effect {
        let window = self.window();
        let (turns, question) = (self.turns(&window), self.question());
        let reasons = self.reasons();
        let disputes = self.disputes();
        let aliases: Vec<String> = disputes.iter().map(|dispute| dispute.alias.clone()).collect();
        let values = [
            ("topic", self.talk.topic.as_str()),
            ("question", question.as_str()),
            ("dispute", aliases.first().map_or("", String::as_str)),
            ("topic_dispute", &TOPIC.to_string()),
            ("turns", &prompts::clerk_lines(&turns, &self.talk.names)),
            ("reasons", &prompts::reason_lines(&reasons, &self.talk.names)),
        ];
        let given: Vec<String> = reasons.iter().map(|reason| reason.alias.clone()).collect();
        let sentences = window.sentence_names();
        let names = [
            ("dispute", aliases.clone()),
            ("sentence", sentences.clone()),
            ("evidence", sentences.clone()),
            ("reason", given.clone()),
            ("attacks", given.into_iter().chain(sentences.clone()).collect()),
            ("grants", sentences.clone()),
            ("conditions", sentences.clone()),
            ("settled_by", sentences.clone()),
            ("resolution", sentences),
        ];
        let asked = ModelRequest {
            system: WORDS.fill("clerk", &[]),
            text: WORDS.fill(EXTRACT, &values),
            schema: (schema::closed(schema::strict::<ExtractionReply>(), &names), "extraction"),
            work: TaskKind::ExtractCard { turns, disputes, reasons },
        };
        self.clerk(EXTRACT, Tier::Deep, asked)
    }

    fn clerk(&self, purpose: &str, tier: Tier, asked: ModelRequest) -> Effect {
        let key = self.discussion.key(purpose, &self.room.opened.room.to_string());
        self.inside(Speeches { talk: self.talk }.clerk(key, tier, asked))
    }

    /// Returns an effect with the participants of the room instead of all.
    fn inside(&self, mut effect: Effect) -> Effect {
        effect.prompt.task.participants.clone_from(&self.room.opened.participants);
        effect
    }

    /// Returns the turns of the room as the window of a clerk. Those in which a participant stated the position of the other
    /// are context: what they say is not the speaker's own.
    pub fn window(&self) -> Window<'_> {
        let here = |turn: &&Turn| turn.room == Some(self.room.opened.room) && turn.speaker.is_some();
        let turns = self.talk.transcript.turns.iter().filter(here);
        let (older, fresh) = turns.partition(|turn| self.discussion.is_steelman(turn.turn));
        Window { older, fresh }
    }

    /// Returns the turns of the room as data, in the order in which they were taken.
    fn turns(&self, window: &Window) -> Vec<TurnInput> {
        let mut turns: Vec<(TurnId, TurnInput)> =
            window.older.iter().map(|taken| (taken.turn, prompts::turn(taken, false))).collect();
        turns.extend(window.fresh.iter().map(|taken| (taken.turn, prompts::turn(taken, true))));
        turns.sort_by_key(|(id, _)| *id);
        turns.into_iter().map(|(_, turn)| turn).collect()
    }

    fn speech(
        &self,
        purpose: &str,
        speaker: &Persona,
        manner: TurnKind,
        (text, told): (String, &TalkInput),
        work: TaskKind,
    ) -> Effect {
        let speeches = Speeches { talk: self.talk };
        let [answers, _, agrees_with] = speeches.names(speaker, told);
        let dispute = ("dispute", vec![self.dispute().alias]);
        let (schema, name) = match stage_of(purpose) {
            Some(RoomStage::Confirmation) => (schema::strict::<ConfirmationReply>(), "confirmation"),
            _ => (schema::closed(schema::strict::<TurnReply>(), &[answers, dispute, agrees_with]), "turn"),
        };
        let asked = speeches.asked(speaker, manner, text, (schema, name), work);
        let latest = self.window().fresh.into_iter().rev().find(|turn| turn.speaker.as_ref() != Some(&speaker.id));
        let latest = latest.map(|turn| turn.text.clone());
        let about: Vec<String> = latest.into_iter().chain([self.room.opened.question.clone()]).collect();
        let key = self.discussion.key(purpose, speaker.id.as_str());
        self.inside(speeches.effect(key, speaker, asked, &about))
    }

    fn fill(&self, section: &str, speaker: &Persona, more: &[(&str, &str)]) -> String {
        let names = &self.talk.names;
        let participants = &self.room.opened.participants;
        let pair: Vec<String> = participants.iter().map(|persona| names.of(persona)).collect();
        let pair = pair.join(" and ");
        let other: Vec<String> =
            participants.iter().filter(|persona| **persona != speaker.id).map(|persona| names.of(persona)).collect();
        let other = other.join(" and ");
        let interjections = view_prompts::interjections(&self.talk.transcript);
        let (dispute, question) = (self.dispute().alias, self.question());
        let values = [
            ("topic", self.talk.topic.as_str()),
            ("interjections", &interjections),
            ("pair", &pair),
            ("other", &other),
            ("question", &question),
            ("dispute", &dispute),
        ];
        let values: Vec<(&str, &str)> = values.into_iter().chain(more.iter().copied()).collect();
        WORDS.fill(section, &values)
    }

    /// Returns the talk as data, with the room in which the turn is taken.
    fn told(&self) -> TalkInput {
        let opened = &self.room.opened;
        let room = RoomInput {
            alias: opened.room.to_string(),
            dispute: self.dispute().alias,
            question: opened.question.clone(),
            participants: opened.participants.clone(),
            stage: None,
        };
        TalkInput { hint: None, room: Some(room), ..prompts::talk(self.talk) }
    }

    fn dispute(&self) -> DisputeInput {
        let question = self.room.opened.question.clone();
        let unknown = DisputeInput { alias: String::new(), question, stances: Vec::new(), criteria: Vec::new() };
        self.disputes().into_iter().next().unwrap_or(unknown)
    }

    /// Returns the dispute of the room, and that about the topic.
    fn disputes(&self) -> Vec<DisputeInput> {
        let known = prompts::disputes(&self.talk.disputes);
        let named = |id: DisputeId| known.iter().find(|dispute| dispute.alias == id.to_string()).cloned();
        self.id().into_iter().chain([TOPIC]).filter_map(named).collect()
    }

    fn question(&self) -> String {
        fenced(&flat(&self.room.opened.question))
    }

    fn id(&self) -> Option<DisputeId> {
        self.room.opened.dispute
    }

    fn reasons(&self) -> Vec<ReasonInput> {
        let own = self
            .talk
            .disputes
            .live_reasons()
            .filter(|(_, reason)| [self.id(), Some(TOPIC)].contains(&Some(reason.given.dispute)));
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
}

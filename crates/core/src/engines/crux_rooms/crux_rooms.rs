//! The crux rooms engine: a main channel in which all talk, and rooms beside it in which two work one question out.
//!
//! ```text
//! opening        everyone's opening statement, concurrently; distilled; all pairs of claims compared
//! exchange       the channel: one speaker at a time; beside it the detector and the rooms
//! crux_seeking   the same; in addition, a moderator asks for the crux of the disagreement
//! resolution     once all rooms are closed: everyone's closing statement, concurrently; distilled
//! ```
//!
//! The channel is the talk of [`crate::engines::talk::talk`], distilled by the clerk of the disputes engine. Every few turns
//! a detector reads its latest turns ([`crate::engines::talk::rooms::detection`]); a disagreement that it sees often enough
//! gets a room ([`crate::engines::talk::rooms::gate`]). A room runs beside the channel until a clerk has distilled it into a
//! card ([`crate::engines::crux_rooms::discussion`]); the card goes into the prompts of the channel. Effects of the detector,
//! of the rooms and of the channel run concurrently: none waits for another, except that closing statements wait until all
//! rooms are closed.
//!
//! The number of effects is bounded: that of the talk, one detection every few turns of the channel, and in each room one
//! extraction and, by its style, at most as many turns as the option `room_turns` and half as many exit checks; twelve turns and
//! one exit check; or what [`crate::engines::crux_rooms::panel`] states.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::engines::crux_rooms::admission::Admission;
use crate::engines::crux_rooms::channel::ChannelManner;
use crate::engines::crux_rooms::discussion::{ASPECTS, Discussion, EXIT, RoomFailure, RoomStep, stage_of};
use crate::engines::crux_rooms::room_requests::RoomRequests;
use crate::engines::crux_rooms::settings::{OPTIONS, RoomOptions};
use crate::engines::crux_rooms::{aspects, decode, settings};
use crate::engines::shared::options;
use crate::engines::talk::common_options::TalkEngineOptions;
use crate::engines::talk::dispute_clerk::dispute_clerk::DisputeClerk;
use crate::engines::talk::replies::decode::TalkContext;
use crate::engines::talk::rooms::detection::{DETECT, Detector};
use crate::engines::talk::rooms::places::Places;
use crate::engines::talk::rooms::room_slots::{ENTER, EXTRACT, ROOM_TURN};
use crate::engines::talk::rooms::room_view::RoomView;
use crate::engines::talk::rooms::{detection, extraction, messages};
use crate::engines::talk::speeches::Speeches;
use crate::engines::talk::state::{TURN, Talk, TalkPhase};
use crate::engines::talk::talk::Conversation;
use crate::events::channel::{RoomAspectsNamed, RoomStageEntered};
use crate::events::crux::{RoomClosed, RoomOutcome};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{PersonaId, RoomId};
use crate::events::lifecycle::DebateOpened;
use crate::events::receipt::{EffectKey, Tier};
use crate::kernel::effect::{Effect, effect_key};
use crate::kernel::engine::{Driver, Engine, EngineRegistration, EngineReply, Plan};
use crate::kernel::reply::Unreadable;
use crate::projections::projection::Projection;
use crate::projections::room_candidates::RoomCandidates;

/// Registration of the engine.
pub const REGISTRATION: EngineRegistration = EngineRegistration {
    name: "crux_rooms",
    about: "a main channel whose disagreements move into rooms for two, and come back as cards",
    revision: 5,
    participants: (2, 12),
    driver: Driver::Service,
    options: OPTIONS,
    normalize: |given| settings::read(given).map(|settings| options::with_defaults(&settings)),
    start: |opened| Ok(Box::new(CruxRoomsEngine::new(opened, settings::read(&opened.options)?))),
};

/// Subject of the clerk's effect keys.
const CLERK: &str = "clerk";

/// State of the engine.
struct CruxRoomsEngine {
    channel: Conversation<DisputeClerk, ChannelManner>,
    options: RoomOptions,
    candidates: RoomCandidates,
    discussions: BTreeMap<RoomId, Discussion>,
    /// Number of windows that the detector read or failed to read.
    detections: u32,
    places: Places,
    /// Time of the latest event.
    now: DateTime<Utc>,
}

impl CruxRoomsEngine {
    fn new(opened: &DebateOpened, options: TalkEngineOptions<RoomOptions>) -> CruxRoomsEngine {
        let TalkEngineOptions { own, talk } = options;
        let clerk = DisputeClerk { options: own.clerk() };
        CruxRoomsEngine {
            channel: Conversation::in_manner(opened, talk, clerk, ChannelManner::default()),
            options: own,
            candidates: RoomCandidates::default(),
            discussions: BTreeMap::new(),
            detections: 0,
            places: Places::default(),
            now: DateTime::UNIX_EPOCH,
        }
    }

    fn talk(&self) -> &Talk {
        &self.channel.talk
    }

    fn talks(&self) -> bool {
        matches!(self.talk().phase, Some(TalkPhase::Exchange | TalkPhase::CruxSeeking))
    }

    fn requests(&self, room: RoomId) -> Option<RoomRequests<'_>> {
        let discussion = self.discussions.get(&room)?;
        let view = RoomView { talk: self.talk(), room: self.channel.manner.rooms.rooms.get(&room)? };
        Some(RoomRequests { view, discussion })
    }

    fn step(&self, room: RoomId) -> RoomStep {
        self.discussions.get(&room).map_or(RoomStep::Done, |room| room.step(self.options.room_turns as usize))
    }

    /// Returns the events that follow from the state of the rooms: one that fails is closed, one enters its next stage, one
    /// goes on without aspects, one that is due is opened.
    fn due(&self) -> Option<Vec<Event>> {
        let moved = self.discussions.keys().find_map(|room| match self.step(*room) {
            RoomStep::EnterStage(stage, aspect) => {
                Some(vec![Event::RoomStageEntered(RoomStageEntered { room: *room, stage, aspect })])
            }
            RoomStep::NoAspects(reason) => {
                let (room, aspects, refused) = (*room, Vec::new(), vec![reason]);
                Some(vec![Event::RoomAspectsNamed(RoomAspectsNamed { room, aspects, refused })])
            }
            RoomStep::Fail(failure) => {
                let (room, outcome) = (*room, RoomOutcome::Failed);
                let reason = match failure {
                    RoomFailure::NotEntered(persona) => format!("{} did not enter", self.talk().names.of(&persona)),
                    RoomFailure::NoCard(reason) => format!("no card could be drawn from it: {reason}"),
                };
                Some(vec![Event::RoomClosed(RoomClosed { room, outcome, reason, card: None })])
            }
            _ => None,
        });
        let admission = Admission {
            talk: self.talk(),
            rooms: &self.channel.manner.rooms,
            candidates: &self.candidates,
            options: &self.options,
            now: self.now,
        };
        moved.or_else(|| admission.opening())
    }

    /// Returns the effects of the detector, then those of the rooms and of the channel, as [`Places`] orders them.
    fn in_order(&self, channel: Vec<Effect>) -> Vec<Effect> {
        let rooms = self.discussions.keys().map(|room| (Some(*room), self.room_effects(*room)));
        let places = self.places.in_order(rooms.chain([(None, channel)]).collect());
        self.detection().into_iter().chain(places).collect()
    }

    fn detector(&self) -> Detector<'_> {
        let options = self.options.detector();
        Detector { talk: self.talk(), candidates: &self.candidates, options, discussed: &[] }
    }

    fn detection(&self) -> Option<Effect> {
        let window = detection::window(self.talk().channel_turns(), self.options.detector(), self.detections)?;
        let asked = self.detector().request(&window);
        Some(Speeches { talk: self.talk() }.clerk(effect_key(DETECT, CLERK, self.detections), Tier::Quick, asked))
    }

    fn room_effects(&self, room: RoomId) -> Vec<Effect> {
        let Some(requests) = self.requests(room) else { return Vec::new() };
        let persona = |id: &PersonaId| self.talk().participants.iter().find(|persona| persona.id == *id);
        match self.step(room) {
            RoomStep::Enter(missing) => {
                missing.iter().filter_map(persona).map(|speaker| requests.enter(speaker)).collect()
            }
            RoomStep::Speak(speaker) => persona(&speaker).map(|speaker| requests.turn(speaker)).into_iter().collect(),
            RoomStep::Stage(stage, missing) => {
                missing.iter().filter_map(persona).map(|speaker| requests.step(stage, speaker)).collect()
            }
            RoomStep::NameAspects => vec![requests.aspects()],
            RoomStep::CheckExit => vec![requests.exit_check()],
            RoomStep::Extract(_) => vec![requests.extraction()],
            RoomStep::EnterStage(..) | RoomStep::NoAspects(_) | RoomStep::Fail(_) | RoomStep::Done => Vec::new(),
        }
    }

    /// Returns the event that gives the speaker of the channel's next turn the floor, unless it was given.
    fn floor_due(&self, channel: &[Effect]) -> Option<Event> {
        let talk = self.talk();
        let turn = channel.iter().find(|effect| effect.key.purpose == TURN)?;
        let speaker = talk.participants.iter().find(|persona| persona.id.as_str() == turn.key.subject)?;
        let is_given = self.channel.manner.holder(talk) == Some(&speaker.id);
        (!is_given).then(|| self.channel.manner.floor_given(talk, &speaker.id))
    }

    fn spoken(&self, key: &EffectKey, reply: &EngineReply) -> Option<Result<Vec<Event>, Unreadable>> {
        let talk = self.talk();
        let speaker = talk.participants.iter().find(|persona| persona.id.as_str() == key.subject)?;
        let turn = talk.transcript.next_turn();
        let mut at = TalkContext { talk, turn, speaker: &speaker.id, grounds: &reply.grounds, room: None };
        if key.purpose == TURN {
            return Some(messages::message(&at, reply.text));
        }
        let requests = self.requests(key.room()?)?;
        at.room = Some(requests.view.room);
        Some(decode::room_turn(&at, &key.purpose, requests.discussion, reply.text))
    }

    fn distilled(&self, key: &EffectKey, reply: &EngineReply) -> Option<Result<Vec<Event>, Unreadable>> {
        if key.purpose == DETECT {
            let options = self.options.detector();
            let window = detection::window(self.talk().channel_turns(), options, key.ordinal)?;
            let found = self.detector().decode(&window, reply);
            return Some(found.map(|event| vec![event]));
        }
        let room = key.room()?;
        let requests = self.requests(room)?;
        match (key.purpose.as_str(), self.step(room)) {
            (ASPECTS, _) => Some(aspects::named(requests.view, self.options.alike, reply)),
            (EXIT, _) => Some(decode::exit_check(&requests, reply.text)),
            (EXTRACT, RoomStep::Extract(ending)) => {
                Some(extraction::card(&requests.over(ending), self.options.alike, reply.text))
            }
            _ => None,
        }
    }
}

impl Engine for CruxRoomsEngine {
    fn evolve(&mut self, recorded: &Recorded) {
        self.now = recorded.at;
        self.candidates.apply(recorded);
        let slot = self.talk().slots.len();
        self.channel.evolve(recorded);
        self.channel.manner.evolve(recorded, slot);
        if let Event::RoomOpened(opened) = &recorded.event {
            let room = Discussion::new(opened.room, opened.participants.clone(), self.options.room_style);
            self.discussions.insert(opened.room, room);
        }
        self.discussions.values_mut().for_each(|room| room.evolve(recorded));
        self.detections += match &recorded.event {
            Event::DisagreementsDetected(_) => 1,
            Event::EffectAbandoned(it) if it.key.purpose == DETECT => 1,
            _ => 0,
        };
        self.places.evolve(recorded);
        let in_turn = self.discussions.values().filter_map(Discussion::next_speaker).cloned();
        self.channel.manner.in_turn = in_turn.collect();
    }

    fn plan(&self) -> Plan {
        if !self.talks() {
            return self.channel.plan();
        }
        if let Some(events) = self.due() {
            return Plan::Record(events);
        }
        let beside = self.in_order(Vec::new());
        let ends_talk = |events: &[Event]| {
            let closing = TalkPhase::Resolution.name();
            events.iter().any(|event| matches!(event, Event::PhaseEntered(entered) if entered.phase == closing))
        };
        match self.channel.plan() {
            Plan::Ask(channel) => match self.floor_due(&channel) {
                Some(given) => Plan::Record(vec![given]),
                None => Plan::Ask(self.in_order(channel)),
            },
            Plan::Record(events) if !beside.is_empty() && ends_talk(&events) => Plan::Ask(beside),
            Plan::Conclude(_) if !beside.is_empty() => Plan::Ask(beside),
            plan => plan,
        }
    }

    fn decide(&self, key: &EffectKey, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        let decided = match key.purpose.as_str() {
            TURN | ENTER | ROOM_TURN => self.spoken(key, reply),
            purpose if stage_of(purpose).is_some() => self.spoken(key, reply),
            DETECT | ASPECTS | EXIT | EXTRACT => self.distilled(key, reply),
            _ => return self.channel.decide(key, reply),
        };
        decided.unwrap_or_else(|| Err(Unreadable::because(format!("{key} is not an effect of this engine"))))
    }

    fn similarity_inputs(&self, key: &EffectKey, text: &str) -> Vec<String> {
        match key.purpose.as_str() {
            DETECT => self.detector().similarity_inputs(text),
            ASPECTS => aspects::similarity_inputs(&self.talk().disputes, text),
            _ => self.channel.similarity_inputs(key, text),
        }
    }
}

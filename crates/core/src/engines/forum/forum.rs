//! The forum engine: many participants in a main channel, and threads beside it on questions that divide them.
//!
//! ```text
//! opening        everyone's opening statement, concurrently; distilled; all pairs of claims compared
//! exchange       the main channel and the open threads, each with a floor of its own; the detector reads all of them
//! crux_seeking   the same; in addition, a moderator asks in the main channel for the crux of the disagreement
//! resolution     once all threads are closed: everyone's closing statement, concurrently; distilled
//! ```
//!
//! The main channel is the talk of [`crate::engines::talk::talk`], distilled by the clerk of the disputes engine. Every few
//! turns a detector reads the latest turns of all places ([`crate::engines::talk::rooms::detection`]); a question that
//! divides participants often enough gets a thread ([`crate::engines::talk::rooms::gate`]), split from the place where it
//! came up. Who speaks where is decided by attention ([`crate::engines::forum::floor`]). A thread runs until its members
//! have come to one side, stall, or have used up its turns ([`crate::engines::forum::thread`]); a clerk then distils it into
//! a card. The agenda ([`crate::engines::forum::agenda`]) keeps the most divisive questions in focus.
//!
//! The number of effects is bounded: that of the talk, in each thread at most as many turns as the option `thread_turns` and
//! one extraction, and one detection every few of these turns.

use crate::engines::forum::agenda::agenda;
use crate::engines::forum::attention::{scores, stance_words};
use crate::engines::forum::floor::PlaceFloor;
use crate::engines::forum::forum_state::ForumState;
use crate::engines::forum::settings;
use crate::engines::forum::settings::{ForumOptions, OPTIONS};
use crate::engines::forum::thread::{ThreadStep, step};
use crate::engines::forum::thread_requests::ThreadRequests;
use crate::engines::shared::options;
use crate::engines::talk::common_options::TalkEngineOptions;
use crate::engines::talk::dispute_clerk::dispute_clerk::DisputeClerk;
use crate::engines::talk::replies::decode::{TalkContext, entered};
use crate::engines::talk::replies::schema::TurnReply;
use crate::engines::talk::rooms::detection::{DETECT, Detector};
use crate::engines::talk::rooms::gate::Gate;
use crate::engines::talk::rooms::places::Places;
use crate::engines::talk::rooms::room_slots::{ENTER, EXTRACT, ROOM_TURN};
use crate::engines::talk::rooms::room_view::RoomView;
use crate::engines::talk::rooms::schema::MessageReply;
use crate::engines::talk::rooms::{detection, extraction, messages};
use crate::engines::talk::speeches::Speeches;
use crate::engines::talk::state::{TURN, Talk, TalkPhase};
use crate::engines::talk::talk::Conversation;
use crate::events::crux::{RoomClosed, RoomOutcome};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{DisputeId, RoomId};
use crate::events::lifecycle::DebateOpened;
use crate::events::persona::Persona;
use crate::events::receipt::{EffectKey, Tier};
use crate::kernel::effect::{Effect, effect_key};
use crate::kernel::engine::{Driver, Engine, EngineRegistration, EngineReply, Plan};
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;
use crate::projections::projection::Projection;
use crate::projections::room_candidates::RoomCandidates;

/// Registration of the engine.
pub const REGISTRATION: EngineRegistration = EngineRegistration {
    name: "forum",
    about: "many participants, threads on the questions that divide them, and attention that decides who speaks where",
    revision: 4,
    participants: (3, 12),
    driver: Driver::Service,
    options: OPTIONS,
    normalize: |given| settings::read(given).map(|settings| options::with_defaults(&settings)),
    start: |opened| Ok(Box::new(ForumEngine::new(opened, settings::read(&opened.options)?))),
};

/// Subject of the clerk's effect keys.
const CLERK: &str = "clerk";

/// State of the engine.
struct ForumEngine {
    main: Conversation<DisputeClerk, ForumState>,
    candidates: RoomCandidates,
    /// Number of windows that the detector read or failed to read.
    detections: u32,
    places: Places,
    /// True if the agenda may have changed since it was set.
    is_agenda_due: bool,
}

impl ForumEngine {
    fn new(opened: &DebateOpened, options: TalkEngineOptions<ForumOptions>) -> ForumEngine {
        let TalkEngineOptions { own, talk } = options;
        let clerk = DisputeClerk { options: own.clerk() };
        ForumEngine {
            main: Conversation::in_manner(opened, talk, clerk, ForumState::new(own)),
            candidates: RoomCandidates::default(),
            detections: 0,
            places: Places::default(),
            is_agenda_due: false,
        }
    }

    fn talk(&self) -> &Talk {
        &self.main.talk
    }

    fn state(&self) -> &ForumState {
        &self.main.manner
    }

    fn options(&self) -> &ForumOptions {
        &self.main.manner.options
    }

    fn talks(&self) -> bool {
        matches!(self.talk().phase, Some(TalkPhase::Exchange | TalkPhase::CruxSeeking))
    }

    fn requests(&self, thread: RoomId) -> Option<ThreadRequests<'_>> {
        let state = self.state();
        let view = RoomView { talk: self.talk(), room: state.rooms.rooms.get(&thread)? };
        Some(ThreadRequests { view, slots: state.slots.get(&thread)?, state })
    }

    fn step(&self, thread: RoomId) -> ThreadStep {
        let Some(requests) = self.requests(thread) else { return ThreadStep::Done };
        let room = requests.view.room;
        let dispute = room.opened.dispute.and_then(|id| self.talk().disputes.disputes.get(&id));
        step(room, requests.slots, dispute, self.options().thread_turns as usize)
    }

    /// Returns the events that follow from the state of the forum: the agenda is set, a thread fails or is opened.
    fn due(&self) -> Option<Vec<Event>> {
        let failed = self.state().open().find_map(|room| match self.step(room) {
            ThreadStep::Fail(reason) => Some(vec![failed(room, &reason)]),
            _ => None,
        });
        failed.or_else(|| self.thread_due()).or_else(|| self.agenda_due())
    }

    fn thread_due(&self) -> Option<Vec<Event>> {
        let state = self.state();
        let gate = Gate {
            talk: self.talk(),
            rooms: &state.rooms,
            candidates: &self.candidates,
            options: self.options().gate(),
        };
        let is_discussed =
            |dispute: DisputeId| state.rooms.rooms.values().any(|room| room.opened.dispute == Some(dispute));
        let n_open = state.open().count();
        let has_place = n_open < self.options().threads_open as usize;
        has_place.then(|| gate.opening(|_, dispute| !dispute.is_some_and(is_discussed)))?
    }

    fn agenda_due(&self) -> Option<Vec<Event>> {
        if !self.is_agenda_due {
            return None;
        }
        let new = agenda(self.talk(), &self.state().rooms, self.options().focus as usize);
        (new.disputes != self.state().agenda.in_focus()).then(|| vec![Event::AgendaSet(new)])
    }

    /// Returns the effects of the detector, then those of the threads and of the main channel, as [`Places`] orders them.
    fn in_order(&self, main: Vec<Effect>) -> Vec<Effect> {
        let threads = self.state().open().map(|thread| (Some(thread), self.thread_effects(thread)));
        let places = self.places.in_order(threads.chain([(None, main)]).collect());
        self.detection().into_iter().chain(places).collect()
    }

    /// Uses the detector; what has a thread is left out.
    fn with_detector<T>(&self, used: impl FnOnce(Detector) -> T) -> T {
        let rooms = self.state().rooms.rooms.values();
        let discussed: Vec<String> = rooms.map(|room| room.opened.question.clone()).collect();
        let options = self.options().detector();
        used(Detector { talk: self.talk(), candidates: &self.candidates, options, discussed: &discussed })
    }

    fn detection(&self) -> Option<Effect> {
        let talk = self.talk();
        let window = detection::window(talk.participant_turns(), self.options().detector(), self.detections)?;
        let asked = self.with_detector(|detector| detector.request(&window));
        Some(Speeches { talk }.clerk(effect_key(DETECT, CLERK, self.detections), Tier::Quick, asked))
    }

    fn thread_effects(&self, thread: RoomId) -> Vec<Effect> {
        let Some(requests) = self.requests(thread) else { return Vec::new() };
        let holder = || {
            let holder = self.state().holder(self.talk(), Some(thread));
            self.talk().speakers().find(|speaker| Some(&speaker.id) == holder)
        };
        match self.step(thread) {
            ThreadStep::Enter(_) => holder().map(|speaker| requests.enter(speaker)).into_iter().collect(),
            ThreadStep::Speak => holder().map(|speaker| requests.turn(speaker)).into_iter().collect(),
            ThreadStep::Extract(_) => vec![requests.extraction()],
            ThreadStep::Fail(_) | ThreadStep::Done => Vec::new(),
        }
    }

    /// Returns the event that gives the speaker of the main channel's next turn the floor, unless it was given.
    fn main_floor_due(&self, main: &[Effect]) -> Option<Event> {
        let talk = self.talk();
        let turn = main.iter().find(|effect| effect.key.purpose == TURN)?;
        let speaker = self.participant(&turn.key.subject)?;
        let is_given = self.state().holder(talk, None) == Some(&speaker.id);
        (!is_given)
            .then(|| PlaceFloor { talk, state: self.state(), place: None, is_main_over: false }.given_to(&speaker.id))
    }

    /// Returns the event that gives somebody the floor of a thread without a speaker: the one that has waited longest for an
    /// answer comes first.
    fn thread_floor_due(&self, is_main_over: bool) -> Option<Event> {
        let (talk, state) = (self.talk(), self.state());
        let is_idle = |thread: &RoomId| state.holder(talk, Some(*thread)).is_none();
        let mut idle: Vec<RoomId> = state.open().filter(is_idle).collect();
        idle.sort_by_key(|thread| self.places.advanced(Some(*thread)));
        idle.into_iter().find_map(|thread| {
            let floor = PlaceFloor { talk, state, place: Some(thread), is_main_over };
            match self.step(thread) {
                ThreadStep::Enter(missing) => floor.given_to_enter(&missing),
                ThreadStep::Speak => floor.given(),
                ThreadStep::Extract(_) | ThreadStep::Fail(_) | ThreadStep::Done => None,
            }
        })
    }

    fn participant(&self, subject: &str) -> Option<&Persona> {
        self.talk().participants.iter().find(|persona| persona.id.as_str() == subject)
    }

    fn spoken(&self, key: &EffectKey, reply: &EngineReply) -> Option<Result<Vec<Event>, Unreadable>> {
        let talk = self.talk();
        let speaker = &self.participant(&key.subject)?.id;
        let room = match key.room() {
            Some(thread) => Some(self.state().rooms.rooms.get(&thread)?),
            None => None,
        };
        let turn = talk.transcript.next_turn();
        let at = TalkContext { talk, turn, speaker, grounds: &reply.grounds, room };
        let said = match key.purpose.as_str() {
            ENTER => reply::read::<TurnReply>(reply.text).and_then(|read| entered(&at, read.value)),
            _ => messages::message(&at, reply.text),
        };
        Some(said.map(|mut facts| {
            let taken = facts.iter().find_map(|fact| match fact {
                Event::TurnTaken(taken) => Some(taken),
                _ => None,
            });
            let scored = taken.map(|taken| scores(talk, self.state(), taken, reply.likeness));
            facts.extend(scored.map(Event::AttentionScored));
            facts
        }))
    }

    fn distilled(&self, key: &EffectKey, reply: &EngineReply) -> Option<Result<Vec<Event>, Unreadable>> {
        if key.purpose == DETECT {
            let options = self.options().detector();
            let window = detection::window(self.talk().participant_turns(), options, key.ordinal)?;
            let found = self.with_detector(|detector| detector.decode(&window, reply));
            return Some(found.map(|event| vec![event]));
        }
        let thread = key.room()?;
        let ThreadStep::Extract(ending) = self.step(thread) else { return None };
        Some(extraction::card(&self.requests(thread)?.over(ending), self.options().alike, reply.text))
    }
}

impl Engine for ForumEngine {
    fn evolve(&mut self, recorded: &Recorded) {
        self.candidates.apply(recorded);
        let n_main = self.talk().slots.len();
        self.main.evolve(recorded);
        let Conversation { talk, manner, .. } = &mut self.main;
        manner.evolve(talk, recorded, n_main);
        match &recorded.event {
            Event::DisagreementsDetected(_) => self.detections += 1,
            Event::EffectAbandoned(it) if it.key.purpose == DETECT => self.detections += 1,
            Event::TurnsCrystallized(_) | Event::RoomOpened(_) | Event::RoomClosed(_) => self.is_agenda_due = true,
            // The agenda stays for a while: it is looked at until the next turn.
            Event::AgendaSet(_) | Event::TurnTaken(_) => self.is_agenda_due = false,
            _ => {}
        }
        self.places.evolve(recorded);
    }

    fn plan(&self) -> Plan {
        if !self.talks() {
            return self.main.plan();
        }
        if let Some(events) = self.due() {
            return Plan::Record(events);
        }
        let ends_talk = |events: &[Event]| {
            let closing = TalkPhase::Resolution.name();
            events.iter().any(|event| matches!(event, Event::PhaseEntered(entered) if entered.phase == closing))
        };
        let main = match self.main.plan() {
            Plan::Ask(main) => match self.main_floor_due(&main) {
                Some(given) => return Plan::Record(vec![given]),
                None => Plan::Ask(main),
            },
            Plan::Record(events) if !ends_talk(&events) => return Plan::Record(events),
            plan => plan,
        };
        if let Some(given) = self.thread_floor_due(!matches!(main, Plan::Ask(_))) {
            return Plan::Record(vec![given]);
        }
        let beside = self.in_order(Vec::new());
        match (main, self.state().open().next()) {
            (Plan::Ask(main), _) => Plan::Ask(self.in_order(main)),
            (plan, None) if beside.is_empty() => plan,
            (_, Some(thread)) if beside.is_empty() => {
                Plan::Record(vec![failed(thread, "nobody is left to speak in it")])
            }
            _ => Plan::Ask(beside),
        }
    }

    fn decide(&self, key: &EffectKey, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        let decided = match key.purpose.as_str() {
            TURN | ENTER | ROOM_TURN => self.spoken(key, reply),
            DETECT | EXTRACT => self.distilled(key, reply),
            _ => return self.main.decide(key, reply),
        };
        decided.unwrap_or_else(|| Err(Unreadable::because(format!("{key} is not an effect of this engine"))))
    }

    fn similarity_inputs(&self, key: &EffectKey, text: &str) -> Vec<String> {
        match key.purpose.as_str() {
            DETECT => self.with_detector(|detector| detector.similarity_inputs(text)),
            TURN | ENTER | ROOM_TURN => {
                let Ok(read) = reply::read::<MessageReply>(text) else { return Vec::new() };
                let others = self.talk().speakers().filter(|speaker| speaker.id.as_str() != key.subject);
                let stances = others.flat_map(|speaker| stance_words(self.talk(), &speaker.id)).map(str::to_owned);
                [read.value.text.trim().to_owned()].into_iter().chain(stances).collect()
            }
            _ => self.main.similarity_inputs(key, text),
        }
    }
}

/// Returns the event that closes a thread without a card.
fn failed(room: RoomId, reason: &str) -> Event {
    let (outcome, reason) = (RoomOutcome::Failed, reason.to_owned());
    Event::RoomClosed(RoomClosed { room, outcome, reason, card: None })
}

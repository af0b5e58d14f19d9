//! The baseline engine: a talk without a protocol, from which a clerk reads disputes, stances and reasons once, at its end.
//! An engine is worth its calls if its cruxes are better than those of a baseline at the same cost.
//!
//! ```text
//! one_shot     one model writes the whole talk in one reply
//! free_talk    the participants speak in turn, and are asked for nothing but what they say
//! ```
//!
//! The clerk is that of the disputes engine ([`crate::engines::talk::dispute_clerk::dispute_clerk`]), so a verdict is computed
//! and audited as everywhere. With t turns, `one_shot` makes two calls and `free_talk` t + 1, without retries, audit and
//! interjections.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::engines::baseline::settings;
use crate::engines::baseline::settings::{BaselineOptions, Method};
use crate::engines::baseline::words::WORDS;
use crate::engines::baseline::written_talk;
use crate::engines::shared::options;
use crate::engines::shared::persona_prompts;
use crate::engines::shared::persona_prompts::TurnKind;
use crate::engines::shared::view_prompts;
use crate::engines::talk::dispute_clerk::dispute_clerk::{DisputeClerk, DisputeClerkOptions};
use crate::engines::talk::model_request::ModelRequest;
use crate::engines::talk::prompts as telling;
use crate::engines::talk::replies::decode;
use crate::engines::talk::replies::decode::TalkContext;
use crate::engines::talk::speeches::Speeches;
use crate::engines::talk::state::{TOPIC, TURN, Talk, TalkPhase};
use crate::engines::talk::talk::Distiller;
use crate::events::dispute::DisputeRaised;
use crate::events::event::{Event, Recorded};
use crate::events::lifecycle::{DebateOpened, DebateOutcome, PhaseEntered};
use crate::events::persona::Persona;
use crate::events::receipt::{CRYSTALLIZE, EffectKey, Tier};
use crate::kernel::effect::{Effect, effect_key};
use crate::kernel::engine::{Driver, Engine, EngineRegistration, EngineReply, Plan};
use crate::kernel::prompt::with_persona;
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;
use crate::kernel::schema;
use crate::kernel::task::TaskKind;

/// Registration of the engine.
pub const REGISTRATION: EngineRegistration = EngineRegistration {
    name: "baseline",
    about: "a talk without a protocol, as a yardstick for the other engines: written in one reply, or spoken in turn",
    revision: 1,
    participants: (2, 12),
    driver: Driver::Service,
    options: settings::OPTIONS,
    normalize: |given| settings::read(given).map(|options| options::with_defaults(&options)),
    start: |opened| Ok(Box::new(Baseline::new(opened, settings::read(&opened.options)?))),
};

/// Purpose of the request to write a whole talk.
pub const WRITE: &str = "write";
/// Subject of the clerk's effect keys.
const CLERK: &str = "clerk";

/// Reply of a speaker of a free talk.
#[derive(Deserialize, JsonSchema)]
struct FreeTurn {
    /// The words said aloud, in the voice of the speaker.
    text: String,
    /// Aliases of the passages used.
    #[serde(default)]
    passages: Vec<String>,
}

struct Baseline {
    options: BaselineOptions,
    talk: Talk,
    clerk: DisputeClerk,
}

impl Baseline {
    fn new(opened: &DebateOpened, mut options: BaselineOptions) -> Baseline {
        let n_participants = u32::try_from(opened.participants.len()).unwrap_or(u32::MAX);
        options.talk_turns = options.talk_turns.max(n_participants);
        let clerk = DisputeClerkOptions { new_disputes: options.new_disputes, alike: options.alike };
        Baseline { talk: Talk::new(opened, options.talk()), clerk: DisputeClerk { options: clerk }, options }
    }
}

impl Engine for Baseline {
    fn evolve(&mut self, recorded: &Recorded) {
        self.talk.evolve(recorded);
    }

    fn plan(&self) -> Plan {
        if self.talk.phase.is_none() {
            let reason = match self.options.method {
                Method::OneShot => PhaseEntered::WRITTEN_BY_ONE,
                Method::FreeTalk => "the participants speak in turn, without a protocol",
            };
            let phase = TalkPhase::Exchange.name();
            let entered = Event::PhaseEntered(PhaseEntered::new(phase, None, Some(reason.to_owned())));
            let topic = Event::DisputeRaised(DisputeRaised::bare(TOPIC, self.talk.topic.clone(), true));
            return Plan::Record(vec![entered, topic]);
        }
        let outcome = match self.options.method {
            Method::OneShot => self.written(),
            Method::FreeTalk => self.spoken(),
        };
        match outcome {
            Ok(effect) => Plan::Ask(vec![effect]),
            // Turns that could not be read once are not read again.
            Err(_) if !self.talk.gave_up && !self.talk.undistilled().is_empty() => Plan::Ask(vec![self.reading()]),
            Err(outcome) => Plan::Conclude(outcome),
        }
    }

    fn decide(&self, key: &EffectKey, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        let talk = &self.talk;
        let speaker = talk.participants.iter().find(|participant| participant.id.as_str() == key.subject);
        match (key.purpose.as_str(), speaker) {
            (WRITE, _) => written_talk::decode(talk, reply::read(reply.text)?.value),
            (TURN, Some(speaker)) => {
                let FreeTurn { text, passages } = reply::read(reply.text)?.value;
                let turn = talk.transcript.next_turn();
                let at = TalkContext { talk, turn, speaker: &speaker.id, grounds: &reply.grounds, room: None };
                decode::spoken(&at, written_talk::plain(text, passages))
            }
            (CRYSTALLIZE, _) => self.clerk.crystallized(talk, &self.talk.window(self.n_read()), reply),
            _ => Err(Unreadable::because(format!("{key} is not an effect of this engine"))),
        }
    }

    fn similarity_inputs(&self, key: &EffectKey, text: &str) -> Vec<String> {
        if key.purpose != CRYSTALLIZE {
            return Vec::new();
        }
        self.clerk.similarity_inputs(&self.talk, text)
    }
}

impl Baseline {
    /// Requests the written talk, until it is written.
    ///
    /// # Errors
    /// The outcome once nothing is left to request.
    fn written(&self) -> Result<Effect, DebateOutcome> {
        let key = effect_key(WRITE, CLERK, 0);
        if self.talk.is_missing(&key) {
            return Ok(self.speeches().clerk(key, Tier::Deep, written_talk::request(&self.talk)));
        }
        if self.talk.participant_turns().next().is_none() {
            return Err(DebateOutcome::Failed { reason: "the request to write the talk was abandoned".to_owned() });
        }
        let reason = format!("one reply has the whole talk, of {} turns at most", self.options.talk_turns);
        Err(DebateOutcome::Limit { limit: "talk_turns".to_owned(), reason })
    }

    /// Requests the next turn of the free talk.
    ///
    /// # Errors
    /// The outcome once nobody speaks any more.
    fn spoken(&self) -> Result<Effect, DebateOutcome> {
        let talk = &self.talk;
        if talk.is_silent() {
            let n = talk.participants.len();
            return Err(DebateOutcome::Stalled { reason: format!("the latest {n} turns were abandoned") });
        }
        if talk.has_nothing_new() {
            return Err(DebateOutcome::Exhausted { reason: "nobody had anything new to say".to_owned() });
        }
        let slot = talk.slots.len();
        let speaker = talk.participants.get(slot % talk.participants.len().max(1));
        match speaker.filter(|_| slot < self.options.talk_turns as usize) {
            Some(speaker) => Ok(self.turn(speaker)),
            None => {
                let reason = format!("all {} turns of the talk are used up", self.options.talk_turns);
                Err(DebateOutcome::Limit { limit: "talk_turns".to_owned(), reason })
            }
        }
    }

    fn turn(&self, speaker: &Persona) -> Effect {
        let talk = &self.talk;
        let told = telling::talk(talk);
        let shown = telling::shown(&told, talk.options.shown_turns as usize);
        let length = talk.options.brevity.turn();
        let values = [
            ("topic", talk.topic.as_str()),
            ("turns", &telling::turn_lines(&shown, &talk.names)),
            ("interjections", &view_prompts::interjections(&talk.transcript)),
            ("length", length),
        ];
        let is_first = !talk.slots.iter().any(|slot| slot.speaker == speaker.id);
        let work = if is_first { TaskKind::OpenTalk } else { TaskKind::Speak(told) };
        let persona = persona_prompts::persona(speaker, TurnKind::Exchange, talk.seed);
        let request = ModelRequest {
            system: WORDS.fill("speaker", &[("length", length)]),
            text: with_persona(&WORDS.fill("turn", &values), &persona),
            schema: (schema::strict::<FreeTurn>(), "turn"),
            work,
        };
        let ordinal = u32::try_from(talk.slots.len()).unwrap_or(u32::MAX);
        let speeches = self.speeches();
        speeches.effect(effect_key(TURN, &speaker.id, ordinal), speaker, request, &speeches.about(speaker))
    }

    /// Requests the clerk's reading of the talk.
    fn reading(&self) -> Effect {
        let asked = self.clerk.crystallization(&self.talk, &self.talk.window(self.n_read()));
        self.speeches().clerk(effect_key(CRYSTALLIZE, CLERK, self.talk.crystallizations), Tier::Deep, asked)
    }

    /// Number of turns that the clerk reads at once.
    fn n_read(&self) -> usize {
        self.talk.options.most_distilled as usize
    }

    fn speeches(&self) -> Speeches<'_> {
        Speeches { talk: &self.talk }
    }
}

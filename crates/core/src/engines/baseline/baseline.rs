//! The baseline engine: a talk without a protocol, from which a clerk reads disputes, stances and reasons once, at its end.
//! An engine is worth its calls if its cruxes are better than those of a baseline at the same cost.
//!
//! ```text
//! one_shot     one model writes the whole talk in one reply
//! free_talk    the participants speak in turn, and are asked for nothing but what they say
//! ```
//!
//! The option `of` takes the talk of another debate instead, which the clerk distils anew.
//!
//! The clerk is that of the disputes engine ([`crate::engines::talk::dispute_clerk::dispute_clerk`]) or of the dialogue engine,
//! so a verdict is computed and audited as everywhere. With t turns, `one_shot` makes two calls and `free_talk` t + 1; a
//! recorded talk takes a distillation for every eleven turns, and at most four comparisons of claims. Retries, audit and
//! interjections are not counted.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::engines::baseline::recorded_talk;
use crate::engines::baseline::settings;
use crate::engines::baseline::settings::{BaselineOptions, Clerk, Method};
use crate::engines::baseline::words::WORDS;
use crate::engines::baseline::written_talk;
use crate::engines::shared::options;
use crate::engines::shared::persona_prompts;
use crate::engines::shared::persona_prompts::TurnKind;
use crate::engines::shared::view_prompts;
use crate::engines::talk::argument_clerk::argument_clerk::ArgumentClerk;
use crate::engines::talk::dispute_clerk::dispute_clerk::{DisputeClerk, DisputeClerkOptions};
use crate::engines::talk::model_request::ModelRequest;
use crate::engines::talk::prompts as telling;
use crate::engines::talk::replies::decode;
use crate::engines::talk::replies::decode::TalkContext;
use crate::engines::talk::speeches::Speeches;
use crate::engines::talk::state::{COMPARE, TOPIC, TURN, Talk, TalkPhase};
use crate::engines::talk::talk::{Distiller, next_comparison};
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
    name: settings::NAME,
    about: "a talk without a protocol, as a yardstick for the other engines: written in one reply, or spoken in turn",
    revision: 3,
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
    clerk: Box<dyn Distiller>,
}

impl Baseline {
    fn new(opened: &DebateOpened, mut options: BaselineOptions) -> Baseline {
        let n_participants = u32::try_from(opened.participants.len()).unwrap_or(u32::MAX);
        options.talk_turns = options.talk_turns.max(n_participants);
        let clerk: Box<dyn Distiller> = match options.clerk {
            Clerk::Disputes => {
                let options = DisputeClerkOptions { new_disputes: options.new_disputes, alike: options.alike };
                Box::new(DisputeClerk { options })
            }
            Clerk::Dialogue => Box::new(ArgumentClerk::default()),
        };
        Baseline { talk: Talk::new(opened, options.talk()), clerk, options }
    }
}

impl Engine for Baseline {
    fn evolve(&mut self, recorded: &Recorded) {
        self.talk.evolve(recorded);
        self.clerk.evolve(recorded);
    }

    fn plan(&self) -> Plan {
        if self.talk.phase.is_none() {
            return Plan::Record(self.beginning());
        }
        let outcome = match (self.options.of, self.options.method) {
            (Some(_), _) => Err(self.distilled()),
            (None, Method::OneShot) => self.written(),
            (None, Method::FreeTalk) => self.spoken(),
        };
        match outcome {
            Ok(effect) => Plan::Ask(vec![effect]),
            // Turns that could not be read once are not read again.
            Err(_) if !self.talk.gave_up && !self.talk.undistilled().is_empty() => Plan::Ask(vec![self.reading()]),
            Err(outcome) => match self.comparison() {
                Some(effect) => Plan::Ask(vec![effect]),
                None => Plan::Conclude(outcome),
            },
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
            (COMPARE, _) => self.clerk.compared(talk, reply.text),
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
    /// Returns the phase and the dispute with which a new talk begins. A recorded one comes with both.
    fn beginning(&self) -> Vec<Event> {
        let reason = match (self.options.of, self.options.method) {
            (Some(of), _) => recorded_talk::phase_reason(of, self.options.clerk),
            (None, Method::OneShot) => PhaseEntered::WRITTEN_BY_ONE.to_owned(),
            (None, Method::FreeTalk) => "the participants speak in turn, without a protocol".to_owned(),
        };
        let entered = PhaseEntered::new(TalkPhase::Exchange.name(), None, Some(reason));
        let topic = DisputeRaised::bare(TOPIC, self.talk.topic.clone(), true);
        vec![Event::PhaseEntered(entered), Event::DisputeRaised(topic)]
    }

    /// Returns the outcome of a recorded talk, once the clerk has read it.
    fn distilled(&self) -> DebateOutcome {
        match self.talk.undistilled().len() {
            _ if self.talk.participant_turns().next().is_none() => {
                DebateOutcome::Failed { reason: "the recorded talk has no turns".to_owned() }
            }
            0 => DebateOutcome::Exhausted { reason: "the clerk has read the whole talk".to_owned() },
            1 => DebateOutcome::Failed { reason: "the clerk could not read 1 turn of the talk".to_owned() },
            n => DebateOutcome::Failed { reason: format!("the clerk could not read {n} turns of the talk") },
        }
    }

    /// Requests a comparison of claims of a recorded talk, as the engine of the clerk does at its end; `None` if none is
    /// due. New talks are read once, so that they cost what they are compared for.
    fn comparison(&self) -> Option<Effect> {
        self.options.of.and_then(|_| next_comparison(&self.talk, self.clerk.as_ref()))
    }

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

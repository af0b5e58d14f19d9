//! The engine interface.

use serde_json::Value;

use crate::events::audit::Auditor;
use crate::events::event::{Event, Recorded};
use crate::events::lifecycle::{DebateOpened, DebateOutcome};
use crate::events::receipt::{EffectKey, PassageRef};
use crate::kernel::effect::Effect;
use crate::kernel::reply::Unreadable;
use crate::kernel::similarity::TextSimilarity;

/// A debate format: a pure state machine over the debate's own events.
pub trait Engine: Send {
    /// Applies an event to the state. Makes no decisions and never fails.
    fn evolve(&mut self, recorded: &Recorded);

    /// Returns the next step. All control flow of the engine is here. Requests of effects ([`Event::EffectRequested`]) do
    /// not change it.
    ///
    /// [`Event::EffectRequested`]: crate::events::event::Event::EffectRequested
    fn plan(&self) -> Plan;

    /// Turns an answer into events. Makes no choice that `plan` could make.
    ///
    /// # Errors
    /// [`Unreadable`] if the reply does not have the requested form; it is requested again with the reason.
    fn decide(&self, key: &EffectKey, reply: &EngineReply) -> Result<Vec<Event>, Unreadable>;

    /// Returns the texts whose semantic similarity `decide` would use for this reply. Most replies need none.
    fn similarity_inputs(&self, _key: &EffectKey, _text: &str) -> Vec<String> {
        Vec::new()
    }
}

/// Next step of an engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Effects whose answers this state needs. They may run concurrently.
    Ask(Vec<Effect>),
    /// Events that follow from the state alone: a phase entered, a dispute raised.
    Record(Vec<Event>),
    /// The debate is over; continuing would change nothing.
    Conclude(DebateOutcome),
}

/// Answer, as passed to an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineReply<'a> {
    /// Text of the reply.
    pub text: &'a str,
    /// Provider and model of its author, as named by the provider.
    pub by: &'a str,
    /// Passages available to the author: those supplied and those the provider found by itself.
    pub grounds: Vec<PassageRef>,
    /// Similarity of the texts named by [`Engine::similarity_inputs`]; `None` if no embedder was available.
    pub likeness: Option<&'a TextSimilarity>,
    /// Qualification of the author as an auditor; `None` unless the request was to read words.
    pub auditor: Option<&'a Auditor>,
}

/// Provider of debates that an orchestrator drives. No provider is registered under it, so no supervisor drives them.
pub const EXTERNAL_PROVIDER: &str = "external";

/// Driver of an engine's debates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// This service: it starts the effects that the engine requests.
    Service,
    /// An orchestrator outside this service, which appends the events. The provider is [`EXTERNAL_PROVIDER`].
    Orchestrator,
}

/// Registration of an engine.
#[derive(Clone, Copy, Debug)]
pub struct EngineRegistration {
    /// Name, written into the opening event; never reused for another engine.
    pub name: &'static str,
    /// One-line description.
    pub about: &'static str,
    /// Revision, raised by hand whenever prompts or control flow change.
    pub revision: i32,
    /// Minimum and maximum number of participants.
    pub participants: (usize, usize),
    /// Driver of its debates.
    pub driver: Driver,
    /// Documentation of the options.
    pub options: &'static [OptionDoc],
    /// Validates options and adds the defaults.
    pub normalize: fn(&Value) -> Result<Value, Refusal>,
    /// Creates the engine for an opened debate.
    pub start: fn(&DebateOpened) -> Result<Box<dyn Engine>, Refusal>,
}

impl EngineRegistration {
    /// Returns true if an orchestrator outside this service drives the debates.
    pub fn is_external(&self) -> bool {
        self.driver == Driver::Orchestrator
    }
}

/// Returns true if `name` is a registered engine whose debates an orchestrator drives.
pub fn is_external(engines: &[EngineRegistration], name: &str) -> bool {
    engines.iter().any(|engine| engine.is_external() && engine.name == name)
}

/// Lists the engines whose debates an orchestrator drives, for messages.
pub fn external_names(engines: &[EngineRegistration]) -> String {
    let external = engines.iter().filter(|engine| engine.is_external());
    external.map(|engine| engine.name).collect::<Vec<_>>().join(", ")
}

/// Documentation of an engine option.
#[derive(Clone, Copy, Debug)]
pub struct OptionDoc {
    /// Name of the option.
    pub name: &'static str,
    /// Effect, unit and range.
    pub about: &'static str,
    /// Accepted values.
    pub kind: OptionKind,
    /// Option of the same engine whose value this one must not be less than.
    pub not_below: Option<&'static str>,
    /// Default value, as JSON. If it is null, the option accepts null.
    pub default: &'static str,
}

/// Values that an option accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OptionKind {
    /// True or false.
    Boolean,
    /// An integer between two values, both included. Without a maximum, one is set by the participants of a debate.
    Integer(u32, Option<u32>),
    /// A number between two values, both included.
    Number(f64, f64),
    /// A text.
    Text,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// A JSON value whose form the description explains.
    Json,
}

impl OptionKind {
    /// Returns the least accepted value; `None` unless the option is a number.
    pub fn minimum(self) -> Option<f64> {
        match self {
            OptionKind::Integer(minimum, _) => Some(minimum.into()),
            OptionKind::Number(minimum, _) => Some(minimum),
            _ => None,
        }
    }

    /// Returns the greatest accepted value; `None` if there is none, or the option is no number.
    pub fn maximum(self) -> Option<f64> {
        match self {
            OptionKind::Integer(_, maximum) => maximum.map(f64::from),
            OptionKind::Number(_, maximum) => Some(maximum),
            _ => None,
        }
    }
}

/// Constructors: the name, the accepted values, the description and the default, which is JSON.
impl OptionDoc {
    const fn of(name: &'static str, kind: OptionKind, about: &'static str, default: &'static str) -> OptionDoc {
        OptionDoc { name, about, kind, not_below: None, default }
    }

    /// Documents an option that is true or false.
    pub const fn boolean(name: &'static str, about: &'static str, default: &'static str) -> OptionDoc {
        OptionDoc::of(name, OptionKind::Boolean, about, default)
    }

    /// Documents an integer between two values.
    pub const fn integer(
        name: &'static str,
        (minimum, maximum): (u32, u32),
        about: &'static str,
        default: &'static str,
    ) -> OptionDoc {
        OptionDoc::of(name, OptionKind::Integer(minimum, Some(maximum)), about, default)
    }

    /// Documents an integer of which only the least value is known before a debate is opened.
    pub const fn integer_from(
        name: &'static str,
        minimum: u32,
        about: &'static str,
        default: &'static str,
    ) -> OptionDoc {
        OptionDoc::of(name, OptionKind::Integer(minimum, None), about, default)
    }

    /// Documents a number between two values.
    pub const fn number(
        name: &'static str,
        (minimum, maximum): (f64, f64),
        about: &'static str,
        default: &'static str,
    ) -> OptionDoc {
        OptionDoc::of(name, OptionKind::Number(minimum, maximum), about, default)
    }

    /// Documents a text.
    pub const fn text(name: &'static str, about: &'static str, default: &'static str) -> OptionDoc {
        OptionDoc::of(name, OptionKind::Text, about, default)
    }

    /// Documents a choice among texts.
    pub const fn choice(
        name: &'static str,
        choices: &'static [&'static str],
        about: &'static str,
        default: &'static str,
    ) -> OptionDoc {
        OptionDoc::of(name, OptionKind::Choice(choices), about, default)
    }

    /// Documents a list of texts.
    pub const fn texts(name: &'static str, about: &'static str, default: &'static str) -> OptionDoc {
        OptionDoc::of(name, OptionKind::Texts, about, default)
    }

    /// Documents a JSON value.
    pub const fn json(name: &'static str, about: &'static str, default: &'static str) -> OptionDoc {
        OptionDoc::of(name, OptionKind::Json, about, default)
    }

    /// Adds that the option must not be less than another one.
    #[must_use]
    pub const fn at_least(self, option: &'static str) -> OptionDoc {
        OptionDoc { not_below: Some(option), ..self }
    }
}

/// Command that was understood but not granted. The reason is meant for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    /// Kind of refusal.
    pub kind: RefusalKind,
    /// Reason, and what would be granted.
    pub reason: String,
    /// The limit, if the kind is [`RefusalKind::Limit`].
    pub limit: Option<ExceededLimit>,
    /// Name of the option that was refused, if it was one.
    pub option: Option<String>,
}

/// A limit that a command would exceed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExceededLimit {
    /// Name of the limit.
    pub name: String,
    /// Highest allowed value.
    pub max: u64,
    /// Actual value.
    pub actual: u64,
}

/// Kinds of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The thing referred to does not exist.
    NotFound,
    /// The input is invalid.
    Invalid,
    /// The command is not possible in the present state.
    Conflict,
    /// A limit would be exceeded.
    Limit,
    /// The thing referred to existed and was erased.
    Erased,
}

impl Refusal {
    /// Creates a refusal of a kind, with its reason.
    pub fn new(kind: RefusalKind, reason: impl Into<String>) -> Self {
        Refusal { kind, reason: reason.into(), limit: None, option: None }
    }

    /// Creates a refusal of the kind [`RefusalKind::Limit`], with the name, the value and the actual amount.
    pub fn limit(name: &str, max: u64, actual: u64, reason: impl Into<String>) -> Self {
        let limit = Some(ExceededLimit { name: name.to_owned(), max, actual });
        Refusal { limit, ..Refusal::new(RefusalKind::Limit, reason) }
    }

    /// Creates a refusal of the kind [`RefusalKind::Invalid`].
    pub fn invalid(reason: impl Into<String>) -> Self {
        Refusal::new(RefusalKind::Invalid, reason)
    }

    /// The same refusal with the name of the option that it is about.
    #[must_use]
    pub fn of_option(self, name: &str) -> Self {
        Refusal { option: Some(name.chars().take(64).collect()), ..self }
    }
}

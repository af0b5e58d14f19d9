//! What an engine is.

use serde_json::Value;

use crate::events::event::{Event, Recorded};
use crate::events::lifecycle::{DebateOpened, Outcome};
use crate::events::receipt::{EffectKey, Ground};
use crate::kernel::effect::Effect;
use crate::kernel::likeness::Likeness;
use crate::kernel::reply::Unreadable;

/// One way of running a debate: a pure state machine over the debate's own events.
pub trait Engine: Send {
    /// Takes note of what happened. Never judges, never fails.
    fn evolve(&mut self, recorded: &Recorded);

    /// Says what comes next. All control flow of the engine is here.
    fn plan(&self) -> Plan;

    /// Turns an answer into facts. Chooses nothing that `plan` could choose.
    ///
    /// # Errors
    /// [`Unreadable`] where the reply is not what was asked for; it is asked for again, with the reason.
    fn decide(&self, key: &EffectKey, reply: &Reply) -> Result<Vec<Event>, Unreadable>;

    /// The texts whose likeness in meaning `decide` would use of this reply. Most replies need none.
    fn likened(&self, _key: &EffectKey, _text: &str) -> Vec<String> {
        Vec::new()
    }
}

/// What comes next.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Questions whose answers this state still lacks. They may run at once.
    Ask(Vec<Effect>),
    /// Facts that follow from the state alone: a phase entered, a dispute raised.
    Record(Vec<Event>),
    /// Nothing more would come of going on.
    Conclude(Outcome),
}

/// An answer, as an engine reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply<'a> {
    /// What was written.
    pub text: &'a str,
    /// The passages that the writer had: those it was given, and those it found by itself.
    pub grounds: Vec<Ground>,
    /// How alike the texts are that [`Engine::likened`] named; `None` where no embedder could tell.
    pub likeness: Option<&'a Likeness>,
}

/// An engine as the service knows it.
#[derive(Clone, Copy, Debug)]
pub struct Registration {
    /// Written into the opening event; never given to another engine.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Raised by hand whenever prompts or control flow change.
    pub revision: i32,
    /// How few and how many may take part.
    pub participants: (usize, usize),
    /// Its options.
    pub options: &'static [OptionDoc],
    /// The options with their defaults written out.
    pub normalize: fn(&Value) -> Result<Value, Refusal>,
    /// Starts it.
    pub start: fn(&DebateOpened) -> Result<Box<dyn Engine>, Refusal>,
}

/// An option of an engine, for people.
#[derive(Clone, Copy, Debug)]
pub struct OptionDoc {
    /// Its name.
    pub name: &'static str,
    /// What it does, its unit and its range.
    pub about: &'static str,
    /// Its default, as JSON.
    pub default: &'static str,
}

/// Understood, and not granted. People read it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    /// What kind of refusal it is.
    pub kind: RefusalKind,
    /// Why, and what would be granted.
    pub reason: String,
}

/// Kinds of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// There is no such thing.
    NotFound,
    /// What was given cannot be used.
    Invalid,
    /// Not in this state.
    Conflict,
    /// Too much of something.
    Limit,
    /// It was there, and was erased.
    Erased,
}

impl Refusal {
    /// A refusal of a kind, with its reason.
    pub fn new(kind: RefusalKind, reason: impl Into<String>) -> Self {
        Refusal { kind, reason: reason.into() }
    }

    /// What was given cannot be used.
    pub fn invalid(reason: impl Into<String>) -> Self {
        Refusal::new(RefusalKind::Invalid, reason)
    }
}

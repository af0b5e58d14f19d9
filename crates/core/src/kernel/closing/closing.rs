//! Closing tasks of a debate, and the effects that they still lack.

use std::collections::BTreeSet;

use crate::events::event::{Event, Recorded};
use crate::events::lifecycle::DebateOutcome;
use crate::events::receipt::EffectKey;
use crate::kernel::effect::Effect;
use crate::kernel::engine::EngineReply;
use crate::kernel::reply::Unreadable;
use crate::verdicts::read_model::DebateReadModel;

/// Occasion on which closing effects are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// The engine has ended the debate by itself.
    End,
    /// Somebody asked for an audit after the end.
    AuditRequested,
    /// Somebody asked for probes after the end.
    ProbesRequested,
}

/// Task that follows an engine's own end, or a request after it: a pure state machine over the debate's events, like an
/// engine, but without control flow. It is given the folded debate, which all tasks share.
pub trait ClosingTask: Send {
    /// Purposes of the effects of this task. No engine and no other task has effects of the same purposes.
    fn purposes(&self) -> &'static [&'static str];

    /// Returns true if the effects of this task are asked on an occasion.
    fn is_due(&self, occasion: Occasion) -> bool {
        occasion == Occasion::End
    }

    /// Applies an event to the task's own state, given the debate that includes the event. Makes no decisions and never
    /// fails.
    fn evolve(&mut self, _recorded: &Recorded, _debate: &DebateReadModel) {}

    /// Returns the effects of the task in the present state, those that were answered before included. They are asked
    /// once each, and may run concurrently. Their keys have `round` as their subject.
    fn effects(&self, debate: &DebateReadModel, round: u32) -> Vec<Effect>;

    /// Describes, in a clause, what a limit leaves out of the effects; `None` if nothing.
    fn left_out(&self) -> Option<String> {
        None
    }

    /// Returns the outcome with which the debate ends, given the engine's. A task may only take back what its answers
    /// refute.
    fn revise(&self, _debate: &DebateReadModel, outcome: DebateOutcome) -> DebateOutcome {
        outcome
    }

    /// Turns an answer into events.
    ///
    /// # Errors
    /// [`Unreadable`] if the reply does not have the requested form; it is requested again with the reason.
    fn decide(&self, debate: &DebateReadModel, key: &EffectKey, reply: &EngineReply) -> Result<Vec<Event>, Unreadable>;
}

/// Closing tasks of one debate.
#[derive(Default)]
pub struct Closing {
    tasks: Vec<Box<dyn ClosingTask>>,
    debate: DebateReadModel,
    /// Effects that were answered or abandoned.
    done: BTreeSet<EffectKey>,
    /// Number of times that the debate was forked, or that an audit or probes of it were requested. Each time begins a new
    /// round, in which everything is asked once more.
    begun: u32,
}

impl Closing {
    /// Creates the state for these tasks.
    pub fn new(tasks: Vec<Box<dyn ClosingTask>>) -> Closing {
        Closing { tasks, ..Closing::default() }
    }

    /// Applies an event.
    pub fn evolve(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::DebateForked(_) | Event::AuditRequested(_) | Event::ProbesRequested(_) => self.begun += 1,
            Event::EffectAnswered(it) if !it.ignored => drop(self.done.insert(it.key.clone())),
            Event::EffectAbandoned(it) => drop(self.done.insert(it.key.clone())),
            _ => {}
        }
        self.debate.apply(recorded);
        self.tasks.iter_mut().for_each(|task| task.evolve(recorded, &self.debate));
    }

    /// Returns true if closing effects follow an engine's end with this outcome: its own limit of rounds or turns
    /// included. Nothing more is asked after a limit of calls, tokens, money or time, or where replies fail.
    pub fn follows(outcome: &DebateOutcome) -> bool {
        use DebateOutcome::{Exhausted, Limit, Settled};
        matches!(outcome, Settled { .. } | Exhausted { .. } | Limit { .. })
    }

    /// Returns the closing effects that an occasion requires and that were neither answered nor abandoned.
    pub fn missing(&self, occasion: Occasion) -> Vec<Effect> {
        self.all(occasion).into_iter().filter(|effect| !self.done.contains(&effect.key)).collect()
    }

    /// Returns the outcome with which the debate ends, given the engine's.
    pub fn revise(&self, outcome: DebateOutcome) -> DebateOutcome {
        self.tasks.iter().fold(outcome, |outcome, task| task.revise(&self.debate, outcome))
    }

    /// Describes how the requests came out that an occasion after the end required, and what a limit left out of them.
    pub fn result(&self, occasion: Occasion, is_abandoned: impl Fn(&Effect) -> bool) -> String {
        let all = self.all(occasion);
        let abandoned = all.iter().filter(|effect| is_abandoned(effect)).count();
        let answered = match (all.len(), abandoned) {
            (0, _) if occasion == Occasion::ProbesRequested => "there is nothing to probe".to_owned(),
            (0, _) => "there are no words to read".to_owned(),
            (1, 0) => "the request was answered".to_owned(),
            (1, _) => "the request was abandoned".to_owned(),
            (n, 0) => format!("all {n} requests were answered"),
            (n, abandoned) => format!("{abandoned} of {n} requests were abandoned"),
        };
        let left_out = self.tasks.iter().filter(|task| task.is_due(occasion)).filter_map(|task| task.left_out());
        std::iter::once(answered).chain(left_out).collect::<Vec<_>>().join("; ")
    }

    /// Returns the closing effects that an occasion requires, those that were answered or abandoned included.
    pub fn all(&self, occasion: Occasion) -> Vec<Effect> {
        let tasks = self.tasks.iter().filter(|task| task.is_due(occasion));
        tasks.flat_map(|task| task.effects(&self.debate, self.begun + 1)).collect()
    }

    /// Turns an answer to a closing effect into events; `None` for effects of the engine. The inner result is an error if
    /// the reply does not have the requested form.
    pub fn decide(&self, key: &EffectKey, reply: &EngineReply) -> Option<Result<Vec<Event>, Unreadable>> {
        let task = self.tasks.iter().find(|task| task.purposes().contains(&key.purpose.as_str()))?;
        Some(task.decide(&self.debate, key, reply))
    }
}

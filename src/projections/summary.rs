//! A debate in a line: what it is about, how far it is, what it cost.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::edition::Edition;
use crate::events::event::{Event, Recorded};
use crate::events::fork::DebateForked;
use crate::events::ids::{DebateId, PersonaId};
use crate::events::lifecycle::{DebateOpened, Limits, Outcome};
use crate::events::receipt::{Answer, EffectKey};
use crate::projections::projection::Projection;

/// A debate in a line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The debate; `None` before its opening event.
    pub debate: Option<DebateId>,
    /// Where it goes on from, where it is a fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// What is debated.
    pub topic: String,
    /// The engine that runs it.
    pub engine: String,
    /// The engine's revision at opening.
    pub engine_revision: i32,
    /// Whoever answers.
    pub provider: String,
    /// Who takes part, in speaking order: id and name.
    pub participants: Vec<Participant>,
    /// What it may spend.
    pub limits: Limits,
    /// The seed of its choices.
    pub seed: u64,
    /// Where it is in its life.
    pub status: Status,
    /// The present phase, in the engine's words.
    pub phase: Option<String>,
    /// The present round.
    pub round: Option<u32>,
    /// The version of the last event seen.
    pub version: i64,
    /// When it was opened.
    pub opened_at: Option<DateTime<Utc>>,
    /// When its last event was recorded.
    pub updated_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// How it ended by itself.
    pub outcome: Option<Outcome>,
    /// Why somebody ended it.
    pub aborted: Option<String>,
    /// Turns taken by participants.
    pub n_turns: u32,
    /// Turns taken so far, interjections included: the number of the last.
    pub last_turn: u32,
    /// What it cost.
    pub usage: UsageTotals,
    /// Events of kinds, or in shapes, that this program does not know: what they say is in no view.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unknown_events: u32,
}

fn is_none(count: &u32) -> bool {
    *count == 0
}

/// Where a fork goes on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The debate that it comes from.
    pub debate: DebateId,
    /// The last version that both share.
    pub at: i64,
}

/// Who takes part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Participant {
    /// The persona.
    pub persona: PersonaId,
    /// Its name for people.
    pub name: String,
    /// Who this is, in a line.
    pub about: String,
    /// The version of the persona that the debate pinned.
    pub version: i32,
    /// The same with the versions of its contract and of its voice.
    #[serde(default)]
    pub edition: Edition,
    /// Whether it left when the debate was forked: what it said stands, and it says no more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left: bool,
}

/// Where a debate is in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Under way.
    #[default]
    Running,
    /// Somebody asked it to wait.
    Paused,
    /// Ended by itself.
    Concluded,
    /// Ended by somebody.
    Aborted,
}

impl Status {
    /// The status's name: `running`, `paused`, `concluded`, `aborted`.
    pub fn name(self) -> &'static str {
        match self {
            Status::Running => "running",
            Status::Paused => "paused",
            Status::Concluded => "concluded",
            Status::Aborted => "aborted",
        }
    }

    /// The one of this name; none where there is none.
    pub fn named(name: &str) -> Option<Status> {
        let all = [Status::Running, Status::Paused, Status::Concluded, Status::Aborted];
        all.into_iter().find(|it| it.name() == name)
    }

    /// Whether no event can follow.
    pub fn is_final(self) -> bool {
        matches!(self, Status::Concluded | Status::Aborted)
    }
}

/// What calls cost, together and by purpose.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UsageTotals {
    /// Over all purposes.
    pub total: Spent,
    /// By purpose, in the engine's words.
    pub by_purpose: BTreeMap<String, Spent>,
    /// By provider and model, answered calls only.
    pub by_model: BTreeMap<String, Spent>,
}

/// What some calls cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Requests.
    pub calls: u32,
    /// Requests that failed, or whose answers could not be read.
    pub failed: u32,
    /// Tokens read, cached ones included.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Money in millionths of a US dollar.
    pub cost_micros: u64,
    /// Time spent waiting, in milliseconds, summed over calls.
    pub millis: u64,
}

impl Spent {
    fn add(&mut self, answer: &Answer) {
        self.input_tokens += answer.usage.tokens() - answer.usage.output_tokens;
        self.output_tokens += answer.usage.output_tokens;
        self.cost_micros += answer.usage.cost_micros;
        self.millis += u64::from(answer.millis);
    }
}

impl UsageTotals {
    fn requested(&mut self, key: &EffectKey) {
        self.total.calls += 1;
        self.by_purpose.entry(key.purpose.clone()).or_default().calls += 1;
    }

    fn failed(&mut self, key: &EffectKey) {
        self.total.failed += 1;
        self.by_purpose.entry(key.purpose.clone()).or_default().failed += 1;
    }

    fn answered(&mut self, key: &EffectKey, answer: &Answer) {
        self.total.add(answer);
        self.by_purpose.entry(key.purpose.clone()).or_default().add(answer);
        let model = self.by_model.entry(answer.by.clone()).or_default();
        model.calls += 1;
        model.add(answer);
    }
}

impl Summary {
    /// Those who may still speak, in speaking order.
    pub fn present(&self) -> impl Iterator<Item = &Participant> {
        self.participants.iter().filter(|it| !it.left)
    }

    fn open(&mut self, recorded: &Recorded, opened: &DebateOpened) {
        self.debate = Some(recorded.debate);
        self.opened_at = Some(recorded.at);
        self.topic.clone_from(&opened.topic);
        self.engine.clone_from(&opened.engine);
        self.engine_revision = opened.engine_revision;
        self.provider.clone_from(&opened.provider);
        self.limits = opened.limits.clone();
        self.seed = opened.seed;
        let told = opened.participants.iter().map(|it| Participant {
            persona: it.id.clone(),
            name: it.name.clone(),
            about: it.about.clone(),
            version: it.version,
            edition: Edition::of(it),
            left: false,
        });
        self.participants = told.collect();
    }

    /// The history stays; the life of the debate begins again, and so does what it costs.
    fn fork(&mut self, recorded: &Recorded, forked: &DebateForked) {
        let before = std::mem::take(&mut self.participants);
        self.open(recorded, &forked.opened);
        let gone = before.into_iter().filter(|it| forked.opened.participants.iter().all(|now| now.id != it.persona));
        let gone: Vec<Participant> = gone.map(|it| Participant { left: true, ..it }).collect();
        self.participants.extend(gone);
        self.origin = Some(Origin { debate: forked.origin, at: forked.at });
        self.status = Status::Running;
        self.ended_at = None;
        self.outcome = None;
        self.aborted = None;
        self.usage = UsageTotals::default();
    }
}

impl Projection for Summary {
    const NAME: &'static str = "summary";
    const REVISION: i32 = 1;

    fn apply(&mut self, recorded: &Recorded) {
        self.version = recorded.version;
        self.updated_at = Some(recorded.at);
        match &recorded.event {
            Event::DebateOpened(opened) => self.open(recorded, opened),
            Event::DebateForked(forked) => self.fork(recorded, forked),
            Event::PhaseEntered(entered) => {
                self.phase = Some(entered.phase.clone());
                self.round = entered.round;
            }
            Event::DebatePaused(_) => self.status = Status::Paused,
            Event::DebateResumed(_) => self.status = Status::Running,
            Event::DebateConcluded(concluded) => {
                self.status = Status::Concluded;
                self.ended_at = Some(recorded.at);
                self.outcome = Some(concluded.outcome.clone());
            }
            Event::DebateAborted(aborted) => {
                self.status = Status::Aborted;
                self.ended_at = Some(recorded.at);
                self.aborted = Some(aborted.reason.clone());
            }
            Event::TurnTaken(taken) => {
                self.n_turns += 1;
                self.last_turn = self.last_turn.max(taken.turn.0);
            }
            Event::Interjected(said) => self.last_turn = self.last_turn.max(said.turn.0),
            Event::EffectRequested(requested) => self.usage.requested(&requested.key),
            Event::EffectAnswered(answered) => self.usage.answered(&answered.key, &answered.answer),
            Event::EffectFailed(failed) => {
                self.usage.failed(&failed.key);
                if let Some(answer) = &failed.answer {
                    self.usage.answered(&failed.key, answer);
                }
            }
            Event::Opaque(_) => self.unknown_events += 1,
            _ => {}
        }
    }
}

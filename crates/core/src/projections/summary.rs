//! Summary of a debate: topic, participants, status and cost.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::audit::AuditSetting;
use crate::events::edition::Edition;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{DebateId, PersonaId};
use crate::events::lifecycle::DebateForked;
use crate::events::lifecycle::{DebateLimits, DebateOpened, DebateOutcome};
use crate::events::receipt::{EffectKey, ProviderAnswer};
use crate::projections::projection::Projection;

/// Summary of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Id of the debate; `None` before its opening event.
    pub debate: Option<DebateId>,
    /// Origin of a fork; `None` for other debates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<ForkOrigin>,
    /// Topic of the debate.
    pub topic: String,
    /// Engine that runs the debate.
    pub engine: String,
    /// Revision of the engine at the opening.
    pub engine_revision: i32,
    /// Model provider.
    pub provider: String,
    /// Participants, in speaking order.
    pub participants: Vec<Participant>,
    /// Limits of the debate.
    pub limits: DebateLimits,
    /// Random seed.
    pub seed: u64,
    /// Setting of the audit.
    #[serde(default)]
    pub audit: AuditSetting,
    /// True while an audit that was requested after the end is under way.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_being_audited: bool,
    /// True while probes that were requested after the end are under way.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_being_probed: bool,
    /// Number of participants who must take one side of a dispute before it is common ground; `None` requires all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
    /// Number of searches that each participant may ask for before an answer.
    #[serde(default, skip_serializing_if = "is_none")]
    pub searches: u32,
    /// Corpus of which all participants are given passages; `None` for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_corpus: Option<PersonaId>,
    /// Status of the debate.
    pub status: Status,
    /// Current phase, as named by the engine.
    pub phase: Option<String>,
    /// Current round.
    pub round: Option<u32>,
    /// Version of the last event.
    pub version: i64,
    /// Time at which the debate was opened.
    pub opened_at: Option<DateTime<Utc>>,
    /// Time at which the last event was recorded.
    pub updated_at: Option<DateTime<Utc>>,
    /// Version of the event that ended the debate. Only audits and probes can follow it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<i64>,
    /// Time at which the debate ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// Outcome, if the debate concluded.
    pub outcome: Option<DebateOutcome>,
    /// Reason, if the debate was cancelled.
    pub cancelled: Option<String>,
    /// Number of turns taken by participants.
    pub n_turns: u32,
    /// Number of the last turn, including interjections.
    pub last_turn: u32,
    /// Usage of model calls.
    pub usage: UsageTotals,
    /// Number of events whose kind or schema this version does not know; they are in no read model.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unknown_events: u32,
}

fn is_none(count: &u32) -> bool {
    *count == 0
}

fn is_no_token(count: &u64) -> bool {
    *count == 0
}

/// Origin of a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkOrigin {
    /// Debate that was forked.
    pub debate: DebateId,
    /// Last version that both debates share.
    pub at: i64,
}

/// Participant of a debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Participant {
    /// Id of the persona.
    pub persona: PersonaId,
    /// Display name.
    pub name: String,
    /// Description in one line.
    pub about: String,
    /// Version of the persona that the debate pinned.
    pub version: i32,
    /// Pinned version with the versions of contract and voice.
    #[serde(default)]
    pub edition: Edition,
    /// Model chosen for the participant; `None` if the provider's own answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// True if the participant left with a fork: earlier turns remain, but there are no more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left: bool,
}

/// Status of a debate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Running.
    #[default]
    Running,
    /// Paused by a command.
    Paused,
    /// Ended by its engine or by a limit.
    Concluded,
    /// Ended by a command.
    Cancelled,
}

impl Status {
    /// Name of the status: `running`, `paused`, `concluded`, `cancelled`.
    pub fn name(self) -> &'static str {
        match self {
            Status::Running => "running",
            Status::Paused => "paused",
            Status::Concluded => "concluded",
            Status::Cancelled => "cancelled",
        }
    }

    /// Finds the status with this name.
    pub fn named(name: &str) -> Option<Status> {
        let all = [Status::Running, Status::Paused, Status::Concluded, Status::Cancelled];
        all.into_iter().find(|status| status.name() == name)
    }

    /// True if the debate has ended. No event can follow but those of an audit or of probes.
    pub fn is_final(self) -> bool {
        matches!(self, Status::Concluded | Status::Cancelled)
    }
}

/// Usage of model calls, in total and by purpose and model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UsageTotals {
    /// Usage for all purposes.
    pub total: Spent,
    /// Usage by purpose, as named by the engine.
    pub by_purpose: BTreeMap<String, Spent>,
    /// Usage by provider and model; answered calls only.
    pub by_model: BTreeMap<String, Spent>,
}

/// Usage of a set of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Number of requests.
    pub calls: u32,
    /// Number of requests that failed or whose replies could not be decoded.
    pub failed: u32,
    /// Number of input tokens, including cached ones.
    pub input_tokens: u64,
    /// Number of output tokens.
    pub output_tokens: u64,
    /// Cost in millionths of a US dollar.
    pub cost_micros: u64,
    /// Total latency of the calls, in milliseconds.
    pub millis: u64,
    /// Number of calls some of whose token counts are estimated.
    #[serde(default, skip_serializing_if = "is_none")]
    pub estimated: u32,
    /// Number of calls of unknown price, whose cost counts as 0.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unpriced: u32,
    /// Number of input tokens that the provider read from its cache.
    #[serde(default, skip_serializing_if = "is_no_token")]
    pub cached_tokens: u64,
    /// Number of tokens, read and written, of answers that could not be used, or were no longer needed.
    #[serde(default, skip_serializing_if = "is_no_token")]
    pub unused_tokens: u64,
}

impl Spent {
    fn add(&mut self, answer: &ProviderAnswer) {
        self.input_tokens += answer.usage.tokens() - answer.usage.output_tokens;
        self.output_tokens += answer.usage.output_tokens;
        self.cost_micros += answer.usage.cost_micros;
        self.millis += u64::from(answer.millis);
        self.estimated += u32::from(answer.usage.estimated);
        self.unpriced += u32::from(answer.usage.unpriced);
        self.cached_tokens += answer.usage.cache_read_tokens;
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

    fn answered(&mut self, key: &EffectKey, answer: &ProviderAnswer) {
        self.total.add(answer);
        self.by_purpose.entry(key.purpose.clone()).or_default().add(answer);
        let model = self.by_model.entry(answer.by.clone()).or_default();
        model.calls += 1;
        model.add(answer);
    }

    fn unusable(&mut self, key: &EffectKey, answer: &ProviderAnswer) {
        let tokens = answer.usage.tokens();
        self.total.unused_tokens += tokens;
        self.by_purpose.entry(key.purpose.clone()).or_default().unused_tokens += tokens;
        self.by_model.entry(answer.by.clone()).or_default().unused_tokens += tokens;
    }
}

impl Summary {
    /// Number of participants who must take one side of a dispute before it is common ground: the debate's setting, or
    /// else all who have not left.
    pub fn required_quorum(&self) -> usize {
        self.quorum.map_or_else(|| self.present().count(), |quorum| quorum as usize)
    }

    /// Participants who have not left, in speaking order.
    pub fn present(&self) -> impl Iterator<Item = &Participant> {
        self.participants.iter().filter(|participant| !participant.left)
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
        self.audit = AuditSetting::of(opened);
        self.quorum = opened.quorum();
        (self.searches, self.shared_corpus) = (opened.searches(), opened.shared_corpus());
        let pinned = opened.participants.iter().map(|participant| Participant {
            persona: participant.id.clone(),
            name: participant.name.clone(),
            about: participant.about.clone(),
            version: participant.version,
            edition: Edition::of(participant),
            model: opened.models.get(&participant.id).cloned(),
            left: false,
        });
        self.participants = pinned.collect();
    }

    /// Applies a fork: history remains, while participants, status and usage start anew.
    fn fork(&mut self, recorded: &Recorded, forked: &DebateForked) {
        let before = std::mem::take(&mut self.participants);
        self.open(recorded, &forked.opened);
        let gone = before
            .into_iter()
            .filter(|participant| forked.opened.participants.iter().all(|now| now.id != participant.persona));
        let gone: Vec<Participant> = gone.map(|participant| Participant { left: true, ..participant }).collect();
        self.participants.extend(gone);
        self.origin = Some(ForkOrigin { debate: forked.origin, at: forked.at });
        self.status = Status::Running;
        (self.end, self.ended_at) = (None, None);
        self.outcome = None;
        self.cancelled = None;
        (self.is_being_audited, self.is_being_probed) = (false, false);
        self.usage = UsageTotals::default();
    }
}

impl Projection for Summary {
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
            Event::AuditRequested(_) => self.is_being_audited = true,
            Event::AuditConcluded(_) => self.is_being_audited = false,
            Event::ProbesRequested(_) => self.is_being_probed = true,
            Event::ProbesConcluded(_) => self.is_being_probed = false,
            Event::DebatePaused(_) => self.status = Status::Paused,
            Event::DebateResumed(_) => self.status = Status::Running,
            Event::DebateConcluded(concluded) => {
                self.status = Status::Concluded;
                self.end = Some(recorded.version);
                self.ended_at = Some(recorded.at);
                self.outcome = Some(concluded.outcome.clone());
            }
            Event::DebateAborted(aborted) => {
                self.status = Status::Cancelled;
                self.end = Some(recorded.version);
                self.ended_at = Some(recorded.at);
                self.cancelled = Some(aborted.reason.clone());
            }
            Event::TurnTaken(taken) => {
                self.n_turns += 1;
                self.last_turn = self.last_turn.max(taken.turn.0);
            }
            Event::Interjected(said) => self.last_turn = self.last_turn.max(said.turn.0),
            Event::EffectRequested(requested) => self.usage.requested(&requested.key),
            Event::EffectAnswered(answered) => {
                self.usage.answered(&answered.key, &answered.answer);
                if answered.ignored {
                    self.usage.unusable(&answered.key, &answered.answer);
                }
            }
            Event::SearchRequested(asked) => self.usage.answered(&asked.key, &asked.answer),
            Event::EffectFailed(failed) => {
                self.usage.failed(&failed.key);
                if let Some(answer) = &failed.answer {
                    self.usage.answered(&failed.key, answer);
                    self.usage.unusable(&failed.key, answer);
                }
            }
            Event::Opaque(_) => self.unknown_events += 1,
            _ => {}
        }
    }
}

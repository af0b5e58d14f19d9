//! Model provider that plays personas from their annotated writings.

use std::sync::Arc;

use serde_json::Value;

use crate::offline::cast::{Cast, CastMember};
use crate::offline::clerk::{arguments, comparison, disputes, judgement, rooms};
use crate::offline::facts::Facts;
use crate::offline::portrait::portrayed;
use crate::offline::talk::{Answer, Speaker};
use crate::offline::{audit, board, dialectic, graph, phrases, probes, talk};
use crate::ports::{Corpora, Model, Pending};
use faultline_core::events::receipt::{Failure, FailureKind, PassageRef, ProviderAnswer, Usage};
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::task::{Task, TaskKind};
use faultline_core::positions::model::{AllPositions, TopicPositions};
use faultline_core::positions::playable::{ANNOTATIONS, OFFLINE};

/// Name of the rules by which the provider answers.
const BY: &str = "offline/positions-1";

/// Maximum number of disagreements in an answer to the detector.
const MAX_DISAGREEMENTS: usize = 4;

/// Provider of personas that play from their annotated writings, without any language model.
pub struct Offline {
    corpora: Arc<dyn Corpora>,
    positions: Arc<AllPositions>,
}

impl Offline {
    /// Creates a provider that plays these positions and cites these corpora.
    pub fn new(corpora: Arc<dyn Corpora>, positions: Arc<AllPositions>) -> Self {
        Offline { corpora, positions }
    }

    async fn answer(&self, ask: &EffectAttempt) -> Result<ProviderAnswer, Failure> {
        let task = &ask.prompt.task;
        if let TaskKind::Portray(material) = &task.work {
            return portrayed(material);
        }
        if let TaskKind::CheckClaim { claim, speaker } = &task.work {
            let facts = Facts::of(&self.positions, &task.topic);
            let (reply, grounds) = facts.check(claim, speaker, &task.topic, self.corpora.as_ref(), ask).await?;
            return Ok(answered(ANNOTATIONS, &reply, grounds));
        }
        if let TaskKind::ExtractClaims { turn, most } = &task.work {
            let reply = Facts::of(&self.positions, &task.topic).extract(turn, *most);
            return Ok(answered(BY, &reply, Vec::new()));
        }
        let cast = Cast::of(task, &self.positions, self.corpora.as_ref()).await?;
        let (reply, grounds) = answer(&cast, task, ask)?;
        let by = if is_read_by_annotations(&task.work) { ANNOTATIONS } else { BY };
        Ok(answered(by, &reply, grounds))
    }
}

/// Returns true for tasks whose answers are what annotations say.
fn is_read_by_annotations(work: &TaskKind) -> bool {
    matches!(
        work,
        TaskKind::ReadWords { .. }
            | TaskKind::ProbeContract { .. }
            | TaskKind::ProbeContradictions { .. }
            | TaskKind::RateStatements { .. }
    )
}

fn answered(by: &str, reply: &Value, grounds: Vec<PassageRef>) -> ProviderAnswer {
    ProviderAnswer {
        by: by.to_owned(),
        text: reply.to_string(),
        usage: Usage::default(),
        millis: 0,
        request_id: None,
        tries: 1,
        grounds,
    }
}

impl Model for Offline {
    fn name(&self) -> &str {
        OFFLINE
    }

    fn about(&self) -> String {
        "no language model: personas play from annotated writings, which state their claims and how they answer each other"
            .to_owned()
    }

    fn is_reproducible(&self) -> bool {
        true
    }

    fn reads_by_annotations(&self) -> bool {
        true
    }

    fn complete<'a>(&'a self, ask: &'a EffectAttempt) -> Pending<'a, ProviderAnswer> {
        Box::pin(self.answer(ask))
    }
}

fn answer(cast: &Cast, task: &Task, ask: &EffectAttempt) -> Answer {
    let speaker = || speaker(cast, task);
    match &task.work {
        TaskKind::OpenWithArguments => graph::open(cast, speaker()?, ask),
        TaskKind::Attack { round, arguments, attacks } => {
            graph::attack(cast, speaker()?, *round, (arguments, attacks), ask)
        }
        TaskKind::JudgeAttacks { arguments, attacks } => clerk(judgement::judge(cast, arguments, attacks)?),
        TaskKind::Draft { rejected } => dialectic::draft(cast, speaker()?, rejected, ask),
        TaskKind::Criticize { proposal } => dialectic::criticize(cast, speaker()?, proposal, ask),
        TaskKind::Synthesize { proposal } => dialectic::synthesize(cast, speaker()?, proposal, ask),
        TaskKind::WriteTalk { most } => talk::write(cast, *most as usize, ask),
        TaskKind::OpenTalk => talk::open(cast, speaker()?, ask),
        TaskKind::Speak(told) => Speaker::new(cast, speaker()?, told, ask).turn(),
        TaskKind::EnterRoom(told) => match &told.room {
            Some(room) => Speaker::new(cast, speaker()?, told, ask).enter(room),
            None => Err(hopeless("this task has no room")),
        },
        TaskKind::Close(told) => Speaker::new(cast, speaker()?, told, ask).close(),
        TaskKind::AnswerCrux(told) => Speaker::new(cast, speaker()?, told, ask).answer_agreed(),
        TaskKind::Crystallize { turns, arguments, attacks, most } => {
            clerk(arguments::distil(cast, turns, arguments, attacks, *most))
        }
        TaskKind::CrystallizeDisputes { turns, disputes, reasons, most } => {
            clerk(disputes::distil(cast, &task.topic, turns, (disputes, reasons), *most))
        }
        TaskKind::DetectDisagreements { turns, discussed, each_pair, .. } => {
            clerk(rooms::detect(cast, turns, (discussed, *each_pair), MAX_DISAGREEMENTS))
        }
        TaskKind::NameAspects { turns, dispute, participants, most } => {
            clerk(rooms::aspects(cast, turns, (&dispute.question, participants), *most))
        }
        TaskKind::DecomposeTopic { most } => clerk(board::decompose(cast, *most)),
        TaskKind::StateStances(told) => Speaker::new(cast, speaker()?, told, ask).state_stances(),
        TaskKind::StateIntent(told) => Ok((Speaker::new(cast, speaker()?, told, ask).intent()?, Vec::new())),
        TaskKind::CheckExit { turns, dispute } => clerk(rooms::check_exit(cast, turns, dispute)),
        TaskKind::ExtractCard { turns, disputes, reasons } => {
            clerk(rooms::extract(cast, &task.topic, turns, (disputes, reasons)))
        }
        TaskKind::ArgueSide { talk, side, refuted, most_words } => {
            Speaker::new(cast, speaker()?, talk, ask).argue(*side, refuted, *most_words as usize)
        }
        TaskKind::Compare { pairs } => clerk(comparison::compare(cast, pairs)),
        TaskKind::ReadWords { items } => {
            let topics: Vec<&TopicPositions> = cast.members.iter().map(|member| &member.topic).collect();
            clerk(audit::read(&topics, phrases::STATED_SIDES, items))
        }
        TaskKind::ProbeContract { .. } => clerk(probes::contract()),
        TaskKind::ProbeContradictions { pairs } => clerk(probes::contradictions(pairs)),
        TaskKind::RateStatements { statements } => {
            let member = task.speaker.as_ref().and_then(|id| cast.member(id));
            clerk(probes::ratings(member.map(|member| &member.topic), statements))
        }
        TaskKind::CheckClaim { .. } | TaskKind::ExtractClaims { .. } => {
            Err(hopeless("facts are checked without a cast"))
        }
        TaskKind::Portray(_) => Err(hopeless("a portrait is drafted without a debate")),
        TaskKind::PointAtSentences => Err(hopeless("positions are drafted by a model; choose another provider")),
        TaskKind::SuggestQuestions => Err(hopeless("questions are suggested by a model; choose another provider")),
    }
}

fn clerk(reply: Value) -> Answer {
    Ok((reply, Vec::new()))
}

/// Returns the speaker of a task.
///
/// # Errors
/// [`FailureKind::Hopeless`] if the speaker has no positions on the topic.
fn speaker<'a>(cast: &'a Cast, task: &Task) -> Result<&'a CastMember, Failure> {
    let Some(id) = &task.speaker else { return Err(hopeless("this task has no speaker")) };
    cast.member(id).ok_or_else(|| {
        hopeless(format!(
            "{id} has no positions on {:?}, and the offline provider plays annotated writings only; choose a topic of \
             `faultline persona list`, other personas, or another provider",
            task.topic
        ))
    })
}

fn hopeless(message: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Hopeless, message)
}

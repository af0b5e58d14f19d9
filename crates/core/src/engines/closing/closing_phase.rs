//! Course of the closing phase, and the requests that it makes.
//!
//! ```text
//! closing    every participant: where they stand on the topic now, and the crux             (concurrently)
//! answers    if several named the same crux, every participant: where they stand on it      (concurrently)
//! ```

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use crate::engines::closing::context::ClosingContext;
use crate::engines::closing::crux_answer::{self, CruxAnswerReply};
use crate::engines::closing::last_words::{self, LastWordsReply};
use crate::engines::shared::agreed_crux::after_last_words;
use crate::engines::shared::manner::Brevity;
use crate::engines::shared::persona_prompts::TurnKind;
use crate::engines::shared::view_prompts::{self, DisplayNames};
use crate::engines::talk::crux_dispute::{dispute_about, question_asked};
use crate::engines::talk::prompts;
use crate::engines::talk::replies::decode::noted;
use crate::engines::talk::speeches::Speeches;
use crate::engines::talk::state::Talk;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{DisputeId, PersonaId};
use crate::events::lifecycle::{ANSWERS, CLOSING, DebateOpened, DebateOutcome, PhaseEntered};
use crate::events::persona::Persona;
use crate::events::receipt::EffectKey;
use crate::kernel::effect::{Effect, effect_key};
use crate::kernel::engine::{EngineReply, Plan};
use crate::kernel::prompt::PromptTemplates;
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;
use crate::kernel::schema;
use crate::kernel::task::{DisputeInput, TalkInput, TaskKind, TurnInput};
use crate::projections::crux_proposals::{CruxProposals, ProposedCrux};
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::projection::Projection;
use crate::projections::transcript::Transcript;

/// Prompt templates of the closing phase.
pub const WORDS: PromptTemplates = PromptTemplates(include_str!("closing.md"));

/// Number of turns shown in a request.
const LAST_TURNS: usize = 8;

/// Stage of the closing phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Last words.
    LastWords,
    /// Answers to the questions that several participants named as the crux.
    Answers,
}

impl Stage {
    /// Name of its phase in the log.
    fn phase(self) -> &'static str {
        match self {
            Stage::LastWords => CLOSING,
            Stage::Answers => ANSWERS,
        }
    }

    /// Purpose of its effects.
    fn purpose(self) -> &'static str {
        match self {
            Stage::LastWords => "close",
            Stage::Answers => "answer",
        }
    }

    fn by(matches: impl Fn(Stage) -> bool) -> Option<Stage> {
        [Stage::LastWords, Stage::Answers].into_iter().find(|stage| matches(*stage))
    }
}

/// Request to a speaker in the closing phase: the task as text and as data, and the schema of the reply.
pub struct ClosingRequest {
    /// Purpose of the effect.
    pub purpose: &'static str,
    /// Text of the prompt, without the persona.
    pub text: String,
    /// JSON Schema of the reply.
    pub schema: Value,
    /// Name of the schema.
    pub schema_name: &'static str,
    /// The task as data.
    pub work: TaskKind,
    /// Texts for the passage query.
    pub about: Vec<String>,
}

impl ClosingRequest {
    /// Makes the effect of a speaker's request, in the manners of a talk.
    pub fn effect(self, talk: &Talk, speaker: &Persona) -> Effect {
        let speeches = Speeches { talk };
        let (key, schema) = (effect_key(self.purpose, &speaker.id, 0), (self.schema, self.schema_name));
        let asked = speeches.asked(speaker, TurnKind::Closing, self.text, schema, self.work);
        speeches.effect(key, speaker, asked, &self.about)
    }
}

/// Closing phase of a debate.
pub struct ClosingPhase {
    topic: (DisputeId, String),
    brevity: Brevity,
    participants: Vec<Persona>,
    names: DisplayNames,
    transcript: Transcript,
    disputes: DisputeGraph,
    cruxes: CruxProposals,
    /// The present stage, with the transcript and the disputes at its start. Its requests are made side by side, each from
    /// them, so that a request that is repeated after a restart is the same. `None` before the closing phase.
    stage: Option<(Stage, Transcript, DisputeGraph)>,
    /// Effects of the closing phase that were answered or abandoned.
    finished: BTreeSet<(String, String)>,
}

impl ClosingPhase {
    /// Creates the phase of a debate whose topic is asked by this dispute.
    pub fn new(opened: &DebateOpened, topic: DisputeId) -> ClosingPhase {
        ClosingPhase {
            topic: (topic, opened.topic.clone()),
            brevity: opened.options.get("brevity").and_then(|it| Brevity::deserialize(it).ok()).unwrap_or_default(),
            participants: opened.participants.clone(),
            names: DisplayNames::new(&opened.participants),
            transcript: Transcript::default(),
            disputes: DisputeGraph::default(),
            cruxes: CruxProposals::default(),
            stage: None,
            finished: BTreeSet::new(),
        }
    }

    /// The turns so far.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// The disputes so far.
    pub fn disputes(&self) -> &DisputeGraph {
        &self.disputes
    }

    /// Display names of the participants.
    pub fn names(&self) -> &DisplayNames {
        &self.names
    }

    /// Returns true for the effects of this phase.
    pub fn owns(key: &EffectKey) -> bool {
        Stage::by(|stage| stage.purpose() == key.purpose).is_some()
    }

    /// Returns true if the event enters one of the stages.
    pub fn is_entered_by(entered: &PhaseEntered) -> bool {
        Stage::by(|stage| stage.phase() == entered.phase).is_some()
    }

    /// Applies an event.
    pub fn evolve(&mut self, recorded: &Recorded) {
        self.transcript.apply(recorded);
        self.disputes.apply(recorded);
        self.cruxes.apply(recorded);
        match &recorded.event {
            Event::PhaseEntered(entered) => match Stage::by(|stage| stage.phase() == entered.phase) {
                Some(stage) => self.stage = Some((stage, self.transcript.clone(), self.disputes.clone())),
                // A fork can continue after last words.
                None => {
                    self.stage = None;
                    self.finished.clear();
                }
            },
            Event::EffectAnswered(it) if !it.ignored => self.finish(&it.key),
            Event::EffectAbandoned(it) => self.finish(&it.key),
            _ => {}
        }
    }

    fn finish(&mut self, key: &EffectKey) {
        if ClosingPhase::owns(key) {
            self.finished.insert((key.purpose.clone(), key.subject.clone()));
        }
    }

    /// Returns the next step before a debate ends with this outcome. A debate that failed ends without last words.
    pub fn plan<'a>(
        &self,
        outcome: DebateOutcome,
        speakers: impl Iterator<Item = &'a Persona>,
        ask: impl Fn(&Persona, ClosingRequest) -> Effect,
    ) -> Plan {
        if matches!(outcome, DebateOutcome::Failed { .. }) {
            return Plan::Conclude(outcome);
        }
        let Some((stage, transcript, disputes)) = &self.stage else {
            return Plan::Record(vec![entered(Stage::LastWords)]);
        };
        let is_missing =
            |speaker: &&Persona| !self.finished.contains(&(stage.purpose().to_owned(), speaker.id.as_str().to_owned()));
        let asked: Vec<Effect> = speakers
            .filter(is_missing)
            .map(|speaker| ask(speaker, self.request(*stage, transcript, disputes)))
            .collect();
        if !asked.is_empty() {
            return Plan::Ask(asked);
        }
        let raised = self.questions_to_raise();
        if *stage == Stage::LastWords && !(raised.is_empty() && self.shared_disputes(disputes).is_empty()) {
            return Plan::Record(raised.into_iter().chain([entered(Stage::Answers)]).collect());
        }
        Plan::Conclude(after_last_words(outcome, &self.cruxes, &self.participants))
    }

    /// Decodes a reply of the closing phase into events.
    ///
    /// # Errors
    /// [`Unreadable`] if the reply is not of its schema, or its text is empty, too long, or a turn of somebody else.
    pub fn decide(
        &self,
        key: &EffectKey,
        speaker: &PersonaId,
        round: u32,
        given: &EngineReply,
    ) -> Result<Vec<Event>, Unreadable> {
        let at = ClosingContext {
            transcript: &self.transcript,
            heard: self.stage.as_ref().map_or(&self.transcript, |(_, transcript, _)| transcript),
            topic: (self.topic.0, self.topic.1.as_str()),
            disputes: &self.disputes,
            shared: self.shared_disputes(&self.disputes),
            cruxes: &self.cruxes,
            names: &self.names,
            turn: self.transcript.next_turn(),
            speaker,
            round,
            grounds: &given.grounds,
        };
        match Stage::by(|stage| stage.purpose() == key.purpose) {
            Some(Stage::LastWords) => last_words::closed(&at, reply::read::<LastWordsReply>(given.text)?.value),
            Some(Stage::Answers) => crux_answer::answered(&at, reply::read::<CruxAnswerReply>(given.text)?.value),
            None => Err(Unreadable::because(format!("{key} is not an effect of the closing phase"))),
        }
    }

    fn request(&self, stage: Stage, transcript: &Transcript, disputes: &DisputeGraph) -> ClosingRequest {
        let latest = transcript.turns.len().saturating_sub(LAST_TURNS);
        let turns: Vec<TurnInput> = transcript.turns[latest..].iter().map(|turn| prompts::turn(turn, false)).collect();
        let shared = self.shared_disputes(disputes);
        let asked: Vec<DisputeInput> = prompts::disputes(disputes)
            .into_iter()
            .filter(|asked| match stage {
                Stage::LastWords => asked.alias == self.topic.0.to_string(),
                Stage::Answers => shared.iter().any(|dispute| asked.alias == dispute.to_string()),
            })
            .collect();
        let values = [
            ("topic", self.topic.1.as_str()),
            ("turns", &prompts::turn_lines(&turns, &self.names)),
            ("interjections", &view_prompts::interjections(transcript)),
            ("dispute", &self.topic.0.to_string()),
            ("length", self.brevity.speech()),
            ("disputes", &prompts::dispute_lines(&asked, &self.names)),
        ];
        let (schema, schema_name) = match stage {
            Stage::LastWords => (schema::strict::<LastWordsReply>(), "last_words"),
            Stage::Answers => (schema::strict::<CruxAnswerReply>(), "crux_answer"),
        };
        let closed = [("dispute", asked.iter().map(|dispute| dispute.alias.clone()).collect())];
        let questions = asked.iter().map(|dispute| dispute.question.clone()).collect();
        let told = TalkInput { turns, disputes: asked, ..TalkInput::default() };
        ClosingRequest {
            purpose: stage.purpose(),
            text: WORDS.fill(stage.purpose(), &values),
            schema: schema::closed(schema, &closed),
            schema_name,
            work: match stage {
                Stage::LastWords => TaskKind::Close(told),
                Stage::Answers => TaskKind::AnswerCrux(told),
            },
            about: questions,
        }
    }

    /// Questions of shared cruxes that no dispute asks yet, as events.
    fn questions_to_raise(&self) -> Vec<Event> {
        let mut disputes = self.disputes.clone();
        let mut raised = Vec::new();
        for (crux, turn) in self.cruxes.shared() {
            if let Some(event) = question_asked(&disputes, &self.proposer(crux), crux, turn) {
                disputes.apply(&noted(&event));
                raised.push(event);
            }
        }
        raised
    }

    /// Disputes among these that ask the question of a shared crux.
    fn shared_disputes(&self, disputes: &DisputeGraph) -> Vec<DisputeId> {
        let shared = self.cruxes.shared();
        let asked = shared.filter_map(|(crux, _)| dispute_about(disputes, &self.proposer(crux), crux));
        // Two cruxes may ask the same.
        asked.collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn proposer(&self, crux: &ProposedCrux) -> String {
        self.names.of(&crux.proposed.speaker)
    }
}

fn entered(stage: Stage) -> Event {
    Event::PhaseEntered(PhaseEntered::new(stage.phase(), None, None))
}

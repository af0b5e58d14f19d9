//! The graph engine: arguments and attacks in rounds, evaluated by Dung's semantics.
//!
//! ```text
//! opening     every participant: a stance on the topic, two to four arguments       (concurrently)
//! round r     every participant: up to four attacks, each with a counter-argument   (concurrently)
//!             one judge: which attacks are valid, and how strong they are
//!             stop when nothing changed, when no valid attack came, or when the rounds are spent
//! closing     every participant: last words, and an answer to the crux that they agreed on
//! ```
//!
//! The verdict is computed. For n participants and r rounds there are at most `1 + 3n + r(n + 1)` effects, not counting
//! retries. The closing phase is described in [`crate::engines::closing::closing_phase`].

use std::collections::BTreeSet;

use serde_json::Value;

use crate::engines::closing::closing_phase::{ClosingPhase, ClosingRequest};
use crate::engines::graph::context::GraphContext;
use crate::engines::graph::decode as reading;
use crate::engines::graph::schema::{AttacksReply, JudgementsReply, OpeningReply};
use crate::engines::graph::settings::{GraphOptions, OPTIONS, read_options};
use crate::engines::graph::shown;
use crate::engines::shared::effect_names;
use crate::engines::shared::options;
use crate::engines::shared::persona_prompts::{self, TurnKind};
use crate::engines::shared::view_prompts;
use crate::events::argument::ArgumentPart;
use crate::events::dispute::DisputeRaised;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{ArgumentId, DisputeId, PersonaId};
use crate::events::lifecycle::{DebateOpened, DebateOutcome, PhaseEntered};
use crate::events::persona::Persona;
use crate::events::receipt::{EffectKey, FailureKind, Tier};
use crate::kernel::effect::{AddedQueries, Effect, PassageQuery, Responder, effect_key};
use crate::kernel::engine::{Driver, Engine, EngineRegistration, EngineReply, Plan};
use crate::kernel::prompt::{Prompt, PromptTemplates, with_persona};
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;
use crate::kernel::schema;
use crate::kernel::task::{ArgumentInput, Task, TaskKind};
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::projection::Projection;
use faultline_argumentation::labelling::Label;

/// Registration of the engine.
pub const REGISTRATION: EngineRegistration = EngineRegistration {
    name: "graph",
    about: "arguments and attacks in rounds, judged by Dung's semantics",
    revision: 12,
    participants: (2, 12),
    driver: Driver::Service,
    options: OPTIONS,
    normalize: |given| read_options(given).map(|settings| options::with_defaults(&settings)),
    start: |opened| Ok(Box::new(Graph::new(opened, read_options(&opened.options)?))),
};

/// Prompt templates of the engine.
pub const WORDS: PromptTemplates = PromptTemplates(include_str!("graph.md"));

/// Id of the dispute about the debate's topic.
const TOPIC: DisputeId = DisputeId(1);

/// Maximum number of claims of others in a speaker's passage query.
const MAX_UNDER_FIRE: usize = 3;

const OPEN: &str = "open";
const ATTACK: &str = "attack";
const JUDGE: &str = "judge";

struct Graph {
    topic: String,
    seed: u64,
    participants: Vec<Persona>,
    options: GraphOptions,
    graph: ArgumentGraph,
    /// The graph at the start of the present round, as shown to its speakers.
    before: ArgumentGraph,
    closing: ClosingPhase,
    /// The graph at the start of the closing phase, on which the debate ended; `None` before it.
    closed: Option<ArgumentGraph>,
    /// The present round; 0 is the opening, `None` is before it.
    round: Option<u32>,
    answered: BTreeSet<EffectKey>,
    abandoned: BTreeSet<EffectKey>,
    /// Calls whose latest attempt failed because the reply only repeated a turn.
    echoed: BTreeSet<EffectKey>,
}

impl Engine for Graph {
    fn evolve(&mut self, recorded: &Recorded) {
        self.graph.apply(recorded);
        self.closing.evolve(recorded);
        match &recorded.event {
            Event::PhaseEntered(entered) if ClosingPhase::is_entered_by(entered) => {
                self.closed.get_or_insert_with(|| self.graph.clone());
            }
            Event::PhaseEntered(entered) => {
                // A fork can continue after last words.
                self.closed = None;
                self.round = Some(entered.round.unwrap_or(0));
                self.before = self.graph.clone();
            }
            Event::EffectAnswered(it) if !it.ignored => drop(self.answered.insert(it.key.clone())),
            Event::EffectAbandoned(it) => drop(self.abandoned.insert(it.key.clone())),
            Event::EffectFailed(it) if it.failure.kind == FailureKind::Repeated => {
                self.echoed.insert(it.key.clone());
            }
            Event::EffectFailed(it) => drop(self.echoed.remove(&it.key)),
            _ => {}
        }
    }

    fn plan(&self) -> Plan {
        let Some(round) = self.round else {
            return self.enter("opening", None, Some(self.topic_dispute()));
        };
        let purpose = if round == 0 { OPEN } else { ATTACK };
        let missing: Vec<&Persona> =
            self.speakers().filter(|speaker| self.is_missing(&effect_key(purpose, &speaker.id, round))).collect();
        if !missing.is_empty() {
            return Plan::Ask(missing.into_iter().map(|speaker| self.speech(speaker, round)).collect());
        }
        if self.speakers().count() < 2 {
            let reason = "fewer than two participants opened with arguments".to_owned();
            return Plan::Conclude(DebateOutcome::Stalled { reason });
        }
        if round > 0 && self.has_unjudged() && self.is_missing(&effect_key(JUDGE, "clerk", round)) {
            return Plan::Ask(vec![self.judgement(round)]);
        }
        match self.end_of(round) {
            Some(outcome) => {
                self.closing.plan(outcome, self.speakers(), |speaker, asked| self.last_words(speaker, asked))
            }
            None => self.enter("attacks", Some(round + 1), None),
        }
    }

    fn decide(&self, key: &EffectKey, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        let speaker = || self.participants.iter().map(|speaker| &speaker.id).find(|id| id.as_str() == key.subject);
        let at = GraphContext {
            graph: &self.graph,
            shown: &self.before,
            transcript: self.closing.transcript(),
            names: self.closing.names(),
            topic: TOPIC,
            question: &self.topic,
            turn: self.closing.transcript().next_turn(),
            round: key.ordinal,
            grounds: &reply.grounds,
        };
        match (key.purpose.as_str(), speaker()) {
            (OPEN, Some(speaker)) => reading::opened(&at, speaker, reply::read(reply.text)?.value),
            (ATTACK, Some(speaker)) => reading::attacked(&at, speaker, reply::read(reply.text)?.value),
            (_, Some(speaker)) if ClosingPhase::owns(key) => self.closing.decide(key, speaker, at.round, reply),
            (JUDGE, _) => reading::judged(&at, reply::read(reply.text)?.value),
            _ => Err(Unreadable::because(format!("{key} is not an effect of this engine"))),
        }
    }
}

impl Graph {
    fn new(opened: &DebateOpened, options: GraphOptions) -> Graph {
        Graph {
            topic: opened.topic.clone(),
            seed: opened.seed,
            participants: opened.participants.clone(),
            options,
            graph: ArgumentGraph::default(),
            before: ArgumentGraph::default(),
            closing: ClosingPhase::new(opened, TOPIC),
            closed: None,
            round: None,
            answered: BTreeSet::new(),
            abandoned: BTreeSet::new(),
            echoed: BTreeSet::new(),
        }
    }

    /// Returns the active speakers: all participants in the opening, later those who opened.
    fn speakers(&self) -> impl Iterator<Item = &Persona> {
        self.participants.iter().filter(|participant| !self.abandoned.contains(&effect_key(OPEN, &participant.id, 0)))
    }

    fn is_missing(&self, key: &EffectKey) -> bool {
        !self.answered.contains(key) && !self.abandoned.contains(key)
    }

    fn has_unjudged(&self) -> bool {
        self.current().attacks.values().any(|attack| attack.judged.is_none())
    }

    fn topic_dispute(&self) -> Event {
        Event::DisputeRaised(DisputeRaised::bare(TOPIC, self.topic.clone(), true))
    }

    fn enter(&self, phase: &str, round: Option<u32>, with: Option<Event>) -> Plan {
        let entered = Event::PhaseEntered(PhaseEntered::new(phase, round, None));
        Plan::Record(std::iter::once(entered).chain(with).collect())
    }

    /// Returns the graph by which the debate ends: last words change sides, and no longer the course.
    fn current(&self) -> &ArgumentGraph {
        self.closed.as_ref().unwrap_or(&self.graph)
    }

    /// Returns the outcome if the debate ends after this round; `None` if another round follows.
    fn end_of(&self, round: u32) -> Option<DebateOutcome> {
        let spent = round >= self.options.rounds;
        let limit = || DebateOutcome::Limit {
            limit: "rounds".to_owned(),
            reason: format!("{round} of {} rounds held", self.options.rounds),
        };
        if round == 0 {
            return spent.then(limit);
        }
        // A speaker who only repeats turns was asked, and had nothing new to say.
        let given_up = |key: &&EffectKey| {
            key.ordinal == round && (key.purpose == JUDGE || key.purpose == ATTACK) && !self.echoed.contains(*key)
        };
        if let Some(missed) = effect_names::named(&self.participants, self.abandoned.iter().filter(given_up)) {
            // Silence caused by a failure is not a sign of agreement, so it does not end the debate by itself.
            let reason = format!("in round {round}, {missed} abandoned, and no round is left");
            return spent.then_some(DebateOutcome::Failed { reason });
        }
        if self.has_unjudged() {
            // Attacks that the judge left out may still be valid: the next round's judge is asked about them again.
            return spent.then(limit);
        }
        if !self.has_new_valid_attack() {
            let reason = format!("round {round} did not yield a valid attack");
            return Some(DebateOutcome::Exhausted { reason });
        }
        if self.is_stable() {
            let reason = format!("round {round} changed no label and added no argument that is IN or UNDEC");
            return Some(DebateOutcome::Exhausted { reason });
        }
        spent.then(limit)
    }

    fn has_new_valid_attack(&self) -> bool {
        self.current().active().count() > self.before.active().count()
    }

    /// Returns true if the labels of earlier arguments are unchanged and no new argument is IN or UNDEC.
    fn is_stable(&self) -> bool {
        let (before, after) = (self.before.labels(), self.current().labels());
        after.iter().all(|(id, label)| match before.get(id) {
            Some(was) => was == label,
            None => *label == Label::Out,
        })
    }

    fn speech(&self, speaker: &Persona, round: u32) -> Effect {
        let interjections = view_prompts::interjections(self.closing.transcript());
        if round == 0 { self.opening(speaker, &interjections) } else { self.attack(speaker, round, &interjections) }
    }

    fn opening(&self, speaker: &Persona, interjections: &str) -> Effect {
        let names: Vec<String> = self.participants.iter().map(|participant| participant.name.clone()).collect();
        let values = [
            ("topic", self.topic.as_str()),
            ("participants", &names.join(", ")),
            ("interjections", interjections),
            ("length", self.options.brevity.speech()),
        ];
        let asked = SpeakerRequest {
            key: effect_key(OPEN, &speaker.id, 0),
            manner: TurnKind::Opening,
            text: WORDS.fill(OPEN, &values),
            schema: (schema::strict::<OpeningReply>(), "opening"),
            about: vec![self.topic.clone()],
        };
        self.ask_speaker(speaker, asked, TaskKind::OpenWithArguments)
    }

    fn attack(&self, speaker: &Persona, round: u32, interjections: &str) -> Effect {
        let arguments = view_prompts::arguments(&self.before);
        let attacks: Vec<_> =
            self.before.attacks.values().map(|attack| view_prompts::attack(&self.before, attack)).collect();
        let frontier = shown::frontier(&arguments, &attacks, self.closing.names());
        let own = shown::own(&arguments, &speaker.id, &frontier, self.closing.names());
        let values = [
            ("topic", self.topic.as_str()),
            ("round", &round.to_string()),
            ("arguments", &frontier.arguments),
            ("attacks", &frontier.attacks),
            ("interjections", interjections),
            ("own", &own),
            ("length", self.options.brevity.speech()),
        ];
        let asked = SpeakerRequest {
            key: effect_key(ATTACK, &speaker.id, round),
            manner: TurnKind::Attack,
            text: WORDS.fill(ATTACK, &values),
            schema: (attacks_schema(&speaker.id, arguments.iter().filter(|it| frontier.shows(it))), "attacks"),
            about: self.under_fire(&speaker.id),
        };
        self.ask_speaker(speaker, asked, TaskKind::Attack { round, arguments, attacks })
    }

    fn last_words(&self, speaker: &Persona, asked: ClosingRequest) -> Effect {
        let request = SpeakerRequest {
            key: effect_key(asked.purpose, &speaker.id, 0),
            manner: TurnKind::Closing,
            text: asked.text,
            schema: (asked.schema, asked.schema_name),
            about: asked.about,
        };
        self.ask_speaker(speaker, request, asked.work)
    }

    fn ask_speaker(&self, speaker: &Persona, asked: SpeakerRequest, work: TaskKind) -> Effect {
        let about = asked.about.iter().map(String::as_str);
        let text = with_persona(&asked.text, &persona_prompts::persona(speaker, asked.manner, self.seed));
        Effect {
            key: asked.key,
            voice: Responder::Persona(speaker.id.clone()),
            tier: Tier::Deep,
            ground: PassageQuery::about(&speaker.id, self.options.passages, about),
            added: AddedQueries::default(),
            prompt: self.prompt(self.rules(), text, asked.schema, Some(&speaker.id), work),
        }
    }

    /// Returns the instructions of all speakers.
    fn rules(&self) -> String {
        WORDS.fill("speaker", &[("manner", &WORDS.fill(self.options.combativeness.section(), &[]))])
    }

    /// Returns the texts for a speaker's passage query: claims that attack an argument of theirs and are not OUT, then
    /// other claims of others that are not OUT, the latest first; then the topic.
    fn under_fire(&self, speaker: &PersonaId) -> Vec<String> {
        let (graph, labels) = (&self.before, self.before.labels());
        let stands = |id: &ArgumentId| labels.get(id).is_some_and(|label| *label != Label::Out);
        let own = |id: &ArgumentId| graph.speaker(*id) == Some(speaker);
        let attackers = graph.attacks.values().rev().map(|attack| (attack.raised.source, attack.raised.target));
        let attackers = attackers.filter(|(_, target)| own(target)).map(|(source, _)| source);
        let live: Vec<ArgumentId> = graph.live().map(|(id, _)| id).collect();
        let mut claims: Vec<ArgumentId> = Vec::new();
        for id in attackers.chain(live.iter().rev().copied()).filter(|argument| stands(argument) && !own(argument)) {
            if !claims.contains(&id) {
                claims.push(id);
            }
        }
        let claims = claims
            .into_iter()
            .take(MAX_UNDER_FIRE)
            .filter_map(|argument| graph.component_text(argument, ArgumentPart::Claim));
        claims.map(str::to_owned).chain([self.topic.clone()]).collect()
    }

    fn judgement(&self, round: u32) -> Effect {
        // Those that do not fit are judged in the next round, after the ones that came before them.
        let unjudged = self.graph.attacks.values().filter(|attack| attack.judged.is_none());
        let unjudged = unjudged.map(|attack| view_prompts::attack(&self.graph, attack));
        let attacks = shown::judged(unjudged, self.closing.names());
        let arguments = view_prompts::arguments(&self.before);
        let values = [
            ("topic", self.topic.as_str()),
            ("arguments", &shown::attacked(&arguments, &attacks, self.closing.names())),
            ("attacks", &shown::judged_lines(&attacks, self.closing.names())),
        ];
        let names = [("attack", attacks.iter().map(|attack| attack.alias.clone()).collect())];
        let schema = schema::closed(schema::strict::<JudgementsReply>(), &names);
        let text = WORDS.fill(JUDGE, &values);
        let work = TaskKind::JudgeAttacks { arguments, attacks };
        Effect {
            key: effect_key(JUDGE, "clerk", round),
            voice: Responder::Clerk,
            tier: Tier::Quick,
            prompt: self.prompt(WORDS.fill("clerk", &[]), text, (schema, "judgements"), None, work),
            ground: None,
            added: AddedQueries::default(),
        }
    }

    fn prompt(
        &self,
        system: String,
        text: String,
        (schema, schema_name): (Value, &'static str),
        speaker: Option<&PersonaId>,
        work: TaskKind,
    ) -> Prompt {
        let task = Task {
            topic: self.topic.clone(),
            seed: self.seed,
            speaker: speaker.cloned(),
            participants: self.participants.iter().map(|participant| participant.id.clone()).collect(),
            work,
        };
        Prompt { system, text, schema, schema_name, max_tokens: self.options.max_tokens, task }
    }
}

/// Returns the schema of a speaker's attacks. Targets are those of the shown arguments that others made, components and
/// indices those that some of these arguments have.
fn attacks_schema<'a>(speaker: &PersonaId, shown: impl Iterator<Item = &'a ArgumentInput>) -> Value {
    let others: Vec<&ArgumentInput> = shown.filter(|argument| argument.speaker != *speaker).collect();
    let most = |parts: fn(&ArgumentInput) -> usize| others.iter().map(|argument| parts(argument)).max().unwrap_or(0);
    let premises = most(|argument| argument.premises.len());
    let assumptions = most(|argument| argument.assumptions.len());
    let parts = [("claim", 1), ("premise", premises), ("assumption", assumptions)];
    let parts = parts.into_iter().filter(|(_, n)| *n > 0).map(|(part, _)| part.to_owned());
    let targets: Vec<String> = others.iter().map(|argument| argument.alias.clone()).collect();
    let names = [("target", targets.clone()), ("argument", targets), ("component", parts.collect())];
    schema::indexed(schema::closed(schema::strict::<AttacksReply>(), &names), "index", premises.max(assumptions))
}

/// Request to a speaker: effect key, kind of turn, prompt, reply schema, and the texts for the passage query.
struct SpeakerRequest {
    key: EffectKey,
    manner: TurnKind,
    text: String,
    schema: (Value, &'static str),
    about: Vec<String>,
}

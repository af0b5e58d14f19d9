//! The graph engine: arguments and attacks in rounds, evaluated by Dung's semantics.
//!
//! ```text
//! opening     every participant: a stance on the topic, two to four arguments       (concurrently)
//! round r     every participant: up to four attacks, each with a counter-argument   (concurrently)
//!             one judge: which attacks are valid, and how strong they are
//!             stop when nothing changed, when no valid attack came, or when the rounds are spent
//! ```
//!
//! No model is asked at the end: the verdict is computed. For n participants and r rounds there are at most
//! `1 + n + r(n + 1)` effects, not counting retries.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engines::graph::decode as reading;
use crate::engines::graph::schema::{AttacksReply, JudgementsReply, OpeningReply};
use crate::engines::graph::shown;
use crate::engines::shared::options;
use crate::engines::shared::persona_prompts;
use crate::engines::shared::persona_prompts::TurnKind;
use crate::engines::shared::view_prompts;
use crate::engines::shared::view_prompts::DisplayNames;
use crate::events::argument::ArgumentPart;
use crate::events::dispute::DisputeRaised;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{ArgumentId, DisputeId, PersonaId};
use crate::events::lifecycle::{DebateOpened, DebateOutcome, PhaseEntered};
use crate::events::persona::Persona;
use crate::events::receipt::{EffectKey, Tier};
use crate::kernel::effect::{Effect, PassageQuery, Responder, effect_key};
use crate::kernel::engine::{Driver, Engine, EngineRegistration, EngineReply, OptionDoc, Plan, Refusal};
use crate::kernel::prompt::{Prompt, PromptTemplates, with_persona};
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;
use crate::kernel::schema;
use crate::kernel::task::{Task, TaskKind};
use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::projection::Projection;
use crate::projections::transcript::Transcript;
use faultline_argumentation::labelling::Label;

/// Registration of the engine.
pub const REGISTRATION: EngineRegistration = EngineRegistration {
    name: "graph",
    about: "arguments and attacks in rounds, judged by Dung's semantics",
    revision: 3,
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
const UNDER_FIRE: usize = 3;

const OPEN: &str = "open";
const ATTACK: &str = "attack";
const JUDGE: &str = "judge";

const OPTIONS: &[OptionDoc] = &[
    OptionDoc { name: "rounds", about: "maximum number of rounds of attacks, 0 to 10", default: "3" },
    OptionDoc { name: "passages", about: "passages of its own corpus supplied to a speaker, 0 to 12", default: "4" },
    OptionDoc { name: "max_tokens", about: "maximum number of tokens in a reply, 256 to 32000", default: "4096" },
];

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    rounds: u32,
    passages: u32,
    max_tokens: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { rounds: 3, passages: 4, max_tokens: 4_096 }
    }
}

fn read_options(given: &Value) -> Result<Options, Refusal> {
    let read: Options = options::read(given, OPTIONS)?;
    options::within("rounds", read.rounds, 0, 10)?;
    options::within("passages", read.passages, 0, 12)?;
    options::within("max_tokens", read.max_tokens, 256, 32_000)?;
    Ok(read)
}

struct Graph {
    topic: String,
    seed: u64,
    participants: Vec<Persona>,
    names: DisplayNames,
    options: Options,
    graph: ArgumentGraph,
    transcript: Transcript,
    /// The graph at the start of the present round, as shown to its speakers.
    before: ArgumentGraph,
    /// The present round; 0 is the opening, `None` is before it.
    round: Option<u32>,
    answered: BTreeSet<EffectKey>,
    abandoned: BTreeSet<EffectKey>,
}

impl Engine for Graph {
    fn evolve(&mut self, recorded: &Recorded) {
        self.graph.apply(recorded);
        self.transcript.apply(recorded);
        match &recorded.event {
            Event::PhaseEntered(entered) => {
                self.round = Some(entered.round.unwrap_or(0));
                self.before = self.graph.clone();
            }
            Event::EffectAnswered(it) if !it.ignored => drop(self.answered.insert(it.key.clone())),
            Event::EffectAbandoned(it) => drop(self.abandoned.insert(it.key.clone())),
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
            Some(outcome) => Plan::Conclude(outcome),
            None => self.enter("attacks", Some(round + 1), None),
        }
    }

    fn decide(&self, key: &EffectKey, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        let speaker = || {
            self.participants
                .iter()
                .find(|participant| participant.id.as_str() == key.subject)
                .map(|participant| &participant.id)
        };
        let at = reading::GraphContext {
            graph: &self.graph,
            shown: &self.before,
            topic: TOPIC,
            turn: self.transcript.next_turn(),
            round: key.ordinal,
            grounds: &reply.grounds,
        };
        match (key.purpose.as_str(), speaker()) {
            (OPEN, Some(speaker)) => reading::opened(&at, speaker, reply::read(reply.text)?.value),
            (ATTACK, Some(speaker)) => reading::attacked(&at, speaker, reply::read(reply.text)?.value),
            (JUDGE, _) => reading::judged(&at, reply::read(reply.text)?.value),
            _ => Err(Unreadable::because(format!("{key} is not an effect of this engine"))),
        }
    }
}

impl Graph {
    fn new(opened: &DebateOpened, options: Options) -> Graph {
        Graph {
            topic: opened.topic.clone(),
            seed: opened.seed,
            names: DisplayNames::new(&opened.participants),
            participants: opened.participants.clone(),
            options,
            graph: ArgumentGraph::default(),
            transcript: Transcript::default(),
            before: ArgumentGraph::default(),
            round: None,
            answered: BTreeSet::new(),
            abandoned: BTreeSet::new(),
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
        self.graph.attacks.values().any(|attack| attack.judged.is_none())
    }

    fn topic_dispute(&self) -> Event {
        Event::DisputeRaised(DisputeRaised::bare(TOPIC, self.topic.clone(), true))
    }

    fn enter(&self, phase: &str, round: Option<u32>, with: Option<Event>) -> Plan {
        let entered = Event::PhaseEntered(PhaseEntered { phase: phase.to_owned(), round, reason: None });
        Plan::Record(std::iter::once(entered).chain(with).collect())
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
        let given_up = |key: &EffectKey| key.ordinal == round && (key.purpose == JUDGE || key.purpose == ATTACK);
        if self.abandoned.iter().any(given_up) {
            // Silence caused by a failure is not a sign of agreement, so it does not end the debate by itself.
            let reason = format!("effects of round {round} were abandoned, and no round is left");
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
        let before = self.before.active().count();
        self.graph.active().count() > before
    }

    /// Returns true if the labels of earlier arguments are unchanged and no new argument is IN or UNDEC.
    fn is_stable(&self) -> bool {
        let (before, after) = (self.before.labels(), self.graph.labels());
        after.iter().all(|(id, label)| match before.get(id) {
            Some(was) => was == label,
            None => *label == Label::Out,
        })
    }

    fn speech(&self, speaker: &Persona, round: u32) -> Effect {
        let interjections = view_prompts::interjections(&self.transcript);
        if round == 0 { self.opening(speaker, &interjections) } else { self.attack(speaker, round, &interjections) }
    }

    fn opening(&self, speaker: &Persona, interjections: &str) -> Effect {
        let names: Vec<String> = self.participants.iter().map(|participant| participant.name.clone()).collect();
        let values =
            [("topic", self.topic.as_str()), ("participants", &names.join(", ")), ("interjections", interjections)];
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
        let frontier = shown::frontier(&arguments, &attacks, &self.names);
        let own = shown::own(&arguments, &speaker.id, &frontier, &self.names);
        let values = [
            ("topic", self.topic.as_str()),
            ("round", &round.to_string()),
            ("arguments", &frontier.arguments),
            ("attacks", &frontier.attacks),
            ("interjections", interjections),
            ("own", &own),
        ];
        let asked = SpeakerRequest {
            key: effect_key(ATTACK, &speaker.id, round),
            manner: TurnKind::Attack,
            text: WORDS.fill(ATTACK, &values),
            schema: (schema::strict::<AttacksReply>(), "attacks"),
            about: self.under_fire(&speaker.id),
        };
        self.ask_speaker(speaker, asked, TaskKind::Attack { round, arguments, attacks })
    }

    fn ask_speaker(&self, speaker: &Persona, asked: SpeakerRequest, work: TaskKind) -> Effect {
        let about = asked.about.iter().map(String::as_str);
        let text = with_persona(&asked.text, &persona_prompts::persona(speaker, asked.manner, self.seed));
        Effect {
            key: asked.key,
            voice: Responder::Persona(speaker.id.clone()),
            tier: Tier::Deep,
            ground: PassageQuery::about(&speaker.id, self.options.passages, about),
            prompt: self.prompt(WORDS.fill("speaker", &[]), text, asked.schema, Some(&speaker.id), work),
        }
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
            .take(UNDER_FIRE)
            .filter_map(|argument| graph.component_text(argument, ArgumentPart::Claim));
        claims.map(str::to_owned).chain([self.topic.clone()]).collect()
    }

    fn judgement(&self, round: u32) -> Effect {
        // Those that do not fit are judged in the next round, after the ones that came before them.
        let unjudged = self.graph.attacks.values().filter(|attack| attack.judged.is_none()).take(shown::MAX_JUDGED);
        let attacks: Vec<_> = unjudged.map(|attack| view_prompts::attack(&self.graph, attack)).collect();
        let arguments = view_prompts::arguments(&self.before);
        let values = [
            ("topic", self.topic.as_str()),
            ("arguments", &shown::attacked(&arguments, &attacks, &self.names)),
            ("attacks", &view_prompts::attack_lines(&attacks, &self.names)),
        ];
        let work = TaskKind::JudgeAttacks { arguments, attacks };
        let (text, schema) = (WORDS.fill(JUDGE, &values), schema::strict::<JudgementsReply>());
        Effect {
            key: effect_key(JUDGE, "clerk", round),
            voice: Responder::Clerk,
            tier: Tier::Quick,
            prompt: self.prompt(WORDS.fill("clerk", &[]), text, (schema, "judgements"), None, work),
            ground: None,
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

/// Request to a speaker: effect key, kind of turn, prompt, reply schema, and the texts for the passage query.
struct SpeakerRequest {
    key: EffectKey,
    manner: TurnKind,
    text: String,
    schema: (Value, &'static str),
    about: Vec<String>,
}

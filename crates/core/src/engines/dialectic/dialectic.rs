//! The dialectic engine: thesis, antithesis, synthesis.
//!
//! ```text
//! draft  ->  criticize  -> accept, in words: ratify -> all accept: last words, done (settled)
//!                                                   -> otherwise: last words, done (exhausted)
//!                       -> no objection: last words, done (exhausted)
//!                       -> nothing new: last words, done (exhausted)
//!                       -> reject: draft again, with the reasons          (a round is spent)
//!                       -> revise: synthesize -> hardly changed: last words, done (exhausted)
//!                                             -> seen before: last words, done (exhausted)
//!                                             -> else it is the next thesis (a round is spent)
//! ```
//!
//! Last words are those of every participant, and so are the answers to a crux that they agree on
//! ([`crate::engines::closing::closing_phase`]). They follow every end but a failure, and change sides of the topic; an
//! agreement on the crux makes the outcome `settled`.
//!
//! The first participant drafts, the second criticizes, the third (or else the first) combines both. A participant who
//! neither wrote nor criticized an accepted proposal is asked to ratify it. Proposals can be rules of a logic program or
//! prose. An abandoned effect has an outcome of its own.

use std::collections::{BTreeMap, BTreeSet};

use crate::engines::closing::closing_phase::{ClosingPhase, ClosingRequest};
use crate::engines::dialectic::context::ProposalContext;
use crate::engines::dialectic::decode as reading;
use crate::engines::dialectic::dialectic_context::DialecticContext;
use crate::engines::dialectic::schema::{CriticismReply, DraftReply, SpeakerRequest, SynthesisReply};
use crate::engines::dialectic::settings::{DialecticOptions, OPTIONS, read_options};
use crate::engines::dialectic::shown::{
    draft_lines, issue_texts, names_of_sentences, numbered_issue_lines, says_word_for_word, shown,
};
use crate::engines::shared::effect_names;
use crate::engines::shared::options;
use crate::engines::shared::persona_prompts::{self, TurnKind};
use crate::engines::shared::view_prompts;
use crate::events::dispute::DisputeRaised;
use crate::events::event::{Event, Recorded};
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::events::lifecycle::{DebateOpened, DebateOutcome, PhaseEntered};
use crate::events::persona::Persona;
use crate::events::proposal::{Recommendation, Severity};
use crate::events::receipt::{EffectKey, FailureKind, Tier};
use crate::kernel::effect::{AddedQueries, Effect, PassageQuery, Responder, effect_key};
use crate::kernel::engine::{Driver, Engine, EngineRegistration, EngineReply, Plan};
use crate::kernel::prompt::{Prompt, PromptTemplates, with_persona};
use crate::kernel::reply;
use crate::kernel::reply::Unreadable;
use crate::kernel::schema;
use crate::kernel::task::{ProposalInput, Task, TaskKind};
use crate::programs::similarity::similarity;
use crate::projections::projection::Projection;
use crate::projections::proposals::{Proposal, Proposals};
use crate::projections::transcript::Turn;
use crate::verdicts::crux_card::crux_text::listed;

/// Registration of the engine.
pub const REGISTRATION: EngineRegistration = EngineRegistration {
    name: "dialectic",
    about: "thesis, antithesis and synthesis of one proposal, until it is accepted or nothing new comes",
    revision: 13,
    participants: (2, 3),
    driver: Driver::Service,
    options: OPTIONS,
    normalize: |given| read_options(given).map(|settings| options::with_defaults(&settings)),
    start: |opened| Ok(Box::new(Dialectic::new(opened, read_options(&opened.options)?))),
};

/// Prompt templates of the engine.
pub const WORDS: PromptTemplates = PromptTemplates(include_str!("dialectic.md"));

/// Maximum number of rejected drafts that a prompt shows; the latest are kept.
const MAX_REJECTED: usize = 3;

const DRAFT: &str = "draft";
const CRITICIZE: &str = "criticize";
const SYNTHESIZE: &str = "synthesize";
const RATIFY: &str = "ratify";

/// Id of the dispute about the debate's topic.
const TOPIC: DisputeId = DisputeId(1);

struct Dialectic {
    topic: String,
    seed: u64,
    participants: Vec<Persona>,
    options: DialecticOptions,
    /// The context as prompts show it; empty without one.
    context: String,
    proposals: Proposals,
    /// The present round, from 1; 0 before the first.
    round: u32,
    closing: ClosingPhase,
    abandoned: BTreeMap<EffectKey, String>,
    /// Calls whose latest attempt failed because the reply only repeated a turn.
    echoed: BTreeSet<EffectKey>,
}

impl Engine for Dialectic {
    fn evolve(&mut self, recorded: &Recorded) {
        self.proposals.apply(recorded);
        self.closing.evolve(recorded);
        match &recorded.event {
            Event::PhaseEntered(entered) => self.round = entered.round.unwrap_or(self.round),
            Event::EffectAbandoned(it) if ClosingPhase::owns(&it.key) => {}
            Event::EffectAbandoned(it) => drop(self.abandoned.insert(it.key.clone(), it.reason.clone())),
            Event::EffectFailed(it) if it.failure.kind == FailureKind::Repeated => {
                self.echoed.insert(it.key.clone());
            }
            Event::EffectFailed(it) => drop(self.echoed.remove(&it.key)),
            _ => {}
        }
    }

    fn plan(&self) -> Plan {
        match self.course() {
            Plan::Conclude(outcome) => {
                self.closing.plan(outcome, self.participants.iter(), |speaker, asked| self.last_words(speaker, asked))
            }
            plan => plan,
        }
    }

    fn decide(&self, key: &EffectKey, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        let Some(speaker) = self.participants.iter().find(|participant| participant.id.as_str() == key.subject) else {
            return Err(Unreadable::because(format!("{key} is not an effect of this engine")));
        };
        if ClosingPhase::owns(key) {
            return self.closing.decide(key, &speaker.id, self.round, reply);
        }
        let transcript = self.closing.transcript();
        let at = DialecticContext {
            proposals: &self.proposals,
            disputes: self.closing.disputes(),
            transcript,
            turn: transcript.next_turn(),
            speaker: &speaker.id,
            round: self.round,
            grounds: &reply.grounds,
        };
        match (key.purpose.as_str(), self.proposals.thesis()) {
            (DRAFT, None) => reading::drafted(&at, reply::read::<DraftReply>(reply.text)?.value),
            (CRITICIZE, Some(it)) => {
                reading::criticized(&at, it, self.options.veto, reply::read::<CriticismReply>(reply.text)?.value)
            }
            (RATIFY, Some(it)) => reading::ratified(&at, it, reply::read::<CriticismReply>(reply.text)?.value),
            (SYNTHESIZE, Some(it)) => reading::synthesized(&at, it, reply::read::<SynthesisReply>(reply.text)?.value),
            _ => Err(Unreadable::because(format!("{key} is not expected in this state"))),
        }
    }
}

impl Dialectic {
    fn new(opened: &DebateOpened, options: DialecticOptions) -> Dialectic {
        let context = options.context.as_ref().map(ProposalContext::lines).unwrap_or_default();
        let context = if context.is_empty() { context } else { WORDS.fill("context", &[("lines", &context)]) };
        Dialectic {
            topic: opened.topic.clone(),
            context,
            seed: opened.seed,
            participants: opened.participants.clone(),
            options,
            proposals: Proposals::default(),
            round: 0,
            closing: ClosingPhase::new(opened, TOPIC),
            abandoned: BTreeMap::new(),
            echoed: BTreeSet::new(),
        }
    }

    /// Returns the next step on the way to the end, without last words.
    fn course(&self) -> Plan {
        if let Some((key, reason)) = self.abandoned.first_key_value() {
            if self.echoed.contains(key) {
                let reason = format!("{} had nothing new to say", self.name(&key.subject));
                return Plan::Conclude(DebateOutcome::Exhausted { reason });
            }
            let missed = effect_names::named(&self.participants, std::iter::once(key)).unwrap_or_default();
            return Plan::Conclude(DebateOutcome::Failed { reason: format!("{missed} abandoned: {reason}") });
        }
        if self.round == 0 {
            return self.enter(1);
        }
        let Some(latest) = self.proposals.proposals.last() else {
            return Plan::Ask(vec![self.draft()]);
        };
        if let Some(plan) = self.end_by(latest) {
            return plan;
        }
        match &latest.criticism {
            // A synthesis opens the next round, and so does a rejection.
            None if latest.from.is_some() && latest.round == self.round => self.next_round(),
            None if self.options.rounds == 0 => Plan::Conclude(self.rounds_spent()),
            None => Plan::Ask(vec![self.answer(self.critic(), CRITICIZE, latest)]),
            Some(_) if latest.is_rejected() && latest.round == self.round => self.next_round(),
            Some(_) if latest.is_rejected() => Plan::Ask(vec![self.draft()]),
            Some(_) => Plan::Ask(vec![self.synthesis(latest)]),
        }
    }

    fn name<'a>(&'a self, subject: &'a str) -> &'a str {
        let found = self.participants.iter().find(|participant| participant.id.as_str() == subject);
        found.map_or(subject, |participant| participant.name.as_str())
    }

    fn generator(&self) -> &Persona {
        &self.participants[0]
    }

    fn critic(&self) -> &Persona {
        &self.participants[1]
    }

    fn synthesizer(&self) -> &Persona {
        self.participants.get(2).unwrap_or(&self.participants[0])
    }

    /// Enters a round. The first one also raises the dispute about the topic.
    fn enter(&self, round: u32) -> Plan {
        let entered = PhaseEntered::new("dialectic", Some(round), None);
        let topic = (round == 1).then(|| Event::DisputeRaised(DisputeRaised::bare(TOPIC, self.topic.clone(), true)));
        Plan::Record([Event::PhaseEntered(entered)].into_iter().chain(topic).collect())
    }

    fn next_round(&self) -> Plan {
        if self.round >= self.options.rounds { Plan::Conclude(self.rounds_spent()) } else { self.enter(self.round + 1) }
    }

    fn rounds_spent(&self) -> DebateOutcome {
        let reason = format!("{} of {} rounds held", self.round.min(self.options.rounds), self.options.rounds);
        DebateOutcome::Limit { limit: "rounds".to_owned(), reason }
    }

    /// Returns the plan if the latest proposal ends the debate. The critic's recommendation takes precedence over
    /// similarity.
    fn end_by(&self, latest: &Proposal) -> Option<Plan> {
        if let Some(criticism) = &latest.criticism {
            let critical = criticism.issues.iter().any(|issue| issue.severity == Severity::Critical);
            return match criticism.recommendation {
                Recommendation::Accept | Recommendation::NoObjection if self.options.veto && critical => None,
                Recommendation::Accept => Some(self.ratification(latest, criticism.turn)),
                // Finding nothing to object is no acceptance, so the debate ends without having settled anything.
                Recommendation::NoObjection => {
                    let reason = format!("{} has no objection to {}", self.critic().name, latest.proposal);
                    Some(Plan::Conclude(DebateOutcome::Exhausted { reason }))
                }
                Recommendation::Revise | Recommendation::Reject => None,
            };
        }
        let before = || self.proposals.proposals.iter().rev().filter(|proposal| proposal.proposal != latest.proposal);
        let repeated = before().find(|proposal| similarity(&proposal.text, &latest.text) >= 1.0);
        let reason = match (repeated, latest.similarity) {
            (Some(earlier), _) if says_word_for_word(&earlier.text, &latest.text) => {
                format!("{} repeats {} word for word", latest.proposal, earlier.proposal)
            }
            (Some(earlier), _) => format!("{} repeats {}", latest.proposal, earlier.proposal),
            (None, Some(similarity)) if similarity >= self.options.alike => {
                format!("{} has a similarity of {similarity:.2} to the proposal before it", latest.proposal)
            }
            (None, _) => return None,
        };
        Some(Plan::Conclude(DebateOutcome::Exhausted { reason }))
    }

    /// Asks every participant who neither wrote nor criticized a proposal whether they accept it, and then concludes.
    /// `since` is the turn of the critic, who accepted it.
    fn ratification(&self, latest: &Proposal, since: TurnId) -> Plan {
        let has_answered = |persona: &PersonaId| {
            let own = |turn: &Turn| turn.speaker.as_ref() == Some(persona) && !turn.moves.is_empty();
            self.closing.transcript().turns.iter().any(|turn| turn.turn > since && own(turn))
        };
        let others = || {
            let is_other = |persona: &&Persona| persona.id != latest.speaker && persona.id != self.critic().id;
            self.participants.iter().filter(is_other)
        };
        if let Some(next) = others().find(|persona| !has_answered(&persona.id)) {
            return Plan::Ask(vec![self.answer(next, RATIFY, latest)]);
        }
        let (author, others): (Vec<&Persona>, Vec<&Persona>) =
            self.participants.iter().partition(|persona| persona.id == latest.speaker);
        let names = |those: &[&Persona]| those.iter().map(|persona| persona.name.clone()).collect::<Vec<_>>();
        let (accepting, missing): (Vec<&Persona>, Vec<&Persona>) =
            others.into_iter().partition(|persona| latest.is_accepted_by(&persona.id));
        let verb = if accepting.len() == 1 { "accepts" } else { "accept" };
        let reason = format!(
            "{} {verb} {}, proposed by {}",
            listed(&names(&accepting)),
            latest.proposal,
            listed(&names(&author))
        );
        Plan::Conclude(match missing.as_slice() {
            [] => DebateOutcome::Settled { reason },
            missing => DebateOutcome::Exhausted { reason: format!("{reason}; {} did not", listed(&names(missing))) },
        })
    }

    fn draft(&self) -> Effect {
        let rejected: Vec<ProposalInput> = self
            .proposals
            .proposals
            .iter()
            .filter(|proposal| proposal.is_rejected())
            .map(view_prompts::proposal)
            .collect();
        let latest = &rejected[rejected.len().saturating_sub(MAX_REJECTED)..];
        let drafts: Vec<String> = latest.iter().map(draft_lines).collect();
        let told_rejected =
            if drafts.is_empty() { String::new() } else { WORDS.fill("rejected", &[("drafts", &drafts.join("\n"))]) };
        let interjections = view_prompts::interjections(self.closing.transcript());
        let slots = [
            ("topic", self.topic.as_str()),
            ("context", &self.context),
            ("interjections", &interjections),
            ("rejected", &told_rejected),
            ("length", self.options.brevity.reasoning()),
        ];
        let text = WORDS.fill(DRAFT, &slots);
        let asked = SpeakerRequest {
            purpose: DRAFT,
            manner: TurnKind::Draft,
            schema: schema::strict::<DraftReply>(),
            schema_name: "draft",
        };
        let reasons = rejected.last().map(issue_texts).unwrap_or_default();
        self.effect(self.generator(), asked, text, TaskKind::Draft { rejected }, &[&self.topic, &reasons])
    }

    /// Asks a participant for criticism or ratification of a proposal.
    fn answer(&self, speaker: &Persona, purpose: &'static str, thesis: &Proposal) -> Effect {
        let told = view_prompts::proposal(thesis);
        let (shown, interjections) = (shown(&told), view_prompts::interjections(self.closing.transcript()));
        let text = WORDS.fill(purpose, &self.slots(&shown, &interjections));
        let asked = SpeakerRequest {
            purpose,
            manner: TurnKind::Criticism,
            schema: schema::strict::<CriticismReply>(),
            schema_name: "criticism",
        };
        let about = [thesis.text.as_str(), &self.topic];
        self.effect(speaker, asked, text, TaskKind::Criticize { proposal: told }, &about)
    }

    fn synthesis(&self, thesis: &Proposal) -> Effect {
        let told = view_prompts::proposal(thesis);
        let issues = numbered_issue_lines(&told);
        let (shown, interjections) = (shown(&told), view_prompts::interjections(self.closing.transcript()));
        let mut slots = self.slots(&shown, &interjections).to_vec();
        slots.extend([("issues", issues.as_str()), ("length", self.options.brevity.reasoning())]);
        let text = WORDS.fill(SYNTHESIZE, &slots);
        let raised: Vec<String> = told.issues.iter().map(|issue| issue.alias.clone()).collect();
        let sentences = told.issues.iter().flat_map(names_of_sentences).collect();
        let asked = SpeakerRequest {
            purpose: SYNTHESIZE,
            manner: TurnKind::Synthesis,
            schema: schema::closed(schema::strict::<SynthesisReply>(), &[("issue", raised), ("grants", sentences)]),
            schema_name: "synthesis",
        };
        let found = issue_texts(&told);
        let about = [found.as_str(), &thesis.text, &self.topic];
        self.effect(self.synthesizer(), asked, text, TaskKind::Synthesize { proposal: told }, &about)
    }

    fn last_words(&self, speaker: &Persona, asked: ClosingRequest) -> Effect {
        let ClosingRequest { purpose, text, schema, schema_name, work, about } = asked;
        let about: Vec<&str> = about.iter().map(String::as_str).collect();
        self.effect(
            speaker,
            SpeakerRequest { purpose, manner: TurnKind::Closing, schema, schema_name },
            text,
            work,
            &about,
        )
    }

    fn slots<'a>(&'a self, told: &'a ProposalInput, interjections: &'a str) -> [(&'static str, &'a str); 6] {
        [
            ("topic", &self.topic),
            ("context", &self.context),
            ("interjections", interjections),
            ("alias", &told.alias),
            ("proposal", &told.text),
            ("reasoning", &told.reasoning),
        ]
    }

    fn effect(&self, speaker: &Persona, asked: SpeakerRequest, text: String, work: TaskKind, about: &[&str]) -> Effect {
        let task = Task {
            topic: self.topic.clone(),
            seed: self.seed,
            speaker: Some(speaker.id.clone()),
            participants: self.participants.iter().map(|participant| participant.id.clone()).collect(),
            work,
        };
        Effect {
            key: effect_key(asked.purpose, &speaker.id, self.round),
            voice: Responder::Persona(speaker.id.clone()),
            tier: Tier::Deep,
            prompt: Prompt {
                system: WORDS.fill("speaker", &[("manner", &WORDS.fill(self.options.combativeness.section(), &[]))]),
                text: with_persona(&text, &persona_prompts::persona(speaker, asked.manner, self.seed)),
                schema: asked.schema,
                schema_name: asked.schema_name,
                max_tokens: self.options.max_tokens,
                task,
            },
            ground: PassageQuery::about(&speaker.id, self.options.passages, about.iter().copied()),
            added: AddedQueries::default(),
        }
    }
}

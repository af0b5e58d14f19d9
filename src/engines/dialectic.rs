//! The dialectic engine: thesis, antithesis, synthesis.
//!
//! ```text
//! draft  ->  criticize  -> accept: done
//!                       -> reject: draft again, with the reasons          (a round is spent)
//!                       -> revise: synthesize -> hardly changed: done
//!                                             -> seen before: a cycle
//!                                             -> else it is the next thesis (a round is spent)
//! ```
//!
//! The first participant drafts, the second criticizes, the third (or else the first) combines both. Proposals can be
//! rules of a logic program or prose. An abandoned effect has an outcome of its own and never counts as convergence.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engines::brief;
use crate::engines::dialectic_reading as reading;
use crate::engines::dialectic_replies::{Criticized, Drafted, Synthesized};
use crate::engines::manner::{self, Manner};
use crate::engines::options;
use crate::events::event::{Event, Recorded};
use crate::events::lifecycle::{DebateOpened, Outcome, PhaseEntered};
use crate::events::persona::Persona;
use crate::events::proposal::{Recommendation, Severity};
use crate::events::receipt::{EffectKey, Tier};
use crate::kernel::effect::{Effect, Query, Voice, key};
use crate::kernel::engine::{Engine, OptionDoc, Plan, Refusal, Registration, Reply};
use crate::kernel::prompt::{Prompt, Words};
use crate::kernel::reply::{self, Unreadable};
use crate::kernel::schema;
use crate::kernel::task::{ProposalTold, Task, Work};
use crate::projections::dispute_graph::DisputeGraph;
use crate::projections::projection::Projection;
use crate::projections::proposals::{Proposal, Proposals, similarity};
use crate::projections::transcript::Transcript;

/// Registration of the engine.
pub const REGISTRATION: Registration = Registration {
    name: "dialectic",
    about: "thesis, antithesis and synthesis of one proposal, until it is accepted",
    revision: 2,
    participants: (2, 3),
    options: OPTIONS,
    normalize: |given| read_options(given).map(|it| options::written_out(&it)),
    start: |opened| Ok(Box::new(Dialectic::new(opened, read_options(&opened.options)?))),
};

/// Prompt templates of the engine.
pub const WORDS: Words = Words(include_str!("dialectic.md"));

const DRAFT: &str = "draft";
const CRITICIZE: &str = "criticize";
const SYNTHESIZE: &str = "synthesize";

const OPTIONS: &[OptionDoc] = &[
    OptionDoc { name: "rounds", about: "maximum number of rounds, 0 to 10; with 0 the draft is final", default: "3" },
    OptionDoc {
        name: "alike",
        about: "similarity to its thesis from which a synthesis counts as unchanged, 0 to 1",
        default: "0.85",
    },
    OptionDoc { name: "veto", about: "if true, critical issues override an accepting critic", default: "true" },
    OptionDoc { name: "passages", about: "passages of its own corpus supplied to a speaker, 0 to 12", default: "4" },
    OptionDoc { name: "max_tokens", about: "maximum number of tokens in a reply, 256 to 32000", default: "4096" },
];

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    rounds: u32,
    alike: f64,
    veto: bool,
    passages: u32,
    max_tokens: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { rounds: 3, alike: 0.85, veto: true, passages: 4, max_tokens: 4_096 }
    }
}

fn read_options(given: &Value) -> Result<Options, Refusal> {
    let read: Options = options::read(given, OPTIONS)?;
    options::within("rounds", read.rounds, 0, 10)?;
    options::within("alike", read.alike, 0.0, 1.0)?;
    options::within("passages", read.passages, 0, 12)?;
    options::within("max_tokens", read.max_tokens, 256, 32_000)?;
    Ok(read)
}

struct Dialectic {
    topic: String,
    seed: u64,
    participants: Vec<Persona>,
    options: Options,
    proposals: Proposals,
    disputes: DisputeGraph,
    transcript: Transcript,
    /// The present round, from 1; 0 before the first.
    round: u32,
    abandoned: BTreeMap<EffectKey, String>,
}

impl Engine for Dialectic {
    fn evolve(&mut self, recorded: &Recorded) {
        self.proposals.apply(recorded);
        self.disputes.apply(recorded);
        self.transcript.apply(recorded);
        match &recorded.event {
            Event::PhaseEntered(entered) => self.round = entered.round.unwrap_or(self.round),
            Event::EffectAbandoned(it) => drop(self.abandoned.insert(it.key.clone(), it.reason.clone())),
            _ => {}
        }
    }

    fn plan(&self) -> Plan {
        if let Some((key, reason)) = self.abandoned.first_key_value() {
            return Plan::Conclude(Outcome::Stalled { reason: format!("{key} was abandoned: {reason}") });
        }
        if self.round == 0 {
            return self.enter(1);
        }
        let Some(latest) = self.proposals.proposals.last() else {
            return Plan::Ask(vec![self.draft()]);
        };
        if let Some(outcome) = self.settled_by(latest) {
            return Plan::Conclude(outcome);
        }
        match &latest.criticism {
            // A synthesis opens the next round, and so does a rejection.
            None if latest.from.is_some() && latest.round == self.round => self.next_round(),
            None if self.options.rounds == 0 => Plan::Conclude(self.rounds_spent()),
            None => Plan::Ask(vec![self.criticism(latest)]),
            Some(_) if latest.is_rejected() && latest.round == self.round => self.next_round(),
            Some(_) if latest.is_rejected() => Plan::Ask(vec![self.draft()]),
            Some(_) => Plan::Ask(vec![self.synthesis(latest)]),
        }
    }

    fn decide(&self, key: &EffectKey, reply: &Reply) -> Result<Vec<Event>, Unreadable> {
        let Some(speaker) = self.participants.iter().find(|it| it.id.as_str() == key.subject) else {
            return Err(Unreadable::because(format!("{key} is not an effect of this engine")));
        };
        let at = reading::Place {
            proposals: &self.proposals,
            disputes: &self.disputes,
            turn: self.transcript.next_turn(),
            speaker: &speaker.id,
            round: self.round,
            grounds: &reply.grounds,
        };
        match (key.purpose.as_str(), self.proposals.thesis()) {
            (DRAFT, None) => reading::drafted(&at, reply::read::<Drafted>(reply.text)?.value),
            (CRITICIZE, Some(it)) => {
                reading::criticized(&at, it, self.options.veto, reply::read::<Criticized>(reply.text)?.value)
            }
            (SYNTHESIZE, Some(it)) => reading::synthesized(&at, it, reply::read::<Synthesized>(reply.text)?.value),
            _ => Err(Unreadable::because(format!("{key} is not expected in this state"))),
        }
    }
}

impl Dialectic {
    fn new(opened: &DebateOpened, options: Options) -> Dialectic {
        Dialectic {
            topic: opened.topic.clone(),
            seed: opened.seed,
            participants: opened.participants.clone(),
            options,
            proposals: Proposals::default(),
            disputes: DisputeGraph::default(),
            transcript: Transcript::default(),
            round: 0,
            abandoned: BTreeMap::new(),
        }
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

    fn enter(&self, round: u32) -> Plan {
        Plan::Record(vec![Event::PhaseEntered(PhaseEntered {
            phase: "dialectic".to_owned(),
            round: Some(round),
            reason: None,
        })])
    }

    fn next_round(&self) -> Plan {
        if self.round >= self.options.rounds { Plan::Conclude(self.rounds_spent()) } else { self.enter(self.round + 1) }
    }

    fn rounds_spent(&self) -> Outcome {
        let reason = format!("{} of {} rounds held", self.round.min(self.options.rounds), self.options.rounds);
        Outcome::Limit { limit: "rounds".to_owned(), reason }
    }

    /// Returns the outcome if the latest proposal ends the debate. The critic's recommendation takes precedence over
    /// similarity.
    fn settled_by(&self, latest: &Proposal) -> Option<Outcome> {
        if let Some(criticism) = &latest.criticism {
            let critical = criticism.issues.iter().any(|it| it.severity == Severity::Critical);
            let accepted = criticism.recommendation == Recommendation::Accept && !(self.options.veto && critical);
            let reason = format!("{} accepts {}", self.critic().name, latest.proposal);
            return accepted.then_some(Outcome::Converged { reason });
        }
        if let Some(similarity) = latest.similarity.filter(|it| *it >= self.options.alike) {
            let reason = format!("{} has a similarity of {similarity:.2} to the proposal before it", latest.proposal);
            return Some(Outcome::Converged { reason });
        }
        let before = self
            .proposals
            .proposals
            .iter()
            .find(|it| it.proposal != latest.proposal && similarity(&it.text, &latest.text) >= 1.0);
        before.map(|it| Outcome::Cycle { reason: format!("{} repeats {}", latest.proposal, it.proposal) })
    }

    fn draft(&self) -> Effect {
        let rejected: Vec<ProposalTold> =
            self.proposals.proposals.iter().filter(|it| it.is_rejected()).map(brief::proposal).collect();
        let drafts: Vec<String> =
            rejected.iter().map(|it| format!("{}: {}\n{}", it.alias, it.text, brief::issue_lines(it))).collect();
        let told_rejected =
            if drafts.is_empty() { String::new() } else { WORDS.fill("rejected", &[("drafts", &drafts.join("\n"))]) };
        let interjections = brief::interjections(&self.transcript);
        let text = WORDS
            .fill(DRAFT, &[("topic", &self.topic), ("interjections", &interjections), ("rejected", &told_rejected)]);
        let asked =
            Asked { purpose: DRAFT, manner: Manner::Draft, schema: schema::strict::<Drafted>(), schema_name: "draft" };
        let reasons = rejected.last().map(brief::issue_lines).unwrap_or_default();
        self.effect(self.generator(), asked, text, Work::Draft { rejected }, &[&self.topic, &reasons])
    }

    fn criticism(&self, thesis: &Proposal) -> Effect {
        let told = brief::proposal(thesis);
        let text = WORDS.fill(CRITICIZE, &self.slots(&told, &brief::interjections(&self.transcript)));
        let asked = Asked {
            purpose: CRITICIZE,
            manner: Manner::Criticism,
            schema: schema::strict::<Criticized>(),
            schema_name: "criticism",
        };
        let about = [thesis.text.as_str(), &self.topic];
        self.effect(self.critic(), asked, text, Work::Criticize { proposal: told }, &about)
    }

    fn synthesis(&self, thesis: &Proposal) -> Effect {
        let told = brief::proposal(thesis);
        let issues = brief::issue_lines(&told);
        let interjections = brief::interjections(&self.transcript);
        let mut slots = self.slots(&told, &interjections).to_vec();
        slots.push(("issues", &issues));
        let text = WORDS.fill(SYNTHESIZE, &slots);
        let asked = Asked {
            purpose: SYNTHESIZE,
            manner: Manner::Synthesis,
            schema: schema::strict::<Synthesized>(),
            schema_name: "synthesis",
        };
        let about = [issues.as_str(), &thesis.text, &self.topic];
        self.effect(self.synthesizer(), asked, text, Work::Synthesize { proposal: told.clone() }, &about)
    }

    fn slots<'a>(&'a self, told: &'a ProposalTold, interjections: &'a str) -> [(&'static str, &'a str); 5] {
        [
            ("topic", &self.topic),
            ("interjections", interjections),
            ("alias", &told.alias),
            ("proposal", &told.text),
            ("reasoning", &told.reasoning),
        ]
    }

    fn effect(&self, speaker: &Persona, asked: Asked, text: String, work: Work, about: &[&str]) -> Effect {
        let task = Task {
            topic: self.topic.clone(),
            seed: self.seed,
            speaker: Some(speaker.id.clone()),
            participants: self.participants.iter().map(|it| it.id.clone()).collect(),
            work,
        };
        Effect {
            key: key(asked.purpose, &speaker.id, self.round),
            voice: Voice::Persona(speaker.id.clone()),
            tier: Tier::Deep,
            prompt: Prompt {
                system: WORDS.fill("speaker", &[("persona", &manner::persona(speaker, asked.manner, self.seed))]),
                text,
                schema: asked.schema,
                schema_name: asked.schema_name,
                max_tokens: self.options.max_tokens,
                task,
            },
            ground: Query::about(&speaker.id, self.options.passages, about.iter().copied()),
        }
    }
}

struct Asked {
    purpose: &'static str,
    manner: Manner,
    schema: Value,
    schema_name: &'static str,
}

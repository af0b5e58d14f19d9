//! Probes of a debate that has ended, as a closing task that is due on request only.

use crate::events::checks::probes::{
    ContractProbed, ContradictionsProbed, EndorsementRating, EndorsementsProbed, ProbedPair, StatementPair,
};
use crate::events::event::{Event, Recorded};
use crate::events::ids::PersonaId;
use crate::events::lifecycle::DebateOpened;
use crate::events::receipt::{CONTRACT_PROBE, CONTRADICTION_PROBE, ENDORSEMENT_PROBE, EffectKey, PROBE_PURPOSES, Tier};
use crate::kernel::closing::closing::{ClosingTask, Occasion};
use crate::kernel::closing::probes::prompt_parts::contract_statements;
use crate::kernel::closing::probes::subjects::{ProbeSubjects, ProbedTurns};
use crate::kernel::closing::probes::{contract_probe, contradiction_probe, endorsement_probe};
use crate::kernel::effect::{AddedQueries, Effect, Responder, effect_key};
use crate::kernel::engine::EngineReply;
use crate::kernel::prompt::Prompt;
use crate::kernel::reply::Unreadable;
use crate::kernel::task::{StatementInput, StatementPairInput, Task, TaskKind};
use crate::projections::transcript::{Transcript, Turn};
use crate::verdicts::read_model::DebateReadModel;

/// Probes of one debate.
pub struct Probing {
    topic: String,
    seed: u64,
    participants: Vec<PersonaId>,
    /// Subjects of the latest round, as they were when it was requested.
    subjects: ProbeSubjects,
}

impl Probing {
    /// Creates the probes of an opened debate.
    pub fn new(opened: &DebateOpened) -> Probing {
        Probing {
            topic: opened.topic.clone(),
            seed: opened.seed,
            participants: opened.participants.iter().map(|persona| persona.id.clone()).collect(),
            subjects: ProbeSubjects::default(),
        }
    }

    /// Returns a task that a prompt completes.
    fn task(&self) -> Task {
        Task {
            topic: self.topic.clone(),
            seed: self.seed,
            speaker: None,
            participants: self.participants.clone(),
            work: TaskKind::RateStatements { statements: Vec::new() },
        }
    }

    fn contract_effect(&self, debate: &DebateReadModel, key: EffectKey, batch: &ProbedTurns) -> Option<Effect> {
        let statements = contract_statements(&debate.cast.get(&batch.speaker)?.contract);
        let turns = turns(&debate.transcript, batch);
        Some(effect(key, Responder::Clerk, contract_probe::prompt(self.task(), statements, &turns)))
    }

    fn endorsement_effect(&self, debate: &DebateReadModel, key: EffectKey, rater: &PersonaId) -> Option<Effect> {
        let prompt = endorsement_probe::prompt(self.task(), debate.cast.get(rater)?, self.rated());
        Some(effect(key, Responder::Persona(rater.clone()), prompt))
    }

    /// Returns the pairs of one request, as shown in its prompt.
    fn pairs(&self, batch: usize) -> Vec<StatementPairInput> {
        let pair = |(number, (one, other)): (usize, &(usize, usize))| {
            let (one, other) = (self.subjects.input(*one)?, self.subjects.input(*other)?);
            Some(StatementPairInput { alias: format!("p{number}"), one, other })
        };
        let all = (1..).zip(&self.subjects.pairs);
        all.skip(batch * contradiction_probe::BATCH).take(contradiction_probe::BATCH).filter_map(pair).collect()
    }

    /// Returns the statements to rate, as shown in a prompt.
    fn rated(&self) -> Vec<StatementInput> {
        (0..self.subjects.rated().len()).filter_map(|index| self.subjects.input(index)).collect()
    }
}

impl ClosingTask for Probing {
    fn purposes(&self) -> &'static [&'static str] {
        PROBE_PURPOSES
    }

    fn is_due(&self, occasion: Occasion) -> bool {
        occasion == Occasion::ProbesRequested
    }

    fn evolve(&mut self, recorded: &Recorded, debate: &DebateReadModel) {
        if matches!(recorded.event, Event::ProbesRequested(_)) {
            self.subjects = ProbeSubjects::of(debate);
        }
    }

    fn effects(&self, debate: &DebateReadModel, round: u32) -> Vec<Effect> {
        let contracts = (0..).zip(&self.subjects.batches).filter_map(|(ordinal, batch)| {
            self.contract_effect(debate, effect_key(CONTRACT_PROBE, round, ordinal), batch)
        });
        let n_batches = self.subjects.pairs.len().div_ceil(contradiction_probe::BATCH);
        let contradictions = (0..).zip(0..n_batches).map(|(ordinal, batch)| {
            let prompt = contradiction_probe::prompt(self.task(), self.pairs(batch));
            effect(effect_key(CONTRADICTION_PROBE, round, ordinal), Responder::Clerk, prompt)
        });
        let endorsements = (0..).zip(&self.subjects.raters).filter_map(|(ordinal, rater)| {
            self.endorsement_effect(debate, effect_key(ENDORSEMENT_PROBE, round, ordinal), rater)
        });
        contracts.chain(contradictions).chain(endorsements).collect()
    }

    fn left_out(&self) -> Option<String> {
        self.subjects.left_out()
    }

    fn decide(&self, debate: &DebateReadModel, key: &EffectKey, reply: &EngineReply) -> Result<Vec<Event>, Unreadable> {
        let index = key.ordinal as usize;
        let event = match key.purpose.as_str() {
            CONTRACT_PROBE => match self.subjects.batches.get(index) {
                Some(batch) => contract_probed(debate, batch, reply)?,
                None => return Ok(Vec::new()),
            },
            CONTRADICTION_PROBE => self.contradictions_probed(index, reply)?,
            _ => match self.subjects.raters.get(index) {
                Some(rater) => self.endorsements_probed(rater, reply)?,
                None => return Ok(Vec::new()),
            },
        };
        Ok(vec![event])
    }
}

impl Probing {
    fn contradictions_probed(&self, batch: usize, reply: &EngineReply) -> Result<Event, Unreadable> {
        let inputs = self.pairs(batch);
        let asked: Vec<String> = inputs.iter().map(|pair| pair.alias.clone()).collect();
        let found = contradiction_probe::read(reply.text, &asked)?;
        let indices = self.subjects.pairs.iter().skip(batch * contradiction_probe::BATCH);
        let (mut pairs, mut unread) = (Vec::new(), Vec::new());
        for ((one, other), alias) in indices.zip(&asked) {
            let statements = &self.subjects.statements;
            let (one, other) = (statements[*one].dispute, statements[*other].dispute);
            match found.contradicts.iter().find(|(name, _)| name == alias) {
                Some((_, contradicts)) => pairs.push(ProbedPair { one, other, contradicts: *contradicts }),
                None => unread.push(StatementPair { one, other }),
            }
        }
        let (model, refused) = (reply.by.to_owned(), found.refused);
        Ok(Event::ContradictionsProbed(ContradictionsProbed { model, pairs, unread, refused }))
    }

    fn endorsements_probed(&self, rater: &PersonaId, reply: &EngineReply) -> Result<Event, Unreadable> {
        let asked: Vec<String> = self.rated().into_iter().map(|statement| statement.alias).collect();
        let found = endorsement_probe::read(reply.text, &asked)?;
        let (mut ratings, mut unread) = (Vec::new(), Vec::new());
        for (statement, alias) in self.subjects.rated().iter().zip(&asked) {
            let (dispute, side) = (statement.dispute, statement.side);
            match found.ratings.iter().find(|(name, _)| name == alias) {
                Some((_, rating)) => ratings.push(EndorsementRating { dispute, side, rating: *rating }),
                None => unread.push(dispute),
            }
        }
        let (model, speaker, refused) = (reply.by.to_owned(), rater.clone(), found.refused);
        Ok(Event::EndorsementsProbed(EndorsementsProbed { model, speaker, ratings, unread, refused }))
    }
}

fn contract_probed(debate: &DebateReadModel, batch: &ProbedTurns, reply: &EngineReply) -> Result<Event, Unreadable> {
    let contract = debate.cast.get(&batch.speaker).map(|persona| &persona.contract);
    let statements = contract.map(contract_statements).unwrap_or_default();
    let found = contract_probe::read(reply.text, &turns(&debate.transcript, batch), &statements)?;
    Ok(Event::ContractProbed(ContractProbed {
        model: reply.by.to_owned(),
        speaker: batch.speaker.clone(),
        turns: found.read,
        contradictions: found.contradictions,
        unread: found.unread,
        refused: found.refused,
    }))
}

/// Returns the turns of a request.
fn turns<'a>(transcript: &'a Transcript, batch: &ProbedTurns) -> Vec<&'a Turn> {
    batch.turns.iter().filter_map(|turn| transcript.turn(*turn)).collect()
}

fn effect(key: EffectKey, voice: Responder, prompt: Prompt) -> Effect {
    Effect { key, voice, tier: Tier::Quick, prompt, ground: None, added: AddedQueries::default() }
}

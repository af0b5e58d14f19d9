//! Events of one round of the graph engine that the old engine sent together: the arguments of a participant, the
//! attacks of a round, and the judgements of a round.
//!
//! A batch ends with an event that cannot belong to it, so the old events depend on the log alone: a client that
//! reconnects receives the same ones.

use serde_json::{Value, json};

use crate::events::argument::{AttackJudged, AttackRaised};
use crate::events::dispute::StanceTaken;
use crate::events::ids::{AttackId, PersonaId, TurnId};
use crate::export::legacy::legacy_debate::{LegacyDebate, attack_name, claim_name, kind_name};

/// Events of the present round that are not sent yet.
#[derive(Clone, Debug, Default)]
pub struct RoundBatch {
    submission: Option<Submission>,
    attacks: Vec<AttackRaised>,
    judgements: Vec<AttackJudged>,
    /// Number of attacks that were raised in the present round.
    pub raised: usize,
    /// Number of attacks that were judged valid in the present round.
    pub valid: usize,
}

/// Turn of the opening: its arguments, and the stance on the topic.
#[derive(Clone, Debug)]
struct Submission {
    speaker: PersonaId,
    turn: TurnId,
    arguments: Vec<Value>,
    stance: Option<StanceTaken>,
}

impl RoundBatch {
    /// Adds an argument to the submission of its turn. Returns the old events of an earlier submission.
    pub fn add_argument(
        &mut self,
        legacy: &LegacyDebate,
        (speaker, turn): (&PersonaId, TurnId),
        argument: Value,
    ) -> Vec<Value> {
        let sent = self.begin_submission(legacy, speaker, turn);
        self.submission.iter_mut().for_each(|submission| submission.arguments.push(argument.clone()));
        sent
    }

    /// Adds the stance on the topic to the submission of its turn. Returns the old events of an earlier submission.
    pub fn add_stance(&mut self, legacy: &LegacyDebate, taken: &StanceTaken) -> Vec<Value> {
        let sent = self.begin_submission(legacy, &taken.speaker, taken.turn);
        self.submission.iter_mut().for_each(|submission| submission.stance = Some(taken.clone()));
        sent
    }

    fn begin_submission(&mut self, legacy: &LegacyDebate, speaker: &PersonaId, turn: TurnId) -> Vec<Value> {
        if self.submission.as_ref().is_some_and(|submission| submission.turn == turn) {
            return Vec::new();
        }
        let sent = self.send_submission(legacy);
        self.submission = Some(Submission { speaker: speaker.clone(), turn, arguments: Vec::new(), stance: None });
        sent
    }

    /// Adds an attack. Returns the old events of earlier arguments and judgements.
    pub fn add_attack(&mut self, legacy: &LegacyDebate, raised: &AttackRaised) -> Vec<Value> {
        let mut sent = self.send_submission(legacy);
        sent.extend(self.send_judgements(legacy));
        self.attacks.push(raised.clone());
        self.raised += 1;
        sent
    }

    /// Adds a judgement. Returns the old events of the attacks before it.
    pub fn add_judgement(&mut self, legacy: &LegacyDebate, judged: &AttackJudged) -> Vec<Value> {
        let sent = self.send_attacks(legacy);
        self.judgements.push(judged.clone());
        sent
    }

    /// Returns everything that is not sent yet.
    pub fn send_all(&mut self, legacy: &LegacyDebate) -> Vec<Value> {
        let sent = self.send_attacks(legacy);
        sent.into_iter().chain(self.send_judgements(legacy)).collect()
    }

    /// Returns the arguments of the latest turn, and the stance on the topic.
    pub fn send_submission(&mut self, legacy: &LegacyDebate) -> Vec<Value> {
        let Some(Submission { speaker, turn, arguments, stance }) = self.submission.take() else {
            return Vec::new();
        };
        let (name, round) = (legacy.name(&speaker), legacy.round(turn));
        let submitted = (!arguments.is_empty()).then(
            || json!({ "type": "arguments_submitted", "personaId": name, "arguments": arguments, "round": round }),
        );
        let initial = stance.map(|taken| {
            let claim = claim_name(taken.dispute);
            let reasonings: Vec<Value> =
                taken.quote.iter().map(|words| json!({ "claimId": claim, "reasoning": words })).collect();
            let stance = legacy.stance(&speaker, taken.dispute, (taken.side, taken.confidence), round);
            json!({ "type": "initial_stance", "personaId": name, "stances": [stance], "reasonings": reasonings })
        });
        submitted.into_iter().chain(initial).collect()
    }

    /// Returns the attacks that are not sent yet, after the arguments before them.
    pub fn send_attacks(&mut self, legacy: &LegacyDebate) -> Vec<Value> {
        let mut sent = self.send_submission(legacy);
        let attacks = std::mem::take(&mut self.attacks);
        let Some(first) = attacks.first() else { return sent };
        let (round, count) = (legacy.round(first.turn), attacks.len());
        let attacks: Vec<Value> = attacks.iter().map(|attack| legacy.attack(attack)).collect();
        sent.push(json!({ "type": "attacks_generated", "attacks": attacks, "round": round }));
        let message = format!("Round {round}: Validating {count} attacks...");
        sent.push(json!({ "type": "status", "phase": "validation", "message": message }));
        sent
    }

    /// Returns the judgements that are not sent yet, and a message for each valid attack.
    fn send_judgements(&mut self, legacy: &LegacyDebate) -> Vec<Value> {
        let judged = std::mem::take(&mut self.judgements);
        let Some(first) = judged.first() else { return Vec::new() };
        let attack = |id: AttackId| legacy.read_model.arguments.attacks.get(&id).map(|attack| &attack.raised);
        let round = attack(first.attack).map_or(0, |raised| legacy.round(raised.turn));
        let results: Vec<Value> = judged.iter().map(|judgement| legacy.validation(judgement)).collect();
        let valid = judged.iter().filter(|judgement| judgement.valid);
        let turns: Vec<Value> = valid.filter_map(|judgement| agent_turn(legacy, attack(judgement.attack)?)).collect();
        self.valid += turns.len();
        let complete = json!({ "type": "validation_complete", "results": results, "round": round });
        std::iter::once(complete).chain(turns).collect()
    }
}

/// Message of a valid attack: its counter-claim behind the kind of the attack, and the current stance of its speaker.
fn agent_turn(legacy: &LegacyDebate, raised: &AttackRaised) -> Option<Value> {
    let attack = legacy.read_model.arguments.attacks.get(&raised.attack)?;
    let claim = &legacy.read_model.arguments.arguments.get(&raised.source)?.advanced.claim;
    let (kind, round) = (kind_name(attack.kind()), legacy.round(raised.turn));
    let stance = legacy.topic_stance(&raised.speaker, round);
    Some(json!({
        "type": "agent_turn",
        "personaId": legacy.name(&raised.speaker),
        "tableId": 0,
        "content": format!("[{}] {claim}", kind.to_uppercase()),
        "stance": stance,
        "stances": stance.iter().collect::<Vec<_>>(),
        "round": round,
        "attackId": attack_name(raised.attack),
        "attackType": kind,
        "counterProposition": claim,
    }))
}

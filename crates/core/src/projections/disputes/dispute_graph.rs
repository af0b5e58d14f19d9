//! Disputes of a debate, with stances and reasons.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::events::audit::{AuditQuestion, Reading, WordsAudited};
use crate::events::dispute::StanceTaken;
use crate::events::distillation::{Comparison, ComparisonFinding};
use crate::events::event::{Event, Recorded};
use crate::events::ids::{DisputeId, PersonaId, PointId, ReasonId, TurnId};
use crate::projections::disputes::dispute_state::{Dispute, Reason, Stance};
use crate::projections::projection::Projection;
use crate::questions::stated_answer::can_state;
use crate::questions::wording::asks_the_same;
use faultline_argumentation::framework::Framework;

/// All disputes of a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DisputeGraph {
    /// Disputes by id, in the order in which they were raised.
    pub disputes: BTreeMap<DisputeId, Dispute>,
    /// Every comparison of two reasons, with any result.
    #[serde(default)]
    pub comparisons: Vec<Comparison>,
    spoken: BTreeMap<TurnId, PersonaId>,
}

/// Argumentation framework of the live reasons of one dispute, with dense indices and the ids behind them.
#[derive(Clone, Debug)]
pub struct ReasonFramework {
    /// Reasons and attacks by index.
    pub framework: Framework,
    /// Reason id at each index, ascending.
    pub ids: Vec<ReasonId>,
}

impl Projection for DisputeGraph {
    fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::TurnTaken(taken) => {
                self.spoken.insert(taken.turn, taken.speaker.clone());
            }
            Event::Interjected(said) => {
                if let Some(speaker) = &said.speaker {
                    self.spoken.insert(said.turn, speaker.clone());
                }
            }
            Event::DisputeRaised(raised) => {
                self.disputes.entry(raised.dispute).or_insert_with(|| Dispute::raised(raised));
            }
            Event::DisputeLinked(linked) => {
                if let Some(dispute) = self.disputes.get_mut(&linked.dispute) {
                    dispute.wordings.push(linked.clone());
                }
            }
            Event::StanceTaken(taken) => {
                self.take_stance(taken, recorded.version);
            }
            Event::DisputeRevised(revised) => {
                if let Some(dispute) = self.disputes.get_mut(&revised.dispute) {
                    dispute.revise(revised, recorded.version);
                }
            }
            Event::TurnsCrystallized(_) => {
                self.disputes.values_mut().for_each(|dispute| dispute.readings += 1);
            }
            Event::DisputeRetired(retired) => {
                if let Some(dispute) = self.disputes.get_mut(&retired.dispute) {
                    dispute.retired = Some(retired.reason.clone());
                }
            }
            Event::ReasonGiven(given) => {
                let (given, version) = (given.clone(), recorded.version);
                let reason = Reason { given, withdrawn: None, version, reading: None };
                if let Some(dispute) = self.disputes.get_mut(&reason.given.dispute) {
                    dispute.reasons.insert(reason.given.reason, reason);
                }
            }
            Event::ReasonWithdrawn(withdrawn) => {
                let reasons = self.disputes.values_mut().flat_map(|dispute| &mut dispute.reasons);
                for (_, reason) in reasons.filter(|(id, _)| **id == withdrawn.reason) {
                    reason.withdrawn = Some(withdrawn.clone());
                }
            }
            Event::WordsAudited(audited) if audited.auditor.qualified => self.read_again(audited),
            Event::ClaimsCompared(compared) => {
                let of_reasons = compared.pairs.iter().filter(|pair| matches!(pair.one, PointId::Reason(_)));
                self.comparisons.extend(of_reasons.cloned());
            }
            _ => {}
        }
    }
}

impl DisputeGraph {
    fn read_again(&mut self, audited: &WordsAudited) {
        let on = |asked: AuditQuestion| {
            let readings = audited.readings.iter().filter(move |it| it.asked == asked);
            readings.map(|it| (it.event, it.reading)).collect::<BTreeMap<i64, Reading>>()
        };
        let (sides, claims) = (on(AuditQuestion::Side), on(AuditQuestion::Claim));
        for dispute in self.disputes.values_mut() {
            for (_, stance) in dispute.history.iter_mut().chain(&mut dispute.contested) {
                stance.reading = sides.get(&stance.version).copied().or(stance.reading);
            }
            for reason in dispute.reasons.values_mut() {
                reason.reading = claims.get(&reason.version).copied().or(reason.reading);
            }
            dispute.recount();
        }
    }

    fn take_stance(&mut self, taken: &StanceTaken, version: i64) {
        let own_turn = self.spoken.get(&taken.turn) == Some(&taken.speaker);
        if let Some(dispute) = self.disputes.get_mut(&taken.dispute).filter(|_| own_turn) {
            let stance = Stance {
                side: taken.side,
                turn: taken.turn,
                statement: taken.statement.clone(),
                confidence: taken.confidence,
                quote: taken.quote.clone(),
                version,
                reading: None,
            };
            let held = dispute.stances.get(&taken.speaker).is_some_and(|stance| stance.side == taken.side);
            let states = |words: &String| {
                let answer = |negates: bool| taken.side.answer().map(|yes| yes != negates);
                dispute.worded().all(|(question, negates)| can_state(words, question, answer(negates), held))
            };
            if !stance.quote.as_ref().is_some_and(states) {
                dispute.reported.push((taken.speaker.clone(), stance));
                return;
            }
            dispute.history.push((taken.speaker.clone(), stance.clone()));
            dispute.stances.insert(taken.speaker.clone(), stance);
            dispute.was_open |= dispute.is_split();
        }
    }

    /// Disputes that are not retired.
    pub fn not_retired(&self) -> impl Iterator<Item = (DisputeId, &Dispute)> {
        self.disputes.iter().filter(|(_, dispute)| dispute.retired.is_none()).map(|(id, dispute)| (*id, dispute))
    }

    /// Finds a reason and its dispute.
    pub fn reason(&self, id: ReasonId) -> Option<(DisputeId, &Reason)> {
        self.disputes.iter().find_map(|(dispute, entry)| entry.reasons.get(&id).map(|reason| (*dispute, reason)))
    }

    /// Reasons that are neither withdrawn nor contested, of disputes that are not retired, ordered by dispute.
    pub fn live_reasons(&self) -> impl Iterator<Item = (ReasonId, &Reason)> {
        self.not_retired().flat_map(|(_, dispute)| dispute.live_reasons())
    }

    /// Pairs of live reasons of different speakers on the same dispute, the smaller id first.
    pub fn pairs(&self) -> Vec<(ReasonId, ReasonId)> {
        let mut pairs = Vec::new();
        for (_, dispute) in self.not_retired() {
            let live: Vec<_> = dispute.live_reasons().collect();
            for (index, (one, reason)) in live.iter().enumerate() {
                let others = live[index + 1..].iter().filter(|(_, other)| other.given.speaker != reason.given.speaker);
                pairs.extend(others.map(|(other, _)| (*one, *other)));
            }
        }
        pairs
    }

    /// Pairs of reasons that were examined for conflict, the smaller id first: one was given against the other, or they
    /// were compared.
    pub fn examined(&self) -> BTreeSet<(ReasonId, ReasonId)> {
        let reasons = self.disputes.values().flat_map(|dispute| dispute.reasons.values());
        let given =
            reasons.flat_map(|attacker| attacker.given.attacks.iter().map(|other| (attacker.given.reason, *other)));
        given.chain(self.compared(|_| true)).map(|(one, other)| (one.min(other), one.max(other))).collect()
    }

    /// Builds the argumentation framework of a dispute's live reasons. A reason given against another attacks it; two
    /// reasons that were compared and found in conflict attack each other.
    pub fn reason_framework(&self, dispute: &Dispute) -> ReasonFramework {
        let ids: Vec<ReasonId> = dispute.live_reasons().map(|(id, _)| id).collect();
        let index = |id: ReasonId| ids.binary_search(&id).ok().and_then(|place| u32::try_from(place).ok());
        let attacks: BTreeSet<(u32, u32)> = self
            .reason_attacks(dispute)
            .filter_map(|(attacker, attacked)| Some((index(attacker)?, index(attacked)?)))
            .collect();
        let framework = Framework::new(ids.len(), attacks).expect("every index comes from the list of ids");
        ReasonFramework { framework, ids }
    }

    /// Attacks among the reasons of a dispute, live or not: the attacking reason and the attacked one. A conflict that a
    /// comparison found is an attack in both directions.
    pub fn reason_attacks(&self, dispute: &Dispute) -> impl Iterator<Item = (ReasonId, ReasonId)> {
        let given = dispute.reasons.values();
        let given =
            given.flat_map(|attacker| attacker.given.attacks.iter().map(|other| (attacker.given.reason, *other)));
        let mutual = self.compared(|finding| finding == ComparisonFinding::Conflict);
        given.chain(mutual.flat_map(|(one, other)| [(one, other), (other, one)]))
    }

    fn compared(&self, which: fn(ComparisonFinding) -> bool) -> impl Iterator<Item = (ReasonId, ReasonId)> {
        self.comparisons.iter().filter(move |comparison| which(comparison.finding)).filter_map(|comparison| {
            match (comparison.one, comparison.other) {
                (PointId::Reason(one), PointId::Reason(other)) => Some((one, other)),
                _ => None,
            }
        })
    }

    /// Next unused reason id.
    pub fn next_reason(&self) -> ReasonId {
        let last =
            self.disputes.values().filter_map(|dispute| dispute.reasons.last_key_value()).map(|(id, _)| id.0).max();
        ReasonId(last.map_or(1, |number| number + 1))
    }

    /// Next unused dispute id.
    pub fn next_dispute(&self) -> DisputeId {
        DisputeId(self.disputes.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// Dispute about the topic of the debate, if an engine raised it.
    pub fn topic(&self) -> Option<(DisputeId, &Dispute)> {
        self.disputes.iter().find(|(_, dispute)| dispute.is_topic).map(|(id, dispute)| (*id, dispute))
    }

    /// True if a statement asks the debate's topic, or the question of the dispute about it.
    pub fn asks_topic(&self, topic: &str, statement: &str) -> bool {
        let questions = self.topic().map(|(_, dispute)| dispute.question.as_str()).into_iter().chain([topic]);
        questions.into_iter().any(|question| asks_the_same(statement, question))
    }
}

//! Cruxes: statements and questions that decide the disagreement, computed from the structure of the debate without a
//! language model.
//!
//! There are three origins. *By dispute*: an open question with a yes and a no. *By participants*: a statement that one
//! participant proposed as the crux and another agreed with; a proposal alone is not a crux. *By structure*: the
//! grounds of the arguments on which the preferred extensions differ; if they do not differ, the grounds of arguments
//! that contradict each other across speakers, if settling them decides a thesis.
//!
//! A crux by dispute is resolved when all participants take the same side. A crux by structure is never resolved: if
//! the extensions no longer differ, the reason may be that nobody answered, which settles nothing. It then just stops
//! being a crux.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::events::dispute::Side;
use crate::events::ids::{ArgumentId, CruxId, DisputeId, PersonaId, TurnId};
use crate::projections::argument_graph::{ArgumentFramework, ArgumentGraph};
use crate::projections::crux_proposals::{CruxProposals, ProposedCrux};
use crate::projections::dispute_graph::{Dispute, DisputeGraph, DisputeStatus, Stance};
use crate::projections::transcript::Transcript;
use crate::verdicts::candidates::{Candidate, Level, candidates, disputed, theses};
use crate::verdicts::consequence::{Consequence, consequences};
use crate::verdicts::crux_id::{CruxKey, normal};
use crate::verdicts::crux_position::Position;
use crate::verdicts::crux_text::{quoted, settling_question, why_acknowledged, why_dispute, why_statement};
use faultline_argumentation::explanation::acceptance::Acceptance;

/// Crux of a debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crux {
    /// Key within the debate. It does not change when the debate continues.
    pub key: CruxKey,
    /// Origin of the crux.
    pub origin: CruxOrigin,
    /// True if participants still disagree; false for a dispute on which all took the same side.
    pub open: bool,
    /// Statement of the crux, in the words of the participants.
    pub statement: String,
    /// Question whose answer would settle it.
    pub question: String,
    /// Explanation of its rank.
    pub why: String,
    /// Share of theses, other than those that rest on it, whose status changes if it is settled, from 0 to 1. `None`
    /// for a crux by dispute or by participants, since no argument rests on it.
    pub pivotality: Option<f64>,
    /// Consequence from which pivotality is computed; `None` if that is `None`.
    pub consequence: Option<Consequence>,
    /// Disputed arguments that rest on it.
    pub dependents: Vec<ArgumentId>,
    /// Other grounds of these arguments: their assumptions, or their premises if they have no assumptions.
    pub assumptions: Vec<String>,
    /// Number of attacks on and by these arguments.
    pub attack_degree: usize,
    /// Positions of the participants.
    pub positions: Vec<Position>,
    /// Turns in which it was stated or attacked.
    pub turns: Vec<TurnId>,
    /// Turn in which it became a crux: in which a yes and a no were first opposed, or in which an argument that rests
    /// on it first attacked or was attacked.
    pub opened: TurnId,
}

impl Crux {
    /// Returns the times at which it became a crux and of its latest turn. Uses the opening of the debate for turns
    /// that are not in the transcript.
    pub fn times(&self, transcript: &Transcript, debate_opened: DateTime<Utc>) -> (DateTime<Utc>, DateTime<Utc>) {
        let at = |turn: TurnId| transcript.turn(turn).map_or(debate_opened, |turn| turn.at);
        let opened = at(self.opened);
        (opened, self.turns.iter().map(|turn| at(*turn)).max().unwrap_or(opened).max(opened))
    }
}

/// Origin of a crux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CruxOrigin {
    /// Open dispute.
    Dispute {
        /// Id of the dispute.
        dispute: DisputeId,
    },
    /// Statement that one participant proposed as the crux and another agreed with.
    Acknowledged {
        /// Id of the proposed crux.
        proposal: CruxId,
    },
    /// Statement on which disputed arguments rest.
    Structure {
        /// Role of the statement in these arguments.
        level: Level,
    },
}

impl CruxOrigin {
    /// Name of the origin: `dispute`, `acknowledged`, `assumption`, `premise`, `claim`.
    pub fn name(self) -> &'static str {
        match self {
            CruxOrigin::Dispute { .. } => "dispute",
            CruxOrigin::Acknowledged { .. } => "acknowledged",
            CruxOrigin::Structure { level: Level::Assumption } => "assumption",
            CruxOrigin::Structure { level: Level::Premise } => "premise",
            CruxOrigin::Structure { level: Level::Claim } => "claim",
        }
    }
}

/// Projections from which cruxes are computed.
#[derive(Clone, Copy, Debug)]
pub struct CruxInputs<'a> {
    /// Turns.
    pub transcript: &'a Transcript,
    /// Arguments and attacks.
    pub graph: &'a ArgumentGraph,
    /// Framework of the live arguments.
    pub framed: &'a ArgumentFramework,
    /// Disputes and stances.
    pub disputes: &'a DisputeGraph,
    /// Proposed cruxes.
    pub proposals: &'a CruxProposals,
}

/// Finds all cruxes: first open disputes, then cruxes that participants agreed on, then structural ones by pivotality,
/// number of dependents and attack degree.
///
/// Cost: one pass over the framework for every 256 candidates, plus that of `consequence`.
pub fn cruxes(views: CruxInputs<'_>, acceptance: &Acceptance) -> Vec<Crux> {
    let split = views.disputes.not_retired().filter(|(_, dispute)| dispute.is_split());
    let mut cruxes: Vec<Crux> = split.map(|(id, dispute)| by_dispute(views.transcript, id, dispute)).collect();
    cruxes.extend(views.proposals.acknowledged().map(|(id, crux)| by_participants(views.transcript, id, crux)));
    let mut structural = by_structure(views, acceptance);
    structural.sort_by(|one, other| {
        let pivotality = |crux: &Crux| crux.pivotality.unwrap_or(0.0);
        pivotality(other)
            .total_cmp(&pivotality(one))
            .then(other.dependents.len().cmp(&one.dependents.len()))
            .then(other.attack_degree.cmp(&one.attack_degree))
            .then(one.origin.cmp(&other.origin))
            .then(one.dependents.cmp(&other.dependents))
            .then(one.statement.cmp(&other.statement))
    });
    cruxes.extend(structural);
    cruxes
}

/// Finds the resolved cruxes: disputes that were open and on which all now take the same side.
pub fn resolved(views: CruxInputs<'_>) -> Vec<Crux> {
    let settled = views.disputes.not_retired().filter(|(_, dispute)| dispute.status() == DisputeStatus::Settled);
    settled.map(|(id, dispute)| by_dispute(views.transcript, id, dispute)).collect()
}

fn by_dispute(transcript: &Transcript, id: DisputeId, dispute: &Dispute) -> Crux {
    let words = |stance: &Stance| match &stance.statement {
        Some(statement) => quoted(statement),
        None => transcript.turn(stance.turn).map(|turn| quoted(&turn.text)).unwrap_or_default(),
    };
    let stances = dispute.stances.iter();
    let positions: Vec<Position> = stances
        .map(|(persona, stance)| Position {
            persona: persona.clone(),
            side: stance.side,
            turn: stance.turn,
            argument: None,
            words: words(stance),
        })
        .collect();
    let turns = in_order(positions.iter().map(|position| position.turn));
    Crux {
        key: CruxKey::Dispute(id),
        origin: CruxOrigin::Dispute { dispute: id },
        open: dispute.is_split(),
        statement: dispute.question.clone(),
        question: dispute.question.clone(),
        why: why_dispute(&positions),
        pivotality: None,
        consequence: None,
        dependents: Vec::new(),
        assumptions: Vec::new(),
        attack_degree: 0,
        opened: dispute.opened_in().or(turns.first().copied()).unwrap_or(TurnId(0)),
        turns,
        positions,
    }
}

/// Crux by participants. Its positions are yes for the proposer and all who agreed.
fn by_participants(transcript: &Transcript, id: CruxId, crux: &ProposedCrux) -> Crux {
    let ProposedCrux { proposed, acknowledged, .. } = crux;
    let agreed = acknowledged.iter().map(|acknowledgement| (&acknowledgement.speaker, acknowledgement.turn));
    let positions: Vec<Position> = std::iter::once((&proposed.speaker, proposed.turn))
        .chain(agreed)
        .map(|(persona, turn)| Position {
            persona: persona.clone(),
            side: Side::Yes,
            turn,
            argument: None,
            words: transcript.turn(turn).map(|turn| quoted(&turn.text)).unwrap_or_default(),
        })
        .collect();
    Crux {
        key: CruxKey::Proposal(id),
        origin: CruxOrigin::Acknowledged { proposal: id },
        open: true,
        statement: proposed.statement.clone(),
        question: settling_question(Level::Claim, &proposed.statement),
        why: why_acknowledged(crux),
        pivotality: None,
        consequence: None,
        dependents: Vec::new(),
        assumptions: Vec::new(),
        attack_degree: 0,
        opened: acknowledged.first().map_or(proposed.turn, |acknowledgement| acknowledgement.turn),
        turns: in_order(positions.iter().map(|position| position.turn)),
        positions,
    }
}

fn by_structure(views: CruxInputs<'_>, acceptance: &Acceptance) -> Vec<Crux> {
    let CruxInputs { graph, framed, .. } = views;
    let disputed = disputed(graph, framed, acceptance);
    let theses = theses(graph, framed, &disputed.arguments);
    let candidates = candidates(graph, framed, &disputed.arguments);
    let consequences = consequences(&framed.framework, &theses, candidates.iter().map(|candidate| &candidate.settled));
    let judged = candidates.iter().zip(consequences);
    let counts = judged.filter(|(_, consequence)| disputed.by_extensions || consequence.changed > 0);
    counts.map(|(candidate, consequence)| of_statement(views, &disputed.arguments, candidate, consequence)).collect()
}

fn of_statement(
    views: CruxInputs<'_>,
    disputed: &BTreeSet<u32>,
    candidate: &Candidate,
    consequence: Consequence,
) -> Crux {
    let CruxInputs { graph, framed, .. } = views;
    let settled: Vec<u32> = candidate.settled.iter().copied().collect();
    let framework = &framed.framework;
    let attacks =
        settled.iter().map(|argument| framework.attackers(*argument).len() + framework.attacked(*argument).len());
    let dependents: Vec<ArgumentId> =
        settled.iter().filter(|argument| disputed.contains(argument)).map(|argument| framed.id(*argument)).collect();
    let (turns, opened) = turns(graph, framed, &settled);
    Crux {
        key: CruxKey::of_statement(&candidate.text),
        origin: CruxOrigin::Structure { level: candidate.level },
        open: true,
        statement: candidate.text.clone(),
        question: settling_question(candidate.level, &candidate.text),
        why: why_statement(&consequence, dependents.len()),
        pivotality: Some(consequence.pivotality()),
        consequence: Some(consequence),
        assumptions: behind(graph, &dependents, &candidate.text),
        dependents,
        attack_degree: attacks.sum(),
        positions: positions(graph, framed, &settled),
        turns,
        opened,
    }
}

/// Other grounds of the arguments, without the statement; each text once.
fn behind(graph: &ArgumentGraph, arguments: &[ArgumentId], statement: &str) -> Vec<String> {
    let mut known = BTreeSet::from([normal(statement)]);
    let mut texts = Vec::new();
    for argument in arguments.iter().filter_map(|id| graph.arguments.get(id)) {
        let advanced = &argument.advanced;
        let those = if advanced.assumptions.is_empty() { &advanced.premises } else { &advanced.assumptions };
        texts.extend(those.iter().filter(|text| known.insert(normal(text))).cloned());
    }
    texts
}

/// Positions on a statement: yes for speakers of arguments that rest on it, no for speakers who only attack such an
/// argument.
fn positions(graph: &ArgumentGraph, framed: &ArgumentFramework, settled: &[u32]) -> Vec<Position> {
    let mut positions: BTreeMap<&PersonaId, Position> = BTreeMap::new();
    let attackers = settled.iter().flat_map(|argument| framed.framework.attackers(*argument)).copied();
    let sides = settled
        .iter()
        .copied()
        .map(|argument| (argument, Side::Yes))
        .chain(attackers.map(|attacker| (attacker, Side::No)));
    for (index, side) in sides {
        let id = framed.id(index);
        if let Some(advanced) = graph.arguments.get(&id).map(|argument| &argument.advanced) {
            let (persona, words) = (advanced.speaker.clone(), quoted(&advanced.claim));
            let position = Position { persona, side, turn: advanced.turn, argument: Some(id), words };
            positions.entry(&advanced.speaker).or_insert(position);
        }
    }
    positions.into_values().collect()
}

/// Returns the turns in which the arguments were advanced or attacked, ascending, and the first turn in which one of
/// them attacked or was attacked.
fn turns(graph: &ArgumentGraph, framed: &ArgumentFramework, settled: &[u32]) -> (Vec<TurnId>, TurnId) {
    let ids: BTreeSet<ArgumentId> = settled.iter().map(|argument| framed.id(*argument)).collect();
    let said = ids.iter().filter_map(|id| graph.turn(*id));
    let attacks = || graph.active().map(|(_, attack)| &attack.raised);
    let on = attacks().filter(|attack| ids.contains(&attack.target));
    let turns = in_order(said.chain(on.flat_map(|attack| graph.turn(attack.source).into_iter().chain([attack.turn]))));
    let either = attacks().filter(|attack| ids.contains(&attack.target) || ids.contains(&attack.source));
    let opened = either.map(|attack| attack.turn).min().or(turns.first().copied());
    (turns, opened.unwrap_or(TurnId(0)))
}

fn in_order(turns: impl Iterator<Item = TurnId>) -> Vec<TurnId> {
    let ordered: BTreeSet<TurnId> = turns.collect();
    ordered.into_iter().collect()
}

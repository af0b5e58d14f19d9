//! Cruxes: what the disagreement turns on. Computed from the structure of the debate, never asked for.
//!
//! Three origins. *By dispute*: an open question with a yes and a no. *By participants*: a statement that one proposed and
//! another agreed with; a proposal alone is none. *By structure*: what the arguments on which the
//! preferred extensions differ take for granted; where they differ on nothing, the arguments that contradict each other
//! across speakers and whose settlement decides a thesis.
//!
//! A crux by dispute is resolved when all come to one side. A crux by structure never is: where the arguments no longer
//! differ, it may be that nobody answered, and that settles nothing. It is a crux no more, and no more is said of it.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::argumentation::acceptance::Acceptance;
use crate::events::dispute::Side;
use crate::events::ids::{ArgumentId, CruxId, DisputeId, PersonaId, TurnId};
use crate::projections::argument_graph::{ArgumentGraph, Framed};
use crate::projections::crux_proposals::{CruxProposals, ProposedCrux};
use crate::projections::dispute_graph::{Dispute, DisputeGraph, DisputeStatus, Stance};
use crate::projections::transcript::Transcript;
use crate::verdicts::candidates::{Candidate, Level, candidates, disputed, theses};
use crate::verdicts::consequence::{Consequence, consequences};
use crate::verdicts::crux_name::{CruxKey, normal};
use crate::verdicts::crux_words::{quoted, settling, why_acknowledged, why_dispute, why_statement};

/// What a disagreement turns on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crux {
    /// Its name among the debate's cruxes. It stays when the debate goes on.
    pub key: CruxKey,
    /// How it was found.
    pub origin: Origin,
    /// Whether it still divides them; false for a dispute on which all came to one side.
    pub open: bool,
    /// The crux, in the words of those who disagree.
    pub statement: String,
    /// A question that somebody could answer to settle it.
    pub question: String,
    /// Why it has its rank, in words.
    pub why: String,
    /// The share of theses, of others than its own, whose status its settlement changes: from 0 to 1. `None` for a
    /// crux by dispute or by participants: no argument rests on it.
    pub pivotality: Option<f64>,
    /// What hangs on it, of which pivotality is the share. `None` where that is `None`.
    pub consequence: Option<Consequence>,
    /// Disputed arguments that rest on it.
    pub dependents: Vec<ArgumentId>,
    /// What these arguments rest on beside it: their assumptions; their premises, of those that assume nothing.
    pub assumptions: Vec<String>,
    /// Attacks on and by those arguments.
    pub attack_degree: usize,
    /// Who stands where.
    pub positions: Vec<Position>,
    /// The turns in which it was said, and in which it was attacked.
    pub turns: Vec<TurnId>,
    /// The turn in which it came to be one: a yes first stood against a no, or an argument that rests on it was first
    /// attacked, or first attacked another.
    pub opened: TurnId,
}

impl Crux {
    /// When it came to be a crux, and when the newest turn behind it was recorded. Where the transcript has no such turn,
    /// when the debate was opened.
    pub fn times(&self, transcript: &Transcript, debate_opened: DateTime<Utc>) -> (DateTime<Utc>, DateTime<Utc>) {
        let at = |turn: TurnId| transcript.turn(turn).map_or(debate_opened, |it| it.at);
        let opened = at(self.opened);
        (opened, self.turns.iter().map(|it| at(*it)).max().unwrap_or(opened).max(opened))
    }
}

/// How a crux was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Origin {
    /// An open dispute.
    Dispute {
        /// Which.
        dispute: DisputeId,
    },
    /// A statement that a participant proposed as the crux, and another agreed with.
    Acknowledged {
        /// Which of the proposed.
        proposal: CruxId,
    },
    /// Something that disputed arguments rest on.
    Structure {
        /// What it is to them.
        level: Level,
    },
}

impl Origin {
    /// The origin's name: `dispute`, `acknowledged`, `assumption`, `premise`, `claim`.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Dispute { .. } => "dispute",
            Origin::Acknowledged { .. } => "acknowledged",
            Origin::Structure { level: Level::Assumption } => "assumption",
            Origin::Structure { level: Level::Premise } => "premise",
            Origin::Structure { level: Level::Claim } => "claim",
        }
    }
}

/// Where a participant stands on a crux.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Who.
    pub persona: PersonaId,
    /// Which side. By structure: yes for whose argument rests on it, no for who attacks such an argument. By participants:
    /// yes for who says that it is the crux.
    pub side: Side,
    /// The turn that shows it.
    pub turn: TurnId,
    /// The argument that shows it; `None` on a dispute.
    pub argument: Option<ArgumentId>,
    /// What they said: the claim of the argument; on a dispute their stance in a sentence, else how the turn begins.
    pub words: String,
}

/// The views that cruxes are read off.
#[derive(Clone, Copy, Debug)]
pub struct Views<'a> {
    /// The turns.
    pub transcript: &'a Transcript,
    /// Arguments and attacks.
    pub graph: &'a ArgumentGraph,
    /// The framework of those that count.
    pub framed: &'a Framed,
    /// Disputes and stances.
    pub disputes: &'a DisputeGraph,
    /// What participants hold to be the crux.
    pub proposals: &'a CruxProposals,
}

/// All cruxes: the open disputes, what participants agreed on as the crux, then by pivotality, dependents and attack degree.
///
/// Cost: for every 256 candidates one pass over the framework, and what `consequence` adds.
pub fn cruxes(views: Views<'_>, acceptance: &Acceptance) -> Vec<Crux> {
    let split = views.disputes.counted().filter(|(_, it)| it.is_split());
    let mut cruxes: Vec<Crux> = split.map(|(id, it)| by_dispute(views.transcript, id, it)).collect();
    cruxes.extend(views.proposals.acknowledged().map(|(id, it)| by_participants(views.transcript, id, it)));
    let mut structural = by_structure(views, acceptance);
    structural.sort_by(|one, other| {
        let pivotality = |it: &Crux| it.pivotality.unwrap_or(0.0);
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

/// The cruxes that were settled: disputes that were open, and on which all now take one side.
pub fn resolved(views: Views<'_>) -> Vec<Crux> {
    let settled = views.disputes.counted().filter(|(_, it)| it.status() == DisputeStatus::Settled);
    settled.map(|(id, it)| by_dispute(views.transcript, id, it)).collect()
}

fn by_dispute(transcript: &Transcript, id: DisputeId, dispute: &Dispute) -> Crux {
    let words = |stance: &Stance| match &stance.statement {
        Some(statement) => quoted(statement),
        None => transcript.turn(stance.turn).map(|it| quoted(&it.text)).unwrap_or_default(),
    };
    let stances = dispute.stances.iter();
    let positions: Vec<Position> = stances
        .map(|(persona, it)| Position {
            persona: persona.clone(),
            side: it.side,
            turn: it.turn,
            argument: None,
            words: words(it),
        })
        .collect();
    let turns = in_order(positions.iter().map(|it| it.turn));
    Crux {
        key: CruxKey::Dispute(id),
        origin: Origin::Dispute { dispute: id },
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

/// Yes is that it is the crux: the proposer says so, and whoever agreed.
fn by_participants(transcript: &Transcript, id: CruxId, crux: &ProposedCrux) -> Crux {
    let ProposedCrux { proposed, acknowledged, .. } = crux;
    let agreed = acknowledged.iter().map(|it| (&it.speaker, it.turn));
    let positions: Vec<Position> = std::iter::once((&proposed.speaker, proposed.turn))
        .chain(agreed)
        .map(|(persona, turn)| Position {
            persona: persona.clone(),
            side: Side::Yes,
            turn,
            argument: None,
            words: transcript.turn(turn).map(|it| quoted(&it.text)).unwrap_or_default(),
        })
        .collect();
    Crux {
        key: CruxKey::Proposal(id),
        origin: Origin::Acknowledged { proposal: id },
        open: true,
        statement: proposed.statement.clone(),
        question: settling(Level::Claim, &proposed.statement),
        why: why_acknowledged(crux),
        pivotality: None,
        consequence: None,
        dependents: Vec::new(),
        assumptions: Vec::new(),
        attack_degree: 0,
        opened: acknowledged.first().map_or(proposed.turn, |it| it.turn),
        turns: in_order(positions.iter().map(|it| it.turn)),
        positions,
    }
}

fn by_structure(views: Views<'_>, acceptance: &Acceptance) -> Vec<Crux> {
    let Views { graph, framed, .. } = views;
    let disputed = disputed(graph, framed, acceptance);
    let theses = theses(graph, framed, &disputed.arguments);
    let candidates = candidates(graph, framed, &disputed.arguments);
    let consequences = consequences(&framed.framework, &theses, candidates.iter().map(|it| &it.settled));
    let judged = candidates.iter().zip(consequences);
    let counts = judged.filter(|(_, it)| disputed.by_extensions || it.changed > 0);
    counts.map(|(it, consequence)| of_statement(views, &disputed.arguments, it, consequence)).collect()
}

fn of_statement(views: Views<'_>, disputed: &BTreeSet<u32>, candidate: &Candidate, consequence: Consequence) -> Crux {
    let Views { graph, framed, .. } = views;
    let settled: Vec<u32> = candidate.settled.iter().copied().collect();
    let framework = &framed.framework;
    let attacks = settled.iter().map(|it| framework.attackers(*it).len() + framework.attacked(*it).len());
    let dependents: Vec<ArgumentId> =
        settled.iter().filter(|it| disputed.contains(it)).map(|it| framed.id(*it)).collect();
    let (turns, opened) = turns(graph, framed, &settled);
    Crux {
        key: CruxKey::of_statement(&candidate.text),
        origin: Origin::Structure { level: candidate.level },
        open: true,
        statement: candidate.text.clone(),
        question: settling(candidate.level, &candidate.text),
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

/// What arguments rest on beside a statement, each text once.
fn behind(graph: &ArgumentGraph, arguments: &[ArgumentId], statement: &str) -> Vec<String> {
    let mut known = BTreeSet::from([normal(statement)]);
    let mut texts = Vec::new();
    for argument in arguments.iter().filter_map(|it| graph.arguments.get(it)) {
        let advanced = &argument.advanced;
        let those = if advanced.assumptions.is_empty() { &advanced.premises } else { &advanced.assumptions };
        texts.extend(those.iter().filter(|it| known.insert(normal(it))).cloned());
    }
    texts
}

/// Yes for those whose arguments rest on it; no for those who attack such an argument and rest on it nowhere.
fn positions(graph: &ArgumentGraph, framed: &Framed, settled: &[u32]) -> Vec<Position> {
    let mut positions: BTreeMap<&PersonaId, Position> = BTreeMap::new();
    let attackers = settled.iter().flat_map(|it| framed.framework.attackers(*it)).copied();
    let sides = settled.iter().copied().map(|it| (it, Side::Yes)).chain(attackers.map(|it| (it, Side::No)));
    for (index, side) in sides {
        let id = framed.id(index);
        if let Some(advanced) = graph.arguments.get(&id).map(|it| &it.advanced) {
            let (persona, words) = (advanced.speaker.clone(), quoted(&advanced.claim));
            let position = Position { persona, side, turn: advanced.turn, argument: Some(id), words };
            positions.entry(&advanced.speaker).or_insert(position);
        }
    }
    positions.into_values().collect()
}

/// The turns in which the arguments were advanced and those in which attacks on them were, ascending; and the first in
/// which they attacked or were attacked.
fn turns(graph: &ArgumentGraph, framed: &Framed, settled: &[u32]) -> (Vec<TurnId>, TurnId) {
    let ids: BTreeSet<ArgumentId> = settled.iter().map(|it| framed.id(*it)).collect();
    let said = ids.iter().filter_map(|it| graph.turn(*it));
    let attacks = || graph.active().map(|(_, it)| &it.raised);
    let on = attacks().filter(|it| ids.contains(&it.target));
    let turns = in_order(said.chain(on.flat_map(|it| graph.turn(it.source).into_iter().chain([it.turn]))));
    let either = attacks().filter(|it| ids.contains(&it.target) || ids.contains(&it.source));
    let opened = either.map(|it| it.turn).min().or(turns.first().copied());
    (turns, opened.unwrap_or(TurnId(0)))
}

fn in_order(turns: impl Iterator<Item = TurnId>) -> Vec<TurnId> {
    let ordered: BTreeSet<TurnId> = turns.collect();
    ordered.into_iter().collect()
}

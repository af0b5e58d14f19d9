//! Construction of the map of a debate from its read model.

use std::collections::{BTreeMap, BTreeSet};

use crate::events::argument::{ArgumentPart, AttackKind};
use crate::events::dispute::{Polarity, ReasonGiven, Side};
use crate::events::ids::{ArgumentId, DisputeId, PersonaId, ProposalId, ReasonId, TurnId};
use crate::events::imported::TurnBasis;
use crate::export::map::{
    DebateMap, MapCriticism, MapGround, MapLink, MapNode, MapSpeaker, MapStance, NodeContent, NodeId, ProposalStanding,
    Relation,
};
use crate::export::marks::mark_of;
use crate::projections::argument_graph::Argument;
use crate::projections::disputes::dispute_state::{Dispute, Reason};
use crate::projections::proposals::Proposal;
use crate::verdicts::ranking::ranked;
use crate::verdicts::read_model::DebateReadModel;
use faultline_argumentation::labelling::Label;

/// Explanation of an attack that follows from the sides that the speakers of two theses take on the topic.
const OPPOSITE_ANSWERS: &str = "opposite answers to the topic";

/// Builds the map of a debate.
///
/// Cost: that of the grounded labels of the arguments and of the reasons of each dispute, plus proposals times disputes.
pub fn debate_map(read_model: &DebateReadModel) -> DebateMap {
    let mut builder = MapBuilder { read_model, places: BTreeMap::new(), map: empty(read_model) };
    builder.arguments();
    let of_proposals: BTreeMap<ProposalId, DisputeId> = builder.disputes_of_proposals();
    for (id, dispute) in &read_model.disputes.disputes {
        if !of_proposals.values().any(|other| other == id) {
            builder.dispute(*id, dispute);
        }
    }
    for proposal in &read_model.proposals.proposals {
        builder.proposal(proposal, of_proposals.get(&proposal.proposal).copied());
    }
    builder.keep_occurring_speakers();
    builder.map
}

/// Map without nodes, with all participants as speakers.
fn empty(read_model: &DebateReadModel) -> DebateMap {
    let summary = &read_model.summary;
    let speakers = summary.participants.iter().map(|participant| MapSpeaker {
        persona: participant.persona.clone(),
        name: participant.name.clone(),
        mark: mark_of(summary, &participant.persona),
    });
    DebateMap {
        debate: summary.debate,
        version: summary.version,
        at: summary.updated_at,
        topic: summary.topic.clone(),
        speakers: speakers.collect(),
        nodes: Vec::new(),
        links: Vec::new(),
        n_inactive_arguments: 0,
        n_inactive_attacks: 0,
    }
}

/// Map under construction.
struct MapBuilder<'a> {
    read_model: &'a DebateReadModel,
    /// Index of each node.
    places: BTreeMap<NodeId, usize>,
    map: DebateMap,
}

impl MapBuilder<'_> {
    fn speaker(&mut self, persona: &PersonaId) -> usize {
        let speakers = &mut self.map.speakers;
        speakers.iter().position(|speaker| speaker.persona == *persona).unwrap_or_else(|| {
            let mark = mark_of(&self.read_model.summary, persona);
            speakers.push(MapSpeaker { persona: persona.clone(), name: persona.to_string(), mark });
            speakers.len() - 1
        })
    }

    fn node(&mut self, id: NodeId, said: Option<(&PersonaId, Option<TurnId>)>, text: &str, content: NodeContent) {
        let speaker = said.map(|(persona, _)| self.speaker(persona));
        self.places.insert(id, self.map.nodes.len());
        let turn = said.and_then(|(_, turn)| turn);
        let turn_basis = TurnBasis::Stated;
        self.map.nodes.push(MapNode { id, speaker, turn, turn_basis, text: text.to_owned(), content });
    }

    /// Appends a link if both nodes exist.
    fn link(&mut self, source: NodeId, target: NodeId, relation: Relation, turn: Option<TurnId>, note: &str) {
        if let (Some(source), Some(target)) = (self.places.get(&source), self.places.get(&target)) {
            self.map.links.push(MapLink {
                attack: None,
                source: *source,
                target: *target,
                relation,
                component: ArgumentPart::Claim,
                is_mutual: false,
                turn,
                note: note.to_owned(),
            });
        }
    }

    /// Premises or assumptions of an argument.
    fn grounds(&self, argument: &Argument, texts: &[String]) -> Vec<MapGround> {
        let is_unsaid = |text: &str| self.read_model.is_unsaid(argument, text);
        texts.iter().map(|text| MapGround { text: text.clone(), is_unsaid: is_unsaid(text) }).collect()
    }

    fn ground_of_reason(&self, given: &ReasonGiven, text: &str) -> MapGround {
        MapGround { text: text.to_owned(), is_unsaid: self.read_model.is_unsaid_reason(given, text) }
    }

    fn arguments(&mut self) {
        let graph = &self.read_model.arguments;
        let labels = graph.labels();
        for (id, argument) in graph.live() {
            let said = &argument.advanced;
            let content = NodeContent::Argument {
                premises: self.grounds(argument, &said.premises),
                assumptions: self.grounds(argument, &said.assumptions),
                label: labels.get(&id).copied().unwrap_or(Label::Undec),
                is_thesis: said.answers_topic,
            };
            self.node(NodeId::Argument(id), Some((&said.speaker, argument.turn())), &said.claim, content);
            self.map.nodes.iter_mut().last().into_iter().for_each(|node| node.turn_basis = argument.turn_basis);
        }
        self.map.n_inactive_arguments = graph.arguments.len() - self.map.nodes.len();
        for (id, attack) in graph.active() {
            let raised = &attack.raised;
            let ends = (NodeId::Argument(raised.source), NodeId::Argument(raised.target));
            let before = self.map.links.len();
            // The attack of an argument of unknown turn has none either.
            let turn = graph.arguments.get(&raised.source).and_then(|source| source.turn()).and(Some(raised.turn));
            self.link(ends.0, ends.1, Relation::Strike(attack.kind()), turn, &raised.rationale);
            for link in &mut self.map.links[before..] {
                (link.attack, link.component, link.is_mutual) = (Some(id), attack.component(), attack.is_mutual());
            }
        }
        self.map.n_inactive_attacks = graph.attacks.len() - self.map.links.len();
        let mutual = graph.active().filter(|(_, attack)| attack.is_mutual());
        let pair = |one: ArgumentId, other: ArgumentId| (one.min(other), one.max(other));
        let mutual: BTreeSet<_> = mutual.map(|(_, attack)| pair(attack.raised.source, attack.raised.target)).collect();
        for (one, other) in graph.opposed_theses().into_iter().filter(|opposed| !mutual.contains(opposed)) {
            let before = self.map.links.len();
            let ends = (NodeId::Argument(one), NodeId::Argument(other));
            self.link(ends.0, ends.1, Relation::Strike(AttackKind::Rebut), None, OPPOSITE_ANSWERS);
            self.map.links[before..].iter_mut().for_each(|link| link.is_mutual = true);
        }
    }

    /// Finds the dispute on each proposal: the one on which the proposal's speaker first took a side in the turn of the
    /// proposal.
    fn disputes_of_proposals(&self) -> BTreeMap<ProposalId, DisputeId> {
        let disputes = self.read_model.disputes.disputes.iter().filter(|(_, dispute)| !dispute.is_topic);
        let opened = disputes.filter(|(_, dispute)| dispute.reasons.is_empty()).filter_map(|(id, dispute)| {
            let (persona, stance) = dispute.history.first()?;
            let made = |proposal: &&Proposal| proposal.speaker == *persona && proposal.turn == stance.turn;
            let proposal = self.read_model.proposals.proposals.iter().find(made)?;
            Some((proposal.proposal, *id))
        });
        opened.fold(BTreeMap::new(), |mut found, (proposal, dispute)| {
            found.entry(proposal).or_insert(dispute);
            found
        })
    }

    /// Current stances on a dispute, in speaking order.
    fn stances(&mut self, dispute: &Dispute) -> Vec<MapStance> {
        let mut stances: Vec<MapStance> = Vec::new();
        for (persona, stance) in &dispute.stances {
            stances.push(MapStance {
                speaker: self.speaker(persona),
                side: stance.side,
                turn: stance.turn,
                statement: stance.statement.clone(),
                quote: stance.quote.clone(),
                confidence: stance.confidence,
            });
        }
        stances.sort_by_key(|stance| stance.speaker);
        stances
    }

    fn dispute(&mut self, id: DisputeId, dispute: &Dispute) {
        let worded = dispute.wordings.iter().map(|wording| {
            let relation = if wording.negates { "negated" } else { "also" };
            format!("{relation}: {}", wording.question)
        });
        let reworded = dispute.revisions.iter().filter(|revision| revision.revised.question.is_some());
        let reworded = reworded.map(|revision| format!("formerly: {}", revision.former_question));
        let retired = dispute.retired.iter().map(|reason| format!("retired: {reason}"));
        let content = NodeContent::Question {
            status: dispute.status(),
            is_topic: dispute.is_topic,
            remarks: worded.chain(reworded).chain(retired).collect(),
        };
        self.node(NodeId::Question(id), None, &dispute.question, content);
        let stances = self.stances(dispute);
        for side in [Side::Yes, Side::No, Side::Nuanced, Side::Undecided] {
            let on_side: Vec<MapStance> = stances.iter().filter(|stance| stance.side == side).cloned().collect();
            if matches!(side, Side::Yes | Side::No) || !on_side.is_empty() {
                let content = NodeContent::Position { side, stances: on_side };
                self.node(NodeId::Position(id, side), None, &dispute.question, content);
                self.link(NodeId::Position(id, side), NodeId::Question(id), Relation::Answer, None, "");
            }
        }
        self.reasons(id, dispute);
    }

    fn reasons(&mut self, id: DisputeId, dispute: &Dispute) {
        let labels: BTreeMap<ReasonId, Label> = ranked(&self.read_model.disputes, dispute)
            .into_iter()
            .map(|ranked| (ranked.reason, ranked.label))
            .collect();
        for (reason, Reason { given, .. }) in &dispute.reasons {
            let content = NodeContent::Reason {
                side: given.side,
                polarity: given.polarity,
                assumptions: given.assumptions.iter().map(|text| self.ground_of_reason(given, text)).collect(),
                label: labels.get(reason).copied(),
            };
            self.node(NodeId::Reason(*reason), Some((&given.speaker, Some(given.turn))), &given.claim, content);
            let relation = match given.polarity {
                Polarity::Supports => Relation::Support,
                Polarity::Attacks => Relation::Oppose,
            };
            let side = NodeId::Position(id, given.side);
            self.link(NodeId::Reason(*reason), side, relation, Some(given.turn), "");
        }
        let framed = self.read_model.disputes.reason_framework(dispute);
        let pairs: BTreeSet<(u32, u32)> = framed.framework.attacks().collect();
        let reason = |index: u32| framed.ids[index as usize];
        for (source, target) in &pairs {
            let is_mutual = source != target && pairs.contains(&(*target, *source));
            if is_mutual && source > target {
                continue;
            }
            let turn = dispute.reasons.get(&reason(*source)).map(|attacker| attacker.given.turn);
            let before = self.map.links.len();
            let ends = (NodeId::Reason(reason(*source)), NodeId::Reason(reason(*target)));
            self.link(ends.0, ends.1, Relation::Attack, turn, "");
            self.map.links[before..].iter_mut().for_each(|link| link.is_mutual = is_mutual);
        }
    }

    fn proposal(&mut self, proposal: &Proposal, dispute: Option<DisputeId>) {
        let proposals = &self.read_model.proposals.proposals;
        let dispute = dispute.and_then(|id| Some((id, self.read_model.disputes.disputes.get(&id)?)));
        let is_last = proposals.last().is_some_and(|last| last.proposal == proposal.proposal);
        let standing = match (proposal.is_rejected(), is_last) {
            (true, _) => ProposalStanding::Rejected,
            (false, false) => ProposalStanding::Replaced,
            (false, true) if self.read_model.summary.status.is_final() => ProposalStanding::Final,
            (false, true) => ProposalStanding::Latest,
        };
        let criticism = proposal.criticism.as_ref().map(|criticism| MapCriticism {
            speaker: self.speaker(&criticism.speaker),
            turn: criticism.turn,
            recommendation: criticism.recommendation,
            remarks: criticism.edge_cases.iter().chain(&criticism.contradictions).cloned().collect(),
        });
        let stances = dispute.map_or_else(Vec::new, |(_, dispute)| self.stances(dispute));
        let content = NodeContent::Proposal {
            round: proposal.round,
            standing,
            criticism,
            dispute: dispute.map(|(id, dispute)| (id, dispute.question.clone())),
            stances,
        };
        let id = NodeId::Proposal(proposal.proposal);
        self.node(id, Some((&proposal.speaker, Some(proposal.turn))), &proposal.text, content);
        if let Some(from) = proposal.from {
            self.link(id, NodeId::Proposal(from), Relation::Revision, Some(proposal.turn), "");
        }
        for change in &proposal.changes {
            self.link(id, NodeId::Issue(change.issue), Relation::Resolution, Some(proposal.turn), &change.text);
        }
        let Some(criticism) = &proposal.criticism else { return };
        for issue in &criticism.issues {
            let resolves = |later: &&Proposal| later.changes.iter().any(|change| change.issue == issue.issue);
            let later = proposals.iter().skip_while(|other| other.proposal != proposal.proposal).skip(1);
            let content = NodeContent::Issue {
                severity: issue.severity,
                resolved_by: later.filter(resolves).map(|later| later.proposal).collect(),
            };
            let said = Some((&criticism.speaker, Some(criticism.turn)));
            self.node(NodeId::Issue(issue.issue), said, &issue.text, content);
            self.link(NodeId::Issue(issue.issue), id, Relation::Criticism, Some(criticism.turn), "");
        }
    }

    /// Removes the speakers who do not occur in the map.
    fn keep_occurring_speakers(&mut self) {
        let mut occurs = vec![false; self.map.speakers.len()];
        let mut visit = |speaker: &mut usize| occurs[*speaker] = true;
        each_speaker(&mut self.map.nodes, &mut visit);
        let mut next = 0;
        let places: Vec<usize> = occurs
            .iter()
            .map(|occurs| {
                next += usize::from(*occurs);
                next.saturating_sub(1)
            })
            .collect();
        each_speaker(&mut self.map.nodes, &mut |speaker: &mut usize| *speaker = places[*speaker]);
        let mut kept = occurs.into_iter();
        self.map.speakers.retain(|_| kept.next().unwrap_or(false));
    }
}

/// Visits every reference of the nodes to a speaker.
fn each_speaker(nodes: &mut [MapNode], visit: &mut impl FnMut(&mut usize)) {
    for node in nodes {
        node.speaker.iter_mut().for_each(&mut *visit);
        match &mut node.content {
            NodeContent::Position { stances, .. } => stances.iter_mut().for_each(|stance| visit(&mut stance.speaker)),
            NodeContent::Proposal { criticism, stances, .. } => {
                criticism.iter_mut().for_each(|criticism| visit(&mut criticism.speaker));
                stances.iter_mut().for_each(|stance| visit(&mut stance.speaker));
            }
            _ => {}
        }
    }
}

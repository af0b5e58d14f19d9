//! Map of a debate: its arguments, questions and proposals as nodes, and the relations between them as links.
//!
//! ```text
//! argument --rebut, undermine, undercut--> argument
//! reason --support, oppose--> side of a question --answer--> question
//! reason --attack--> reason
//! issue --criticism--> proposal
//! later proposal --resolution--> issue
//! later proposal --revision--> proposal
//! ```

use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, Utc};

use crate::events::argument::{ArgumentPart, AttackKind};
use crate::events::dispute::{Polarity, Side};
use crate::events::ids::{ArgumentId, AttackId, DebateId, DisputeId, IssueId, PersonaId, ProposalId, ReasonId, TurnId};
use crate::events::imported::TurnBasis;
use crate::events::proposal::{Recommendation, Severity};
use crate::export::marks::SpeakerMark;
use crate::projections::disputes::dispute_state::DisputeStatus;
use faultline_argumentation::labelling::Label;

/// Map of a debate. All graphical and textual formats render it.
///
/// Contains the live arguments with the valid attacks between them, and every question, reason and proposal; those that
/// no longer count are marked.
#[derive(Clone, Debug, PartialEq)]
pub struct DebateMap {
    /// Id of the debate.
    pub debate: Option<DebateId>,
    /// Version that the map shows.
    pub version: i64,
    /// Time at which the last event was recorded.
    pub at: Option<DateTime<Utc>>,
    /// Topic of the debate.
    pub topic: String,
    /// Speakers who occur in the map, in speaking order.
    pub speakers: Vec<MapSpeaker>,
    /// Nodes: arguments, then each question with its sides and reasons, then each proposal with its issues.
    pub nodes: Vec<MapNode>,
    /// Links between the nodes.
    pub links: Vec<MapLink>,
    /// Number of arguments that are not live.
    pub n_inactive_arguments: usize,
    /// Number of attacks that are not valid or whose source or target is not live.
    pub n_inactive_attacks: usize,
}

/// Speaker in a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapSpeaker {
    /// Id of the persona.
    pub persona: PersonaId,
    /// Display name; the id if there is none.
    pub name: String,
    /// Mark of the speaker.
    pub mark: SpeakerMark,
}

/// Id of a node, unique within its map: consists of letters, digits and `_`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeId {
    /// Argument: `a1`.
    Argument(ArgumentId),
    /// Question: `d1`.
    Question(DisputeId),
    /// Side of a question: `d1_yes`.
    Position(DisputeId, Side),
    /// Reason: `r1`.
    Reason(ReasonId),
    /// Proposal: `p1`.
    Proposal(ProposalId),
    /// Issue: `i1`.
    Issue(IssueId),
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeId::Argument(id) => id.fmt(f),
            NodeId::Question(id) => id.fmt(f),
            NodeId::Position(id, side) => write!(f, "{id}_{}", side.name()),
            NodeId::Reason(id) => id.fmt(f),
            NodeId::Proposal(id) => id.fmt(f),
            NodeId::Issue(id) => id.fmt(f),
        }
    }
}

/// Node of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapNode {
    /// Id of the node.
    pub id: NodeId,
    /// Its speaker: an index into [`DebateMap::speakers`]; `None` for questions and their sides.
    pub speaker: Option<usize>,
    /// The turn in which it was said; `None` if it is unknown, and for questions and their sides.
    pub turn: Option<TurnId>,
    /// Basis on which the turn of an argument is known.
    pub turn_basis: TurnBasis,
    /// Text: the claim, question, proposal or issue. For a side of a question, the question.
    pub text: String,
    /// Facts that only nodes of its kind have.
    pub content: NodeContent,
}

/// Facts about a node, by kind.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeContent {
    /// Live argument.
    Argument {
        /// Premises of the argument.
        premises: Vec<MapGround>,
        /// Assumptions of the argument.
        assumptions: Vec<MapGround>,
        /// Grounded label of the argument.
        label: Label,
        /// True if the argument answers the topic.
        is_thesis: bool,
    },
    /// Question of a dispute.
    Question {
        /// Status of the dispute.
        status: DisputeStatus,
        /// True if the question is the topic of the debate.
        is_topic: bool,
        /// Other wordings of the question, and the reason for retiring it.
        remarks: Vec<String>,
    },
    /// Side of a question. Yes and no always exist, other sides only if somebody takes them.
    Position {
        /// The side.
        side: Side,
        /// Current stances on this side, in speaking order.
        stances: Vec<MapStance>,
    },
    /// Reason for or against a side.
    Reason {
        /// The side to which the reason applies.
        side: Side,
        /// Effect of the reason on that side.
        polarity: Polarity,
        /// Assumptions taken for granted.
        assumptions: Vec<MapGround>,
        /// Grounded label among the live reasons of the dispute; `None` if the reason was withdrawn.
        label: Option<Label>,
    },
    /// Proposal.
    Proposal {
        /// Round in which it was made, from 1.
        round: u32,
        /// Standing of the proposal.
        standing: ProposalStanding,
        /// The critic's recommendation; `None` while there is none.
        criticism: Option<MapCriticism>,
        /// Dispute on whether the proposal stands, with its question; `None` if nobody raised one.
        dispute: Option<(DisputeId, String)>,
        /// Current stances on that dispute, in speaking order.
        stances: Vec<MapStance>,
    },
    /// Issue that a critic raised about a proposal.
    Issue {
        /// Severity of the issue.
        severity: Severity,
        /// Later proposals with a change that answers the issue.
        resolved_by: Vec<ProposalId>,
    },
}

/// Premise or assumption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapGround {
    /// Text of the statement.
    pub text: String,
    /// True if no turn of its argument contains it.
    pub is_unsaid: bool,
}

/// Stance of a participant.
#[derive(Clone, Debug, PartialEq)]
pub struct MapStance {
    /// The participant: an index into [`DebateMap::speakers`].
    pub speaker: usize,
    /// Side taken.
    pub side: Side,
    /// The turn that contains the stance.
    pub turn: TurnId,
    /// The stance as a sentence, if it was recorded.
    pub statement: Option<String>,
    /// Words of the turn that state it, if they were recorded.
    pub quote: Option<String>,
    /// Confidence in the side that the participant expressed, from 0 to 1.
    pub confidence: Option<f64>,
}

/// Criticism of a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapCriticism {
    /// The critic: an index into [`DebateMap::speakers`].
    pub speaker: usize,
    /// The turn that contains the criticism.
    pub turn: TurnId,
    /// The critic's recommendation.
    pub recommendation: Recommendation,
    /// Edge cases and contradictions that the critic found.
    pub remarks: Vec<String>,
}

/// Standing of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProposalStanding {
    /// A later proposal replaced it.
    Replaced,
    /// The critic recommended to reject it.
    Rejected,
    /// It is the latest one of a debate that has not ended.
    Latest,
    /// It is the latest one of a debate that ended.
    Final,
}

impl ProposalStanding {
    /// Name of the standing.
    pub fn name(self) -> &'static str {
        match self {
            ProposalStanding::Replaced => "replaced",
            ProposalStanding::Rejected => "rejected",
            ProposalStanding::Latest => "latest",
            ProposalStanding::Final => "final",
        }
    }
}

/// Relation of the source of a link to its target. Attacks come first, the most direct one before the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// An argument attacks another in this way.
    Strike(AttackKind),
    /// A reason attacks another reason.
    Attack,
    /// A reason opposes a side of a question.
    Oppose,
    /// An issue criticizes a proposal.
    Criticism,
    /// A reason supports a side of a question.
    Support,
    /// A side answers a question.
    Answer,
    /// A later proposal resolves an issue.
    Resolution,
    /// A later proposal revises a proposal.
    Revision,
}

impl Relation {
    /// Verb of the relation, as a label of an edge; also the class of its lines in pictures.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Strike(AttackKind::Rebut) => "rebut",
            Relation::Strike(AttackKind::Undermine) => "undermine",
            Relation::Strike(AttackKind::Undercut) => "undercut",
            Relation::Attack => "attack",
            Relation::Oppose => "oppose",
            Relation::Criticism => "criticize",
            Relation::Support => "support",
            Relation::Answer => "answer",
            Relation::Resolution => "resolve",
            Relation::Revision => "revise",
        }
    }
}

/// Relation between two nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct MapLink {
    /// Id, if the link is an attack on an argument.
    pub attack: Option<AttackId>,
    /// Source: an index into [`DebateMap::nodes`].
    pub source: usize,
    /// Target: an index into [`DebateMap::nodes`].
    pub target: usize,
    /// Relation of the source to the target.
    pub relation: Relation,
    /// Attacked component of the target; the claim unless the link is an attack on an argument.
    pub component: ArgumentPart,
    /// True if the target attacks the source as well.
    pub is_mutual: bool,
    /// The turn in which it was said; `None` if it follows from the structure.
    pub turn: Option<TurnId>,
    /// Explanation: the rationale of an attack, or the change that resolves an issue; may be empty.
    pub note: String,
}

/// All links between two nodes, drawn as one edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapEdge {
    /// Source of the first link: an index into [`DebateMap::nodes`].
    pub source: usize,
    /// Other node: an index into [`DebateMap::nodes`].
    pub target: usize,
    /// True if there are attacks in both directions.
    pub is_mutual: bool,
    /// Links: indices into [`DebateMap::links`].
    pub links: Vec<usize>,
    /// The most direct relation.
    pub relation: Relation,
}

impl DebateMap {
    /// Groups the links between the same two nodes into one edge. Self-attacks get an edge of their own.
    pub fn edges(&self) -> Vec<MapEdge> {
        let mut edges: Vec<MapEdge> = Vec::new();
        let mut places: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (number, link) in self.links.iter().enumerate() {
            let pair = (link.source.min(link.target), link.source.max(link.target));
            let place = *places.entry(pair).or_insert_with(|| {
                let (source, target) = (link.source, link.target);
                edges.push(MapEdge { source, target, is_mutual: false, links: Vec::new(), relation: link.relation });
                edges.len() - 1
            });
            let edge = &mut edges[place];
            edge.links.push(number);
            edge.is_mutual |= edge.source != edge.target && (link.is_mutual || link.source != edge.source);
            edge.relation = edge.relation.min(link.relation);
        }
        edges
    }

    /// Explanations of an edge, one for each link that has one: `k1: rationale`.
    pub fn notes(&self, edge: &MapEdge) -> Vec<String> {
        let links = edge.links.iter().map(|link| &self.links[*link]);
        links
            .filter(|link| link.attack.is_some() || !link.note.is_empty())
            .map(|link| match link.attack {
                Some(attack) => format!("{attack}: {}", link.note),
                None => link.note.clone(),
            })
            .collect()
    }

    /// Summary of the map's contents and of what it omits, in words.
    pub fn summary(&self) -> String {
        let count =
            |is_counted: fn(&NodeContent) -> bool| self.nodes.iter().filter(|node| is_counted(&node.content)).count();
        let stances = self.nodes.iter().map(|node| match &node.content {
            NodeContent::Position { stances, .. } | NodeContent::Proposal { stances, .. } => stances.len(),
            _ => 0,
        });
        let parts = [
            (count(|content| matches!(content, NodeContent::Argument { .. })), "argument"),
            (self.links.iter().filter(|link| matches!(link.relation, Relation::Strike(_))).count(), "attack"),
            (count(|content| matches!(content, NodeContent::Question { .. })), "question"),
            (stances.sum(), "stance"),
            (count(|content| matches!(content, NodeContent::Reason { .. })), "reason"),
            (count(|content| matches!(content, NodeContent::Proposal { .. })), "proposal"),
            (count(|content| matches!(content, NodeContent::Issue { .. })), "issue"),
        ];
        let has_others = parts[2..].iter().any(|(number, _)| *number > 0);
        let has_arguments = parts[0].0 + self.n_inactive_arguments > 0 || !has_others;
        let shown = parts.iter().enumerate().filter(|(at, (number, _))| *number > 0 || *at < 2 && has_arguments);
        let shown: Vec<String> = shown.map(|(_, (number, what))| counted(*number, what)).collect();
        let mut summary = shown.join(", ");
        if self.n_inactive_arguments + self.n_inactive_attacks > 0 {
            let idle = (counted(self.n_inactive_arguments, "argument"), counted(self.n_inactive_attacks, "attack"));
            summary += &format!("; omitted as inactive: {} and {}", idle.0, idle.1);
        }
        summary
    }
}

fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Name of a label.
pub fn label_name(label: Label) -> &'static str {
    match label {
        Label::In => "IN",
        Label::Out => "OUT",
        Label::Undec => "UNDEC",
    }
}

//! GraphQL types of proposals, criticism and changes.

use async_graphql::{ID, SimpleObject};

use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::debate_object::DebateObject;
use crate::api::types::scalars::{IssueSeverity, Recommendation};
use faultline_core::events::proposal::{Issue, ProposalAccepted};
use faultline_core::projections::proposals;

/// A proposal and its criticism.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Proposal {
    /// Unique id, also accepted by `node`.
    pub(crate) id: ID,
    /// Short id within the debate, such as `p1`. Fields that refer to objects of the same debate contain short ids.
    short_id: ID,
    /// Id of the proposal it revises; null for a draft.
    revises_id: Option<ID>,
    /// Id of the participant who made it.
    pub(crate) speaker_id: ID,
    /// Id of the turn.
    turn_id: ID,
    /// Round, from 1.
    round: u32,
    /// Text.
    text: String,
    /// Reasoning for the proposal.
    reasoning: String,
    /// Confidence of the participant, from 0 to 1.
    confidence: f64,
    /// Similarity to the proposal it revises, from 0 to 1.
    similarity: Option<f64>,
    /// Changes, each with the issue it addresses.
    changes: Vec<ProposalChange>,
    /// Criticism; null until a critic has reviewed it.
    pub(crate) criticism: Option<Criticism>,
    /// Acceptances by other participants, in words and with a reason, in order.
    acceptances: Vec<ProposalAcceptance>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// One change to a proposal.
#[derive(SimpleObject, Clone)]
pub struct ProposalChange {
    /// Id of the issue it addresses.
    issue_id: ID,
    /// Description of the change.
    text: String,
}

/// A critic's findings.
#[derive(SimpleObject, Clone)]
pub struct Criticism {
    /// Id of the turn.
    turn_id: ID,
    /// Recommendation.
    recommendation: Recommendation,
    /// Issues found.
    pub(crate) issues: Vec<ProposalIssue>,
    /// Cases for which the proposal gives no answer or a wrong one.
    edge_cases: Vec<String>,
    /// Contradictions within the proposal, or with known facts.
    contradictions: Vec<String>,
}

/// Acceptance of a proposal by a participant other than its author.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct ProposalAcceptance {
    /// Id of the participant.
    pub(crate) persona_id: ID,
    /// Id of the turn.
    turn_id: ID,
    /// The words of acceptance, as they occur in the turn.
    words: String,
    /// The reason, as it occurs in the turn.
    reason: String,
    /// Words in which the participant says that they changed sides on the topic; null if they did not.
    change_of_mind: Option<String>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// An issue with a proposal.
#[derive(SimpleObject, Clone)]
pub struct ProposalIssue {
    /// Unique id, also accepted by `node`.
    pub(crate) id: ID,
    /// Short id within the debate, such as `i1`. Fields that refer to objects of the same debate contain short ids.
    short_id: ID,
    /// Severity.
    severity: IssueSeverity,
    /// Description.
    text: String,
}

impl Proposal {
    /// Builds a proposal with its criticism.
    pub fn new(proposal: &proposals::Proposal, participants: &ParticipantSource) -> Self {
        let criticism = proposal.criticism.as_ref().map(|criticism| Criticism {
            turn_id: ID(criticism.turn.to_string()),
            recommendation: criticism.recommendation.into(),
            issues: criticism.issues.iter().map(|issue| ProposalIssue::new(issue, participants)).collect(),
            edge_cases: criticism.edge_cases.clone(),
            contradictions: criticism.contradictions.clone(),
        });
        let changes = proposal.changes.iter();
        let acceptance = |accepted: &ProposalAccepted| ProposalAcceptance {
            persona_id: ID(accepted.speaker.to_string()),
            turn_id: ID(accepted.turn.to_string()),
            words: accepted.words.clone(),
            reason: accepted.reason.clone(),
            change_of_mind: accepted.change_of_mind.clone(),
            participants: participants.clone(),
        };
        Proposal {
            id: participants.object_id(DebateObject::Proposal(proposal.proposal)),
            short_id: ID(proposal.proposal.to_string()),
            revises_id: proposal.from.map(|source| ID(source.to_string())),
            speaker_id: ID(proposal.speaker.to_string()),
            turn_id: ID(proposal.turn.to_string()),
            round: proposal.round,
            text: proposal.text.clone(),
            reasoning: proposal.reasoning.clone(),
            confidence: proposal.confidence,
            similarity: proposal.similarity,
            changes: changes
                .map(|change| ProposalChange { issue_id: ID(change.issue.to_string()), text: change.text.clone() })
                .collect(),
            criticism,
            acceptances: proposal.acceptances.iter().map(acceptance).collect(),
            participants: participants.clone(),
        }
    }
}

impl ProposalIssue {
    fn new(issue: &Issue, participants: &ParticipantSource) -> Self {
        ProposalIssue {
            id: participants.object_id(DebateObject::Issue(issue.issue)),
            short_id: ID(issue.issue.to_string()),
            severity: issue.severity.into(),
            text: issue.text.clone(),
        }
    }
}

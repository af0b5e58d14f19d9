//! GraphQL types of regime, coverage, common ground and camps.

use async_graphql::{ID, SimpleObject};

use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::dispute::dispute::Stance;
use crate::api::types::scalars::{RegimeKind, Side};
use faultline_core::verdicts::labels::last_word;
use faultline_core::verdicts::{camps, common_ground, regime, topic};

/// Overall state of a debate, with an explanation.
#[derive(SimpleObject, Clone)]
pub struct Regime {
    /// Kind of state.
    kind: RegimeKind,
    /// Explanation.
    reason: String,
    /// Coverage: pairs of claims by different speakers that were examined for conflict, and answers to the raised questions.
    coverage: Coverage,
    /// True if every set it is based on is complete, and all recorded events are known to this version of the software.
    exact: bool,
    /// Number of events that a newer version of the software recorded and this one does not know. If there are any,
    /// nothing is exact and there is no consensus.
    unknown_events: u32,
    /// Limit that ended the debate, if one did. Reaching a limit never counts as convergence.
    limit: Option<String>,
    /// Arguments that are accepted only because nobody answered.
    unanswered: UnansweredShare,
    /// Name of the algorithm that computed the verdict.
    algorithm: String,
}

/// Coverage of possible conflicts by examination.
#[derive(SimpleObject, Clone)]
pub struct Coverage {
    /// Number of examined pairs of claims.
    examined: usize,
    /// Number of all pairs of claims.
    pairs: usize,
    /// Share of examined pairs, from 0 to 1; null if there is nothing to compare.
    share: Option<f64>,
    /// Number of answers given to questions with criteria.
    answered: usize,
    /// Number of answers that these questions ask for: one of each participant.
    asked: usize,
    /// Number of turns that no clerk read, in a debate with a clerk who reads turns. Their claims are not among the pairs.
    unread_turns: usize,
}

/// Accepted arguments that depend on an attack that nobody answered.
#[derive(SimpleObject, Clone)]
pub struct UnansweredShare {
    /// Number of accepted arguments.
    accepted_count: usize,
    /// Number of them that make, or depend on, an unanswered attack.
    unanswered_count: usize,
    /// Share, from 0 to 1.
    share: f64,
}

impl Regime {
    /// Builds the overall state of a debate.
    pub fn new(regime: &regime::Regime, limit: Option<String>, last: last_word::LastWord, algorithm: &str) -> Self {
        let coverage = regime.coverage;
        Regime {
            kind: regime.kind.into(),
            reason: regime.reason.clone(),
            coverage: Coverage {
                examined: coverage.examined,
                pairs: coverage.pairs,
                share: coverage.share(),
                answered: coverage.answered,
                asked: coverage.asked,
                unread_turns: coverage.unread,
            },
            exact: regime.exact,
            unknown_events: regime.unknown_events,
            limit,
            unanswered: UnansweredShare {
                accepted_count: last.standing,
                unanswered_count: last.unanswered,
                share: last.share(),
            },
            algorithm: algorithm.to_owned(),
        }
    }
}

/// A dispute on which the participants, or as many as the debate's quorum, agree, each in a turn of their own.
#[derive(SimpleObject, Clone)]
pub struct CommonGround {
    /// Id of the dispute.
    dispute_id: ID,
    /// Question.
    question: String,
    /// Side that they take.
    side: Side,
    /// Participants who take it, with the turns in which they did.
    holders: Vec<Stance>,
}

impl CommonGround {
    /// Builds common ground of a debate with these participants.
    pub fn new(common: &common_ground::CommonGround, participants: &ParticipantSource) -> Self {
        let holders = common.holders.iter().map(|holder| Stance {
            persona_id: ID(holder.persona.to_string()),
            side: common.side.into(),
            turn_id: ID(holder.turn.to_string()),
            quote: holder.quote.clone(),
            confidence: holder.confidence,
            participants: participants.clone(),
        });
        CommonGround {
            dispute_id: ID(common.dispute.to_string()),
            question: common.question.clone(),
            side: common.side.into(),
            holders: holders.collect(),
        }
    }
}

/// A set of jointly accepted arguments, and the participants most of whose arguments are among them.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Camp {
    /// Ids of the arguments.
    argument_ids: Vec<ID>,
    /// Ids of its members.
    pub(crate) persona_ids: Vec<ID>,
    /// Ids of the members that belong to another camp equally.
    tied_persona_ids: Vec<ID>,
    #[graphql(skip)]
    pub(crate) source: ParticipantSource,
}

impl Camp {
    /// Builds a camp of a debate with these participants.
    pub fn new(camp: &camps::Camp, participants: &ParticipantSource) -> Self {
        Camp {
            argument_ids: camp.arguments.iter().map(|argument| ID(argument.to_string())).collect(),
            persona_ids: camp.personas.iter().map(|persona| ID(persona.to_string())).collect(),
            tied_persona_ids: camp.tied.iter().map(|id| ID(id.to_string())).collect(),
            source: participants.clone(),
        }
    }
}

/// The topic, and where the participants stand on it. It is no crux: cruxes explain why participants differ on it.
#[derive(SimpleObject, Clone)]
pub struct TopicVerdict {
    /// Id of the dispute about the topic.
    dispute_id: ID,
    /// Question of the topic.
    question: String,
    /// Positions of the participants who have not left, in speaking order.
    positions: Vec<TopicPosition>,
    /// Side on which all of them are; null unless all say yes or all say no.
    agreed_side: Option<Side>,
}

/// Position of a participant on the topic.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct TopicPosition {
    /// Id of the participant.
    pub(crate) persona_id: ID,
    /// First side; undecided if the participant never took one.
    first_side: Side,
    /// Current side; undecided if the participant never took one.
    side: Side,
    /// True if the current side is not the first one.
    moved: bool,
    /// Id of the turn in which the current side was last stated; null if the participant never took one.
    turn_id: Option<ID>,
    /// Statement of the current stance, or else the beginning of its turn; empty without a stance. At most 280
    /// characters.
    words: String,
    /// Words of the turn that state the current side, exactly as the turn contains them; null without a stance or without a
    /// recorded quotation.
    quote: Option<String>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

impl TopicVerdict {
    /// Builds the topic of a debate with these participants.
    pub fn new(topic: &topic::TopicVerdict, participants: &ParticipantSource) -> Self {
        let position = |position: &topic::TopicPosition| TopicPosition {
            persona_id: ID(position.persona.to_string()),
            first_side: position.first.into(),
            side: position.side.into(),
            moved: position.has_moved(),
            turn_id: position.turn.map(|turn| ID(turn.to_string())),
            words: position.words.clone(),
            quote: position.quote.clone(),
            participants: participants.clone(),
        };
        TopicVerdict {
            dispute_id: ID(topic.dispute.to_string()),
            question: topic.question.clone(),
            positions: topic.positions.iter().map(position).collect(),
            agreed_side: topic.agreed_side().map(Side::from),
        }
    }
}

//! GraphQL types of the summaries and aspects of rooms.

use async_graphql::{ID, SimpleObject};

use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::dispute::dispute::Stance;
use crate::api::types::scalars::{RoomStage, Side};
use crate::api::types::speech::argument::Evidence;
use faultline_core::events::ids::{PersonaId, ReasonId};
use faultline_core::events::turn::FlipConditionStated;
use faultline_core::projections::crux_rooms::Room;
use faultline_core::projections::disputes::dispute_state;
use faultline_core::verdicts::disagreement::room_summary;

/// An aspect of the question of a room: a narrower question, which is a dispute.
#[derive(SimpleObject, Clone)]
pub struct RoomAspect {
    /// Id of the dispute that asks about it.
    dispute_id: ID,
    /// Name of the aspect, in a few words.
    label: String,
    /// Stages that the room entered on it, in order.
    stages: Vec<RoomStage>,
    /// Ids of the turns of participants in these stages.
    turn_ids: Vec<ID>,
}

impl RoomAspect {
    /// Returns the aspects of a room; null until they were named.
    pub fn all(room: &Room) -> Option<Vec<RoomAspect>> {
        let aspects = room.aspects.as_ref()?.iter().map(|aspect| {
            let held = || room.stages.iter().filter(|held| held.aspect == Some(aspect.dispute));
            RoomAspect {
                dispute_id: ID(aspect.dispute.to_string()),
                label: aspect.label.clone(),
                stages: held().map(|held| held.stage.into()).collect(),
                turn_ids: held().flat_map(|held| &held.turns).map(|turn| ID(turn.to_string())).collect(),
            }
        });
        Some(aspects.collect())
    }
}

/// A summary of a room, computed from the stances, reasons, criteria and conditions of the log, as far as the log had them when
/// the room was closed, without what was withdrawn, or contested by an audit, since then. No model wrote it.
#[derive(SimpleObject, Clone)]
pub struct RoomSummary {
    /// The question of the room, then its aspects.
    questions: Vec<SummarizedQuestion>,
    /// Conditions under which members would change their minds, as they stated them in the room, in order.
    conditions: Vec<StatedCondition>,
}

/// The question of a room, or one of its aspects, with what the members hold on it.
#[derive(SimpleObject, Clone)]
pub struct SummarizedQuestion {
    /// Id of the dispute that asks it.
    dispute_id: ID,
    /// The question.
    question: String,
    /// Name of the aspect; null for the question of the room itself.
    label: Option<String>,
    /// Stance of each member who took one.
    positions: Vec<Stance>,
    /// Side on which all members stand, yes or no; null if they do not.
    agreed_side: Option<Side>,
    /// Reasons of the members that were neither withdrawn nor contested, in order.
    reasons: Vec<SummarizedReason>,
    /// Observations that would settle the question.
    criteria: Vec<String>,
}

/// A reason that a member of a room gave, and the reasons against it.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct SummarizedReason {
    /// Id of the reason.
    reason_id: ID,
    /// Id of the participant who gave it.
    pub(crate) persona_id: ID,
    /// Id of the participant's turn.
    turn_id: ID,
    /// Side that it supports.
    supported_side: Side,
    /// Claim of the reason.
    claim: String,
    /// Its evidence.
    evidence: Vec<Evidence>,
    /// Ids of the reasons against which it was given.
    attacked_reason_ids: Vec<ID>,
    /// Ids of the reasons of others that were given against it.
    challenged_by_ids: Vec<ID>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// A condition under which a participant would change their mind, in their own words.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct StatedCondition {
    /// Id of the participant.
    pub(crate) persona_id: ID,
    /// Id of the participant's turn.
    turn_id: ID,
    /// Words of the turn that state it, exactly as the turn contains them.
    quote: String,
    /// Id of the dispute that it is about; null if it was not stated about one.
    dispute_id: Option<ID>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

impl RoomSummary {
    /// Tells the summary of a room.
    pub fn new(summary: &room_summary::RoomSummary, participants: &ParticipantSource) -> RoomSummary {
        let condition = |stated: &FlipConditionStated| StatedCondition {
            persona_id: ID(stated.speaker.to_string()),
            turn_id: ID(stated.turn.to_string()),
            quote: stated.quote.clone(),
            dispute_id: stated.dispute.map(|dispute| ID(dispute.to_string())),
            participants: participants.clone(),
        };
        RoomSummary {
            questions: summary.questions.iter().map(|asked| SummarizedQuestion::new(asked, participants)).collect(),
            conditions: summary.conditions.iter().map(condition).collect(),
        }
    }
}

fn reasons(ids: &[ReasonId]) -> Vec<ID> {
    ids.iter().map(|id| ID(id.to_string())).collect()
}

impl SummarizedQuestion {
    fn new(asked: &room_summary::SummarizedQuestion, participants: &ParticipantSource) -> SummarizedQuestion {
        let position = |(persona, stance): &(PersonaId, dispute_state::Stance)| Stance {
            persona_id: ID(persona.to_string()),
            side: stance.side.into(),
            turn_id: ID(stance.turn.to_string()),
            quote: stance.quote.clone(),
            confidence: stance.confidence,
            participants: participants.clone(),
        };
        let reason = |it: &room_summary::SummarizedReason| SummarizedReason {
            reason_id: ID(it.reason.to_string()),
            persona_id: ID(it.speaker.to_string()),
            turn_id: ID(it.turn.to_string()),
            supported_side: it.side.into(),
            claim: it.claim.clone(),
            evidence: it.evidence.iter().map(Evidence::from).collect(),
            attacked_reason_ids: reasons(&it.attacks),
            challenged_by_ids: reasons(&it.challenged_by),
            participants: participants.clone(),
        };
        SummarizedQuestion {
            dispute_id: ID(asked.dispute.to_string()),
            question: asked.question.clone(),
            label: asked.label.clone(),
            positions: asked.positions.iter().map(position).collect(),
            agreed_side: asked.agreed.map(Side::from),
            reasons: asked.reasons.iter().map(reason).collect(),
            criteria: asked.criteria.clone(),
        }
    }
}

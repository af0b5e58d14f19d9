//! GraphQL types of disputes, stances and reasons.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_graphql::{ID, SimpleObject};

use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::debate_object::DebateObject;
use crate::api::types::dispute::stance_measures::StanceMeasures;
use crate::api::types::scalars::{DisputeStatus, LabelValue, Polarity, Side};
use crate::api::types::speech::argument::{Evidence, Withdrawal};
use faultline_core::events::ids::{DisputeId, PersonaId, TurnId};
use faultline_core::projections::disputes::dispute_state;
use faultline_core::verdicts::disagreement::stance_measures::stance_measures;
use faultline_core::verdicts::ranking::RankedReason;
use faultline_core::verdicts::read_model::DebateReadModel;

/// A yes-or-no question on which participants take sides.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Dispute {
    /// Unique id, also accepted by `node`.
    pub(crate) id: ID,
    /// Short id within the debate, such as `d1`. Fields that refer to objects of the same debate contain short ids.
    short_id: ID,
    /// Question.
    question: String,
    /// True if it is the debate's own topic.
    is_topic: bool,
    /// Status.
    pub(crate) status: DisputeStatus,
    /// Ids of the turns it was extracted from.
    turn_ids: Vec<ID>,
    /// Id of the turn in which a yes and a no first opposed each other; null if they never did.
    opened_turn_id: Option<ID>,
    /// Id of the turn in which all participants with a stance came to one side; null if not settled.
    settled_turn_id: Option<ID>,
    /// Reason why it no longer counts, if it was retired.
    retired_reason: Option<String>,
    /// Time horizon for the answer, if relevant.
    horizon: Option<String>,
    /// Observations that would settle it.
    criteria: Vec<String>,
    /// Other wordings of the question.
    wordings: Vec<DisputeWording>,
    /// Revisions of wording, horizon and criteria, in order. The fields of the dispute have the values after the last one.
    revisions: Vec<DisputeRevision>,
    /// Current stances, each in words of its own speaker.
    stances: Vec<Stance>,
    /// Measures of how far the current stances are apart; null if nobody took one, or nobody with any confidence.
    measures: Option<StanceMeasures>,
    /// Stances that were reported without the words of a turn. They never count.
    reported_stances: Vec<Stance>,
    /// All stances ever taken, in order, including the current ones.
    stance_history: Vec<StanceHistoryEntry>,
    #[graphql(skip)]
    pub(crate) dispute: DisputeId,
    #[graphql(skip)]
    pub(crate) read_model: Arc<DebateReadModel>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// Another wording of a dispute, either equivalent or negated.
#[derive(SimpleObject, Clone)]
pub struct DisputeWording {
    /// Question in the other wording.
    question: String,
    /// True if yes to this wording means no to the dispute.
    negates: bool,
    /// Cosine similarity of the two wordings' embeddings; null if they were matched by their words.
    similarity: Option<f64>,
    /// Ids of the turns the wording was extracted from.
    turn_ids: Vec<ID>,
}

/// A revision of a dispute that asks the same as before.
#[derive(SimpleObject, Clone)]
pub struct DisputeRevision {
    /// Question after the revision.
    question: String,
    /// Question before it.
    former_question: String,
    /// Criteria after the revision.
    criteria: Vec<String>,
    /// Criteria before it.
    former_criteria: Vec<String>,
    /// Time horizon after the revision.
    horizon: Option<String>,
    /// Time horizon before it.
    former_horizon: Option<String>,
    /// Reason for the revision.
    reason: String,
    /// Ids of the turns it was extracted from.
    turn_ids: Vec<ID>,
    /// Version of the event that recorded it.
    version: i64,
}

impl From<&dispute_state::DisputeRevision> for DisputeRevision {
    fn from(revision: &dispute_state::DisputeRevision) -> DisputeRevision {
        let revised = &revision.revised;
        let is_kept = revised.criteria.is_empty();
        DisputeRevision {
            question: revised.question.as_ref().unwrap_or(&revision.former_question).clone(),
            former_question: revision.former_question.clone(),
            criteria: if is_kept { &revision.former_criteria } else { &revised.criteria }.clone(),
            former_criteria: revision.former_criteria.clone(),
            horizon: revised.horizon.as_ref().or(revision.former_horizon.as_ref()).cloned(),
            former_horizon: revision.former_horizon.clone(),
            reason: revised.reason.clone(),
            turn_ids: turns(&revised.turns),
            version: revision.version,
        }
    }
}

/// A participant's stance on a dispute.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Stance {
    /// Id of the participant.
    pub persona_id: ID,
    /// Side taken.
    pub side: Side,
    /// Id of the turn in which it was taken.
    pub turn_id: ID,
    /// Words of the turn that state it, exactly as the turn contains them; null if it was only reported.
    pub quote: Option<String>,
    /// Confidence in the side, from 0 to 1; null if the participant expressed none.
    pub confidence: Option<f64>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// A participant's act of taking or repeating a side.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct StanceHistoryEntry {
    /// Id of the participant.
    pub(crate) persona_id: ID,
    /// Previous side; null for the first stance.
    from: Option<Side>,
    /// Side taken.
    side: Side,
    /// Id of the participant's turn.
    turn_id: ID,
    /// Stance in one sentence, if stated.
    statement: Option<String>,
    /// Words of the turn that state it, exactly as the turn contains them.
    quote: Option<String>,
    /// Confidence in the side, from 0 to 1; null if the participant expressed none.
    confidence: Option<f64>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// A reason for or against a side of a dispute, weighed against the other reasons on it.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct DisputeReason {
    /// Unique id, also accepted by `node`.
    pub(crate) id: ID,
    /// Short id within the debate, such as `r1`. Fields that refer to objects of the same debate contain short ids.
    short_id: ID,
    /// Id of the participant who gave it.
    pub(crate) speaker_id: ID,
    /// Id of the participant's turn.
    turn_id: ID,
    /// Side that the reason is about: yes or no.
    side: Side,
    /// Effect on that side: support or attack.
    polarity: Polarity,
    /// Side that the reason supports in effect.
    supported_side: Side,
    /// Claim of the reason.
    claim: String,
    /// Assumptions.
    assumptions: Vec<String>,
    /// Evidence.
    evidence: Vec<Evidence>,
    /// Ids of the reasons by others, on the same dispute, that it was given against.
    attacked_reason_ids: Vec<ID>,
    /// Withdrawal, if the reason was withdrawn.
    withdrawal: Option<Withdrawal>,
    /// Grounded label among the reasons on this dispute; null if withdrawn.
    label: Option<LabelValue>,
    /// Strength among the reasons on this dispute, from 0 to 1 (quadratic energy): 0.5 if nothing attacks it; null if
    /// withdrawn.
    strength: Option<f64>,
    /// Version of the event that recorded it.
    version: i64,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

fn turns(turns: &[TurnId]) -> Vec<ID> {
    turns.iter().map(|turn| ID(turn.to_string())).collect()
}

impl Dispute {
    /// Returns all disputes of a debate, in the order in which they were raised.
    pub fn all(read_model: &Arc<DebateReadModel>, participants: &ParticipantSource) -> impl Iterator<Item = Dispute> {
        read_model
            .disputes
            .disputes
            .iter()
            .map(|(id, dispute)| Dispute::new(*id, dispute, Arc::clone(read_model), participants))
    }

    /// Returns the dispute with this id.
    pub fn of(read_model: &Arc<DebateReadModel>, id: DisputeId, participants: &ParticipantSource) -> Option<Dispute> {
        read_model
            .disputes
            .disputes
            .get(&id)
            .map(|dispute| Dispute::new(id, dispute, Arc::clone(read_model), participants))
    }

    fn new(
        id: DisputeId,
        dispute: &dispute_state::Dispute,
        read_model: Arc<DebateReadModel>,
        participants: &ParticipantSource,
    ) -> Self {
        let stance = |persona: &PersonaId, stance: &dispute_state::Stance| Stance {
            persona_id: ID(persona.to_string()),
            side: stance.side.into(),
            turn_id: ID(stance.turn.to_string()),
            quote: stance.quote.clone(),
            confidence: stance.confidence,
            participants: participants.clone(),
        };
        let wordings = dispute.wordings.iter().map(|wording| DisputeWording {
            question: wording.question.clone(),
            negates: wording.negates,
            similarity: wording.likeness,
            turn_ids: turns(&wording.turns),
        });
        Dispute {
            id: participants.object_id(DebateObject::Dispute(id)),
            short_id: ID(id.to_string()),
            question: dispute.question.clone(),
            is_topic: dispute.is_topic,
            status: dispute.status().into(),
            turn_ids: turns(&dispute.turns),
            opened_turn_id: dispute.opened_in().map(|turn| ID(turn.to_string())),
            settled_turn_id: dispute.settled_in().map(|turn| ID(turn.to_string())),
            retired_reason: dispute.retired.clone(),
            horizon: dispute.horizon.clone(),
            criteria: dispute.criteria.clone(),
            wordings: wordings.collect(),
            revisions: dispute.revisions.iter().map(DisputeRevision::from).collect(),
            stances: dispute.stances.iter().map(|(persona, taken)| stance(persona, taken)).collect(),
            measures: stance_measures(dispute.stances.values()).map(StanceMeasures::from),
            reported_stances: dispute.reported.iter().map(|(persona, taken)| stance(persona, taken)).collect(),
            stance_history: StanceHistoryEntry::all(dispute, participants),
            dispute: id,
            read_model,
            participants: participants.clone(),
        }
    }
}

impl StanceHistoryEntry {
    fn all(dispute: &dispute_state::Dispute, participants: &ParticipantSource) -> Vec<StanceHistoryEntry> {
        let mut sides = BTreeMap::new();
        let entries = dispute.history.iter().map(|(persona, stance)| StanceHistoryEntry {
            persona_id: ID(persona.to_string()),
            from: sides.insert(persona, stance.side).map(Side::from),
            side: stance.side.into(),
            turn_id: ID(stance.turn.to_string()),
            statement: stance.statement.clone(),
            quote: stance.quote.clone(),
            confidence: stance.confidence,
            participants: participants.clone(),
        });
        entries.collect()
    }
}

impl DisputeReason {
    /// Builds a reason with its rank among the reasons that count; `None` if it was withdrawn.
    pub(crate) fn new(
        reason: &dispute_state::Reason,
        ranked: Option<&RankedReason>,
        participants: &ParticipantSource,
    ) -> Self {
        let given = &reason.given;
        DisputeReason {
            id: participants.object_id(DebateObject::Reason(given.reason)),
            short_id: ID(given.reason.to_string()),
            speaker_id: ID(given.speaker.to_string()),
            turn_id: ID(given.turn.to_string()),
            side: given.side.into(),
            polarity: given.polarity.into(),
            supported_side: reason.supported_side().into(),
            claim: given.claim.clone(),
            assumptions: given.assumptions.clone(),
            evidence: given.evidence.iter().map(Evidence::from).collect(),
            attacked_reason_ids: given.attacks.iter().map(|attack| ID(attack.to_string())).collect(),
            withdrawal: reason.withdrawn.as_ref().map(|withdrawal| Withdrawal {
                turn_id: ID(withdrawal.turn.to_string()),
                reason: withdrawal.why.clone(),
                superseded_by: None,
            }),
            label: ranked.map(|ranked| ranked.label.into()),
            strength: ranked.map(|ranked| ranked.strength),
            version: reason.version,
            participants: participants.clone(),
        }
    }
}

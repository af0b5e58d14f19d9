//! GraphQL types of crux cards.

use async_graphql::{Enum, ID, SimpleObject};

use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::scalars::DisagreementKind;
use faultline_core::verdicts::card;
use faultline_core::verdicts::card::MindChangeCondition;

/// Card of a crux: what the disagreement is about, what would end it, and whether it ended. Everything on it is taken from
/// the events of the debate; what nobody said is null, with the reason.
#[derive(SimpleObject, Clone, Default)]
pub struct CruxCard {
    /// Kind of disagreement; null if neither the structure of the debate nor a room's card tells it.
    kind: Option<DisagreementKind>,
    /// Basis of the kind, or the reason why it is unknown.
    kind_reason: String,
    /// Diagnosis: what each participant holds, and what depends on it.
    diagnosis: String,
    /// Id of the room whose card states the diagnosis; null if it was derived from the positions.
    diagnosis_room_id: Option<ID>,
    /// Time frame of the question, if its dispute has one.
    horizon: Option<String>,
    /// Observations that would settle the crux, as stated when its dispute was raised.
    criteria: Vec<String>,
    /// Reason why there are no criteria; null if there are.
    criteria_missing: Option<String>,
    /// Conditions under which each participant who has a position would change their mind.
    mind_changes: Vec<MindChange>,
    /// Resolution; null while the crux is unresolved.
    resolution: Option<String>,
    /// Reason why there is no resolution; null if there is one.
    resolution_missing: Option<String>,
}

/// Condition under which a participant would change their mind.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct MindChange {
    /// Id of the participant.
    pub(crate) persona_id: ID,
    /// Condition; null if it is unknown.
    words: Option<String>,
    /// Source of the condition; null if it is unknown.
    source: Option<MindChangeSource>,
    /// Id of the turn that contains the words, if the participant spoke them.
    turn_id: Option<ID>,
    /// Id of the room whose card states the condition, if one does.
    room_id: Option<ID>,
    /// True if the participant spoke about this very crux; false for words about the topic as a whole, and for other
    /// sources.
    on_crux: bool,
    /// Reason why the condition is unknown; null if it is known.
    missing: Option<String>,
    #[graphql(skip)]
    pub(crate) participants: ParticipantSource,
}

/// Sources of what would change a participant's mind.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum MindChangeSource {
    /// Words of the participant's own turn, exactly as it contains them.
    Spoken,
    /// Card of a room. Its author wrote the condition, not the participant.
    Room,
    /// Contract of the persona. No turn of the participant contains these words.
    Contract,
}

impl CruxCard {
    /// Builds a card of a debate with these participants.
    pub fn new(card: &card::CruxCard, participants: &ParticipantSource) -> Self {
        CruxCard {
            kind: card.kind.map(DisagreementKind::from),
            kind_reason: card.kind_reason.clone(),
            diagnosis: card.diagnosis.clone(),
            diagnosis_room_id: card.diagnosed_in.map(|room| ID(room.to_string())),
            horizon: card.horizon.clone(),
            criteria: card.criteria.clone(),
            criteria_missing: card.criteria_missing.clone(),
            mind_changes: card.mind_changes.iter().map(|change| MindChange::new(change, participants)).collect(),
            resolution: card.resolution.clone(),
            resolution_missing: card.resolution_missing.clone(),
        }
    }
}

impl MindChange {
    fn new(change: &card::MindChange, participants: &ParticipantSource) -> Self {
        let mut built = MindChange {
            persona_id: ID(change.persona.to_string()),
            words: change.condition.text().map(str::to_owned),
            source: None,
            turn_id: None,
            room_id: None,
            on_crux: false,
            missing: None,
            participants: participants.clone(),
        };
        match &change.condition {
            MindChangeCondition::Spoken { turn, on_crux, .. } => {
                built.source = Some(MindChangeSource::Spoken);
                (built.turn_id, built.on_crux) = (Some(ID(turn.to_string())), *on_crux);
            }
            MindChangeCondition::Room { room, .. } => {
                built.source = Some(MindChangeSource::Room);
                built.room_id = Some(ID(room.to_string()));
            }
            MindChangeCondition::Contract { .. } => built.source = Some(MindChangeSource::Contract),
            MindChangeCondition::Unknown { reason } => built.missing = Some(reason.clone()),
        }
        built
    }
}

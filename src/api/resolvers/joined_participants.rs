//! Resolvers of the participants and personas that objects refer to by id. They cost no statement of their own: the
//! participants are those of the debate that contains the object, and personas are in memory.

use std::sync::Arc;

use async_graphql::{ComplexObject, Context, ID, Result};

use crate::api::ids::parse_id;
use crate::api::loading::nodes;
use crate::api::types::analysis::audit::AuditedWords;
use crate::api::types::analysis::compare::StanceChange;
use crate::api::types::analysis::disagreement::{EvidenceLedger, FaultSide, FlipCondition, TrackedCondition};
use crate::api::types::analysis::verdict::{Camp, TopicPosition};
use crate::api::types::analysis::verdict_change::VerdictChange;
use crate::api::types::channel::{AttentionScore, FloorEntry, SkippedTurn, StatedWords, SteelmanJudgement};
use crate::api::types::crux::card::MindChange;
use crate::api::types::crux::crux::CruxPosition;
use crate::api::types::crux::recurring::RecurringSides;
use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::dispute::dispute::{DisputeReason, Stance, StanceHistoryEntry};
use crate::api::types::motion::{CheckedDraft, MotionTeam};
use crate::api::types::persona::participant::{Participant, VoiceDistance};
use crate::api::types::persona::persona::Persona;
use crate::api::types::room::Falsifier;
use crate::api::types::room_summary::{StatedCondition, SummarizedReason};
use crate::api::types::speech::argument::Attack;
use crate::api::types::speech::concession::Concession;
use crate::api::types::speech::draft::TurnDraft;
use crate::api::types::speech::fact_check::{FactCheck, UncheckedClaim};
use crate::api::types::speech::granted::StatementHolder;
use crate::api::types::speech::proposal::{Proposal, ProposalAcceptance};
use crate::api::types::speech::search::Search;
use crate::api::types::speech::talk::{Acknowledgement, CruxProposal, Hint, StanceShift};
use crate::api::types::table::IntentEntry;

impl ParticipantSource {
    /// Returns the participant with this persona id; `None` if the debate has no such participant.
    pub(crate) async fn find(&self, context: &Context<'_>, id: &ID) -> Result<Option<Participant>> {
        let debate = self.debate_ref.load(context, self.debate).await?;
        let found = debate.cast.iter().find(|member| member.persona.as_str() == id.as_str());
        Ok(found.map(|member| Participant::new(member, Arc::clone(&debate))))
    }
}

/// Defines the field `participant` of objects that contain the id of one.
macro_rules! joined_participant {
    ($($object:ident: $id:ident),+ $(,)?) => {
        $(
            #[ComplexObject]
            impl $object {
                /// The participant; null if the debate has no such participant.
                async fn participant(&self, context: &Context<'_>) -> Result<Option<Participant>> {
                    self.participants.find(context, &self.$id).await
                }
            }
        )+
    };
}

joined_participant! {
    Acknowledgement: persona_id,
    Attack: speaker_id,
    AttentionScore: participant_id,
    AuditedWords: persona_id,
    CheckedDraft: speaker_id,
    Concession: persona_id,
    CruxPosition: persona_id,
    CruxProposal: speaker_id,
    DisputeReason: speaker_id,
    EvidenceLedger: persona_id,
    Falsifier: persona_id,
    FlipCondition: persona_id,
    FloorEntry: speaker_id,
    Hint: persona_id,
    IntentEntry: speaker_id,
    MindChange: persona_id,
    Proposal: speaker_id,
    ProposalAcceptance: persona_id,
    Search: speaker_id,
    SkippedTurn: speaker_id,
    StanceShift: persona_id,
    Stance: persona_id,
    StanceChange: persona_id,
    StanceHistoryEntry: persona_id,
    StatedCondition: persona_id,
    StatedWords: speaker_id,
    SteelmanJudgement: speaker_id,
    StatementHolder: persona_id,
    SummarizedReason: persona_id,
    TopicPosition: persona_id,
    TrackedCondition: persona_id,
    UncheckedClaim: speaker_id,
    VoiceDistance: persona_id,
}

#[ComplexObject]
impl FactCheck {
    /// The participant; null for the moderator.
    async fn participant(&self, context: &Context<'_>) -> Result<Option<Participant>> {
        match &self.speaker_id {
            Some(id) => self.participants.find(context, id).await,
            None => Ok(None),
        }
    }
}

#[ComplexObject]
impl VerdictChange {
    /// The participant; null if the change belongs to none.
    async fn participant(&self, context: &Context<'_>) -> Result<Option<Participant>> {
        match &self.persona_id {
            Some(id) => self.participants.find(context, id).await,
            None => Ok(None),
        }
    }
}

#[ComplexObject]
impl TurnDraft {
    /// The persona whose turn it is to be; null if it does not take part in debates any more.
    async fn speaker(&self, context: &Context<'_>) -> Result<Option<Persona>> {
        nodes::persona(context, &parse_id(&self.speaker_id)?, None).await
    }
}

#[ComplexObject]
impl RecurringSides {
    /// The persona; null if it does not take part in debates any more.
    async fn persona(&self, context: &Context<'_>) -> Result<Option<Persona>> {
        nodes::persona(context, &parse_id(&self.persona_id)?, None).await
    }
}

/// Defines the field `participants` of objects that contain the ids of several.
macro_rules! joined_participants {
    ($($object:ident),+ $(,)?) => {
        $(
            #[ComplexObject]
            impl $object {
                /// Its members.
                async fn participants(&self, context: &Context<'_>) -> Result<Vec<Participant>> {
                    let mut members = Vec::with_capacity(self.persona_ids.len());
                    for id in &self.persona_ids {
                        members.extend(self.source.find(context, id).await?);
                    }
                    Ok(members)
                }
            }
        )+
    };
}

joined_participants!(Camp, FaultSide, MotionTeam);

//! Resolvers of disputes.

use std::sync::Arc;

use async_graphql::{ComplexObject, Context, Result};

use crate::api::complexity::{FOLD_COMPLEXITY, RANKING_COMPLEXITY};
use crate::api::error::from_panic;
use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::debate_ref::ParticipantSource;
use crate::api::types::dispute::dispute::{Dispute, DisputeReason};
use crate::api::types::dispute::dispute_list::ListedDispute;
use faultline_core::projections::disputes::dispute_state;
use faultline_core::verdicts::ranking::ranked;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_service::compute::compute;

/// Fields that are computed on demand.
#[ComplexObject]
impl Dispute {
    /// All reasons ever given on the dispute: first the accepted ones, then the undecided, the defeated and finally the
    /// withdrawn ones; within each group the strongest first, then the oldest.
    #[graphql(complexity = "RANKING_COMPLEXITY + child_complexity")]
    pub(crate) async fn reasons(&self) -> Result<Vec<DisputeReason>> {
        let (read_model, id) = (Arc::clone(&self.read_model), self.dispute);
        let participants = self.participants.clone();
        let reasons = compute(move || {
            read_model.disputes.disputes.get(&id).map(|dispute| reasons(&read_model, dispute, &participants))
        });
        Ok(reasons.await.map_err(|error| from_panic(&error))?.unwrap_or_default())
    }
}

/// Fields that require the debate.
#[ComplexObject]
impl ListedDispute {
    /// The debate as listed, with its disputes.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn debate(&self, context: &Context<'_>) -> Result<Arc<Debate>> {
        self.loader.debate(context, self.debate).await
    }
}

fn reasons(
    read_model: &DebateReadModel,
    dispute: &dispute_state::Dispute,
    participants: &ParticipantSource,
) -> Vec<DisputeReason> {
    let ranked = ranked(&read_model.disputes, dispute);
    let live = ranked.iter().filter_map(|ranked| {
        Some(DisputeReason::new(dispute.reasons.get(&ranked.reason)?, Some(ranked), participants))
    });
    let withdrawn = dispute.reasons.values().filter(|reason| reason.withdrawn.is_some());
    live.chain(withdrawn.map(|reason| DisputeReason::new(reason, None, participants))).collect()
}

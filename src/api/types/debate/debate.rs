//! GraphQL type of a debate. Its summary is available at once; everything else is folded on demand.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_graphql::{Context, ID, Result, SimpleObject};
use chrono::{DateTime, Utc};
use tokio::sync::OnceCell;

use crate::api::batching::debate_batch::DebateBatch;
use crate::api::error::{from_service, invalid};
use crate::api::ids::versioned;
use crate::api::types::debate::usage::Usage;
use crate::api::types::debate_object::DebateObject;
use crate::api::types::scalars::{DebateStatus, OutcomeKind, Seed};
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::projections::summary;
use faultline_core::projections::summary::Summary;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::verdict::Verdict;
use faultline_core::verdicts::voice_attribution::Attribution;
use faultline_service::service::DebateService;

/// A debate at one version.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Debate {
    /// Id of the debate. At a version that the query names, it ends in `@` and the version, as in `...@20`.
    pub(crate) id: ID,
    /// Origin of a fork; null for other debates.
    forked_from: Option<ForkOrigin>,
    /// Topic.
    topic: String,
    /// Name of the engine that runs it.
    pub(crate) engine: String,
    /// Revision of the engine when the debate was opened.
    engine_revision: i32,
    /// Name of the model provider.
    provider: String,
    /// Seed of its random choices.
    seed: Seed,
    /// Status.
    pub(crate) status: DebateStatus,
    /// Current phase, as named by the engine.
    phase: Option<String>,
    /// Current round.
    round: Option<u32>,
    /// Version of its latest event. Subscribe with this version as `after` to receive all later events.
    pub(crate) version: i64,
    /// Time at which it was opened.
    pub(crate) opened_at: DateTime<Utc>,
    /// Time at which its latest event was recorded.
    updated_at: DateTime<Utc>,
    /// Time at which it ended.
    ended_at: Option<DateTime<Utc>>,
    /// Outcome, if it ended.
    outcome: Option<Outcome>,
    /// Number of turns taken by participants.
    turn_count: u32,
    /// Costs.
    usage: Usage,
    #[graphql(skip)]
    pub(crate) debate: DebateId,
    #[graphql(skip)]
    pub(crate) batch: Arc<DebateBatch>,
    #[graphql(skip)]
    pub(crate) cast: Arc<[summary::Participant]>,
    #[graphql(skip)]
    attributions: Arc<OnceCell<BTreeMap<PersonaId, Attribution>>>,
}

/// Origin of a fork.
#[derive(SimpleObject, Clone)]
pub struct ForkOrigin {
    /// Id of the debate that was forked.
    debate_id: ID,
    /// Last version that both debates share.
    at: i64,
}

/// Outcome of a debate.
#[derive(SimpleObject, Clone)]
pub struct Outcome {
    /// Kind of outcome.
    kind: OutcomeKind,
    /// Explanation.
    reason: String,
}

impl Debate {
    /// Builds a debate from a read model, at the requested version or that of the read model.
    ///
    /// # Errors
    /// `INVALID` if the debate has no opening event.
    pub fn from_read_model(read_model: DebateReadModel, at: Option<i64>) -> Result<Debate> {
        let summary = read_model.summary.clone();
        debug_assert!(at.is_none_or(|at| at >= summary.version), "the read model is not newer than requested");
        let id = summary.debate.ok_or_else(|| invalid("the debate has no opening event"))?;
        Debate::from_summary(&summary, Arc::new(DebateBatch::folded(id, read_model)))
    }

    /// Builds a debate from its summary. Everything else is read on demand, together with that of the debates in the
    /// same batch.
    ///
    /// # Errors
    /// `INVALID` if the debate has no opening event.
    pub fn from_summary(summary: &Summary, batch: Arc<DebateBatch>) -> Result<Debate> {
        let (Some(id), Some(opened_at)) = (summary.debate, summary.opened_at) else {
            return Err(invalid("the debate has no opening event"));
        };
        let outcome = summary.outcome.as_ref();
        let ended = outcome.map(|outcome| Outcome { kind: outcome.into(), reason: outcome.reason().to_owned() });
        let cancelled = summary.cancelled.clone().map(|reason| Outcome { kind: OutcomeKind::Cancelled, reason });
        Ok(Debate {
            id: ID(id.to_string()),
            forked_from: summary
                .origin
                .map(|origin| ForkOrigin { debate_id: ID(origin.debate.to_string()), at: origin.at }),
            topic: summary.topic.clone(),
            engine: summary.engine.clone(),
            engine_revision: summary.engine_revision,
            provider: summary.provider.clone(),
            seed: Seed(summary.seed),
            status: summary.status.into(),
            phase: summary.phase.clone(),
            round: summary.round,
            version: summary.version,
            opened_at,
            updated_at: summary.updated_at.unwrap_or(opened_at),
            ended_at: summary.ended_at,
            outcome: ended.or(cancelled),
            turn_count: summary.n_turns,
            usage: Usage::of(summary),
            debate: id,
            batch,
            cast: summary.participants.clone().into(),
            attributions: Arc::default(),
        })
    }

    /// Returns the debate as an object of its own, apart from the present debate: its id contains the version.
    #[must_use]
    pub fn pinned(self, at: i64) -> Debate {
        Debate { id: ID(versioned(self.debate, at)), ..self }
    }

    /// Returns the id of an object of the debate, unique among all objects. It contains the version of a debate at a
    /// version.
    pub fn object_id(&self, object: DebateObject) -> ID {
        ID(format!("{}:{object}", *self.id))
    }

    /// Returns the read model, folded once for all fields.
    pub(crate) async fn read_model(&self, context: &Context<'_>) -> Result<&Arc<DebateReadModel>> {
        self.batch.read_model(context, self.debate).await
    }

    /// Returns the voice attribution of the participants, computed once for all fields.
    pub(crate) async fn voice_attributions(&self, context: &Context<'_>) -> Result<&BTreeMap<PersonaId, Attribution>> {
        let attribute = async || {
            let read_model = self.read_model(context).await?;
            context.data::<DebateService>()?.voice_attributions(read_model).await.map_err(from_service)
        };
        self.attributions.get_or_try_init(attribute).await
    }

    /// Reads the verdicts of the debates of a list in one go if cruxes of rooms are selected, whichever of them have rooms:
    /// the number of statements then does not depend on that.
    pub(crate) async fn prepare_cruxes(&self, context: &Context<'_>) -> Result<()> {
        if context.look_ahead().field("cruxes").exists() {
            self.verdict(context).await?;
        }
        Ok(())
    }

    /// Returns the verdict, computed once, on the compute pool.
    pub(crate) async fn verdict(&self, context: &Context<'_>) -> Result<&Arc<Verdict>> {
        self.batch.verdict(context, self.debate).await
    }
}

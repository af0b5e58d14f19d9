//! Forks: new debates that share the history of another up to a version.

use serde_json::Value;
use uuid::Uuid;

use crate::catalog::SHARED_CORPUS;
use crate::error::ServiceError;
use crate::service::DebateService;
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::events::lifecycle::{DebateLimits, DebateOpened};
use faultline_core::kernel::engine::{Refusal, RefusalKind, is_external};
use faultline_core::kernel::forking;
use faultline_core::kernel::forking::ForkChanges;
use faultline_core::projections::summary::Summary;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_store::log::append::AppendError;

/// Changes requested for a fork; names are not resolved yet. A field that is `None` or null keeps the origin's value.
#[derive(Clone, Debug, Default)]
pub struct ForkRequest {
    /// Ids of the personas that take part from here on, in speaking order.
    pub personas: Option<Vec<String>>,
    /// Engine options to set.
    pub options: Value,
    /// Spending limits.
    pub limits: Option<DebateLimits>,
    /// Seed of the debate's random choices.
    pub seed: Option<u64>,
    /// Name of the provider.
    pub provider: Option<String>,
    /// Models of participants: the id of a persona, and the model's name at the provider.
    pub models: Option<Vec<(String, String)>>,
    /// Id of the fork, chosen by the client so that a repeated request creates it only once; a new one if `None`.
    pub id: Option<DebateId>,
}

impl DebateService {
    /// Forks a debate at a version, or at its latest version if `None`, with the requested changes. The final event of
    /// a debate that has ended is not shared, and neither are audits and probes that followed it. Runners find the fork by
    /// following the log.
    ///
    /// # Errors
    /// [`ServiceError::Refused`] if the debate or the version does not exist, a name is unknown, the engine rejects the
    /// changes, or the fork's id is taken; [`ServiceError::Fault`] if the log cannot be read or written.
    pub async fn fork(
        &self,
        origin: DebateId,
        at: Option<i64>,
        request: ForkRequest,
    ) -> Result<DebateReadModel, ServiceError> {
        let summary = self.read_model(origin, at).await?.summary;
        let last = summary.end.map_or(summary.version, |end| end - 1);
        let Some(before) = self.log().opening_for_version(origin, last).await? else {
            let reason = format!("debate {origin} has no opening event before version {last}");
            return Err(Refusal::invalid(reason).into());
        };
        let changes = self.changes(&before.provider, request.clone())?;
        self.check_fork_topic(&summary, &changes)?;
        self.check_fork_corpus(&before, &changes)?;
        let fork = request.id.unwrap_or_else(|| self.log().new_debate_id());
        let forked = forking::fork(ENGINES, origin, last, &before, changes)?;
        match self.log().fork(fork, Uuid::now_v7(), forked).await {
            Ok(_) => self.read_model(fork, None).await,
            Err(AppendError::Fault(fault)) => Err(fault.into()),
            Err(other) => {
                let reason = format!("debate {fork} already exists: {other}");
                Err(Refusal::new(RefusalKind::Conflict, reason).into())
            }
        }
    }

    /// Refuses a fork that the offline provider cannot play.
    fn check_fork_topic(&self, summary: &Summary, changes: &ForkChanges) -> Result<(), Refusal> {
        let ids: Vec<PersonaId> = match &changes.participants {
            Some(changed) => changed.iter().map(|participant| participant.id.clone()).collect(),
            None => summary.present().map(|participant| participant.persona.clone()).collect(),
        };
        let provider = changes.provider.as_ref().unwrap_or(&summary.provider);
        self.catalog().check_topic(provider, &summary.topic, &ids)
    }

    /// Refuses a fork with an unknown shared corpus, in the changes or inherited.
    fn check_fork_corpus(&self, before: &DebateOpened, changes: &ForkChanges) -> Result<(), Refusal> {
        if is_external(ENGINES, &before.engine) {
            return Ok(());
        }
        let changed = changes.options.get(SHARED_CORPUS).is_some();
        self.catalog().check_shared_corpus(if changed { &changes.options } else { &before.options })
    }

    /// Resolves names in the requested changes.
    fn changes(&self, provider_before: &str, request: ForkRequest) -> Result<ForkChanges, Refusal> {
        let persona = |id: &String| self.catalog().participant(id);
        let participants = request.personas.map(|ids| ids.iter().map(persona).collect()).transpose()?;
        let provider = request
            .provider
            .map(|provider_name| self.catalog().provider(Some(&provider_name)).map(|provider| provider.name.clone()));
        let provider = provider.transpose()?;
        let models =
            request.models.map(|models| self.catalog().models(provider.as_deref().unwrap_or(provider_before), &models));
        Ok(ForkChanges {
            models: models.transpose()?,
            options: request.options,
            participants,
            limits: request.limits,
            seed: request.seed,
            provider,
        })
    }
}

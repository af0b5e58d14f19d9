//! Forks: another debate that goes on from a moment of this one.

use serde_json::Value;
use uuid::Uuid;

use crate::desk::desk::{Desk, DeskError};
use crate::engines::registry::ENGINES;
use crate::events::ids::DebateId;
use crate::events::lifecycle::Limits;
use crate::kernel::engine::{Refusal, RefusalKind};
use crate::kernel::forking::{self, Changes};
use crate::store::append::AppendError;
use crate::verdicts::board::Board;

/// What a fork is asked to change, names unresolved. What is not given stays as it was.
#[derive(Clone, Debug, Default)]
pub struct Fork {
    /// Ids of the personas who take part from here on, in speaking order.
    pub personas: Option<Vec<String>>,
    /// Options of the engine to be set.
    pub options: Value,
    /// What it may spend.
    pub limits: Option<Limits>,
    /// The seed of its choices.
    pub seed: Option<u64>,
    /// The provider's name.
    pub provider: Option<String>,
    /// A name for the fork, chosen by the client so that asking twice makes it once.
    pub id: Option<DebateId>,
}

impl Desk {
    /// Lets a new debate go on from a version of another, with something changed; from where the other stands where no
    /// version is given. The end of a debate that has ended is not shared. Whoever runs debates will find the fork.
    ///
    /// # Errors
    /// [`DeskError::Refused`] where there is no such debate or version, a name is unknown, or the engine will not have
    /// the changes.
    pub async fn fork(&self, origin: DebateId, at: Option<i64>, wanted: Fork) -> Result<Board, DeskError> {
        let summary = self.board(origin, at).await?.summary;
        let last = if summary.status.is_final() { summary.version - 1 } else { summary.version };
        let Some(before) = self.log().opening_at(origin, last).await? else {
            let reason = format!("debate {origin} has no opening event before version {last}");
            return Err(Refusal::invalid(reason).into());
        };
        let fork = wanted.id.unwrap_or_else(|| DebateId(Uuid::now_v7()));
        let forked = forking::fork(ENGINES, origin, last, &before, self.changes(wanted)?)?;
        match self.log().fork(fork, Uuid::now_v7(), forked).await {
            Ok(_) => self.board(fork, None).await,
            Err(AppendError::Fault(fault)) => Err(fault.into()),
            Err(other) => {
                let reason = format!("debate {fork} is there already: {other}");
                Err(Refusal::new(RefusalKind::Conflict, reason).into())
            }
        }
    }

    /// The same, names resolved.
    fn changes(&self, wanted: Fork) -> Result<Changes, Refusal> {
        let persona = |id: &String| self.roster().persona(id).map(|it| it.persona.clone());
        let participants = wanted.personas.map(|ids| ids.iter().map(persona).collect()).transpose()?;
        let provider = wanted.provider.map(|it| self.roster().provider(Some(&it)).map(|it| it.name.clone()));
        Ok(Changes {
            options: wanted.options,
            participants,
            limits: wanted.limits,
            seed: wanted.seed,
            provider: provider.transpose()?,
        })
    }
}

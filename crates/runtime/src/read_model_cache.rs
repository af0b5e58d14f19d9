//! Cache of debates' read models, kept as long as the debates are likely to change again.

use std::collections::{BTreeMap, HashMap};

use tokio::task::{JoinError, spawn_blocking};

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_service::views::view_rows::project;
use faultline_store::error::StoreError;
use faultline_store::generations::save::ViewChanges;
use faultline_store::log::log::Log;

/// Maximum number of read models kept in memory.
const MAX_READ_MODELS: usize = 512;
/// Number of events read at once.
const PAGE: i64 = 1_000;

/// Cache of debates' read models.
pub struct ReadModelCache {
    log: Log,
    kept: HashMap<DebateId, DebateReadModel>,
}

/// Result of applying events.
#[derive(Default)]
pub struct Changed {
    /// Debates that changed, with their current read models.
    pub read_models: Vec<(DebateId, DebateReadModel)>,
    /// Debates that changed and cannot be read, with the faults.
    pub damaged: Vec<(DebateId, StoreError)>,
}

impl ReadModelCache {
    /// Creates an empty cache.
    pub fn new(log: Log) -> ReadModelCache {
        ReadModelCache { log, kept: HashMap::new() }
    }

    /// Removes all read models.
    pub fn clear(&mut self) {
        self.kept.clear();
    }

    /// Applies events, and returns the read models of the debates that changed. Debates that cannot be read are
    /// returned separately.
    ///
    /// # Errors
    /// [`StoreError::StreamGap`] if a stream has a gap; any other [`StoreError`] but [`StoreError::Damaged`] if the database cannot be
    /// reached or refuses a statement.
    pub async fn apply(&mut self, events: &[Recorded]) -> Result<Changed, StoreError> {
        let mut newest: BTreeMap<DebateId, Vec<&Recorded>> = BTreeMap::new();
        for recorded in events {
            newest.entry(recorded.debate).or_default().push(recorded);
        }
        if self.kept.len() + newest.len() > MAX_READ_MODELS {
            self.kept.clear();
        }
        let mut changed = Changed::default();
        for (debate, events) in newest {
            if events.iter().any(|recorded| matches!(recorded.event, Event::Erased(_))) {
                self.kept.remove(&debate);
                continue;
            }
            match self.fold(debate, &events).await {
                Ok(()) => {}
                Err(fault @ StoreError::Damaged { .. }) => {
                    self.kept.remove(&debate);
                    changed.damaged.push((debate, fault));
                    continue;
                }
                Err(fault) => return Err(fault),
            }
            let Some(read_model) = self.kept.get(&debate) else { continue };
            changed.read_models.push((debate, read_model.clone()));
            if read_model.summary.status.is_final() {
                self.kept.remove(&debate);
            }
        }
        Ok(changed)
    }

    /// Applies events to a debate's read model. If it is not cached or misses events, folds it from the stream.
    async fn fold(&mut self, debate: DebateId, events: &[&Recorded]) -> Result<(), StoreError> {
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(()) };
        let read_model = self.kept.entry(debate).or_default();
        if first.version > read_model.summary.version + 1 {
            *read_model = fold_stream(&self.log, debate, last.version).await?;
            return Ok(());
        }
        for recorded in events {
            if recorded.version > read_model.summary.version {
                read_model.apply(recorded);
            }
        }
        Ok(())
    }
}

/// Folds a debate's stream into its read model, at least up to a version and including the part shared with its fork
/// origin. Returns an empty read model for an erased debate.
///
/// # Errors
/// [`StoreError::Damaged`] or [`StoreError::StreamGap`] if the stream cannot be read; any other [`StoreError`] if the database cannot
/// be reached or refuses a statement.
pub async fn fold_stream(log: &Log, debate: DebateId, version: i64) -> Result<DebateReadModel, StoreError> {
    let mut read_model = DebateReadModel::default();
    while read_model.summary.version < version {
        let page = match log.read(debate, read_model.summary.version, PAGE).await {
            Err(StoreError::Erased { .. }) => return Ok(DebateReadModel::default()),
            read => read?,
        };
        if page.is_empty() {
            break;
        }
        page.iter().for_each(|event| read_model.apply(event));
    }
    Ok(read_model)
}

/// Folds a debate's stream up to a version, as far as it can be read, and returns the fault that stopped it, if any.
/// Returns an empty read model for an erased debate.
///
/// # Errors
/// [`StoreError::StreamGap`] if the stream has a gap; any other [`StoreError`] but [`StoreError::Damaged`] if the database cannot be
/// reached or refuses a statement.
pub async fn fold_readable(
    log: &Log,
    debate: DebateId,
    version: i64,
) -> Result<(DebateReadModel, Option<StoreError>), StoreError> {
    match fold_stream(log, debate, version).await {
        Ok(read_model) => Ok((read_model, None)),
        Err(fault) => match fault {
            StoreError::Damaged { version: broken, .. } => {
                let read_model =
                    if broken > 1 { before(log, debate, broken).await? } else { DebateReadModel::default() };
                Ok((read_model, Some(fault)))
            }
            fault => Err(fault),
        },
    }
}

/// Folds a debate's stream up to the event before `version`, and reads no further.
async fn before(log: &Log, debate: DebateId, version: i64) -> Result<DebateReadModel, StoreError> {
    let mut read_model = DebateReadModel::default();
    while read_model.summary.version < version - 1 {
        let lacking = version - 1 - read_model.summary.version;
        let page = log.read(debate, read_model.summary.version, lacking.min(PAGE)).await?;
        if page.is_empty() {
            break;
        }
        page.iter().for_each(|event| read_model.apply(event));
    }
    Ok(read_model)
}

/// Builds the rows of debates in a generation. Runs on the blocking pool, because the verdict of a hard debate takes
/// long and nothing else should wait for it.
///
/// # Errors
/// [`StoreError::Json`] if a view cannot be encoded.
pub async fn build_rows(
    generation: i32,
    read_models: Vec<(DebateId, DebateReadModel)>,
) -> Result<ViewChanges, StoreError> {
    let build_rows = spawn_blocking(move || {
        let mut changes = ViewChanges::default();
        read_models
            .iter()
            .try_for_each(|(debate, read_model)| project(&mut changes, generation, *debate, read_model))?;
        Ok(changes)
    });
    build_rows.await.unwrap_or_else(unwrap_join_error)
}

/// Handles a task that did not complete: resumes its panic, or reports that the runtime is stopping.
///
/// # Errors
/// Always [`StoreError::Stopped`].
pub fn unwrap_join_error<T>(error: JoinError) -> Result<T, StoreError> {
    match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Err(StoreError::Stopped),
    }
}

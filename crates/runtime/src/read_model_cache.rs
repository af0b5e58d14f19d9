//! Cache of debates' read models, kept as long as the debates are likely to change again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::task::{JoinError, spawn_blocking};

use crate::bounded_cache::BoundedCache;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_service::views::view_rows::project;
use faultline_store::error::StoreError;
use faultline_store::generations::save::ViewChanges;
use faultline_store::lanes::{LaneSet, lane_of};
use faultline_store::log::log::Log;

/// Estimated size of the read models kept in memory, in bytes (128 MiB).
const MAX_BYTES: usize = 128 << 20;
/// Estimated size of what a read model keeps of an event besides the words of turns, in bytes.
const EVENT_BYTES: usize = 1_024;
/// Minimum number of debates whose rows are built by one task.
const MIN_AT_ONCE: usize = 16;
/// Number of events read at once.
const PAGE: i64 = 1_000;

/// Cache of debates' read models.
pub struct ReadModelCache {
    log: Log,
    kept: BoundedCache<DebateId, Arc<DebateReadModel>>,
}

/// Result of applying events.
#[derive(Default)]
pub struct Changed {
    /// Debates that changed, with their current read models.
    pub read_models: Vec<(DebateId, Arc<DebateReadModel>)>,
    /// Debates that changed and cannot be read, with the faults.
    pub damaged: Vec<(DebateId, StoreError)>,
    /// Debates that were erased.
    pub erased: Vec<DebateId>,
}

impl ReadModelCache {
    /// Creates an empty cache.
    pub fn new(log: Log) -> ReadModelCache {
        ReadModelCache { log, kept: BoundedCache::new(MAX_BYTES) }
    }

    /// Removes all read models.
    pub fn clear(&mut self) {
        self.kept.clear();
    }

    /// Removes the read models of debates in other lanes than these.
    pub fn keep_lanes(&mut self, lanes: LaneSet) {
        self.kept.retain(|debate| lanes.contains(lane_of(*debate)));
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
        let mut changed = Changed::default();
        for (debate, events) in newest {
            if events.iter().any(|recorded| matches!(recorded.event, Event::Erased(_))) {
                self.kept.take(&debate);
                changed.erased.push(debate);
                continue;
            }
            match self.fold(debate, &events).await {
                Ok(read_model) => {
                    if !read_model.summary.status.is_final() {
                        self.kept.put(debate, Arc::clone(&read_model), estimated_bytes(&read_model));
                    }
                    changed.read_models.push((debate, read_model));
                }
                Err(fault @ StoreError::Damaged { .. }) => changed.damaged.push((debate, fault)),
                Err(fault) => return Err(fault),
            }
        }
        Ok(changed)
    }

    /// Takes a debate's read model from the cache and applies events to it. If it is not there or misses events, folds it
    /// from the stream.
    async fn fold(&mut self, debate: DebateId, events: &[&Recorded]) -> Result<Arc<DebateReadModel>, StoreError> {
        let mut read_model = self.kept.take(&debate).unwrap_or_default();
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(read_model) };
        if first.version > read_model.summary.version + 1 {
            return fold_stream(&self.log, debate, last.version).await.map(Arc::new);
        }
        // Copies it only while the rows before are still being computed, which never happens for one reader.
        let changed = Arc::make_mut(&mut read_model);
        for recorded in events {
            if recorded.version > changed.summary.version {
                changed.apply(recorded);
            }
        }
        Ok(read_model)
    }
}

/// Estimates the memory of a read model: linear in its turns.
fn estimated_bytes(read_model: &DebateReadModel) -> usize {
    let words: usize = read_model.transcript.turns.iter().map(|turn| turn.text.len()).sum();
    let events = usize::try_from(read_model.summary.version).unwrap_or_default();
    // The words of a turn are found once more in claims, stances and quotations.
    2 * words + EVENT_BYTES * events
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
/// long and nothing else should wait for it; many debates on all cores.
///
/// # Errors
/// [`StoreError::Json`] if a view cannot be encoded.
pub async fn build_rows(
    generation: i32,
    read_models: Vec<(DebateId, Arc<DebateReadModel>)>,
) -> Result<ViewChanges, StoreError> {
    let n_cores = available_parallelism().map_or(1, usize::from);
    let at_once = read_models.len().div_ceil(n_cores).max(MIN_AT_ONCE);
    let parts: Vec<_> = read_models
        .chunks(at_once)
        .map(|part| {
            let part = part.to_vec();
            spawn_blocking(move || {
                let mut changes = ViewChanges::default();
                part.iter()
                    .try_for_each(|(debate, read_model)| project(&mut changes, generation, *debate, read_model))?;
                Ok(changes)
            })
        })
        .collect();
    drop(read_models);
    let mut changes = ViewChanges::default();
    for part in parts {
        let ViewChanges { views, debates, cruxes, casts, disputes, .. } =
            part.await.unwrap_or_else(unwrap_join_error)?;
        changes.views.extend(views);
        changes.debates.extend(debates);
        changes.cruxes.extend(cruxes);
        changes.casts.extend(casts);
        changes.disputes.extend(disputes);
    }
    Ok(changes)
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

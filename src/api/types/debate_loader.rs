//! Per-request batching (`DataLoader`) of debates that were listed together: data that one of them needs is read for
//! all of them at once.
//!
//! A list of twenty debates with their cruxes takes one statement for the list and one for the cruxes, and so does a
//! list of a hundred. Nothing has to be delayed to collect keys, because the batch is known from the beginning.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::{Context, Result};
use tokio::sync::OnceCell;

use crate::api::admission::fold_budget::charge;
use crate::api::error::{from_desk, from_fault, from_panic};
use crate::api::types::debate::Debate;
use crate::api::types::lookahead;
use crate::api::types::versions::folded;
use crate::service::compute::compute;
use crate::service::service::DebateService;
use faultline_argumentation::cancellation::is_cancelled;
use faultline_core::events::ids::DebateId;
use faultline_core::projections::summary::{Status, Summary};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::verdict::Verdict;
use faultline_store::error::StoreError;
use faultline_store::log::stored_event::StoredEvent;
use faultline_store::log::stream_ranges::StreamRange;
use faultline_store::views::cruxes::StoredCrux;
use faultline_store::views::debates::{DebateRow, DebateSummaryRow};
use faultline_store::views::stored_summary::CruxesAt;
use faultline_store::views::views::Views;

/// Name of the stored view with a debate's verdict.
const VERDICT: &str = "verdict";

/// Map whose values are computed once per key.
pub type OnceMap<K, V> = Mutex<HashMap<K, Arc<OnceCell<V>>>>;

/// Returns the cell for a key, and creates it if necessary.
pub fn cell<K: Eq + Hash, V>(cells: &OnceMap<K, V>, key: K) -> Arc<OnceCell<V>> {
    Arc::clone(cells.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default())
}

/// Range of events to read of each debate, up to its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventRange {
    /// Number of events after a version: version, number.
    Behind(i64, i64),
    /// Number of events before a version, or before the end: version, number.
    Before(Option<i64>, i64),
    /// All events.
    All,
}

/// Batch of debates, each at one version.
#[derive(Default)]
pub struct DebateBatch {
    /// Generation that the debates were listed from; `None` if they were folded.
    generation: Option<i32>,
    debates: Vec<(DebateId, i64)>,
    boards: OnceCell<HashMap<DebateId, Arc<DebateReadModel>>>,
    verdicts: OnceCell<HashMap<DebateId, Arc<Verdict>>>,
    /// Without their JSON, and with it.
    cruxes: [OnceCell<HashMap<DebateId, CruxesAt>>; 2],
    events: OnceMap<EventRange, HashMap<DebateId, Vec<StoredEvent>>>,
}

impl DebateBatch {
    /// Creates a batch of one debate that is folded already.
    pub fn folded(debate: DebateId, board: DebateReadModel) -> DebateBatch {
        let debates = vec![(debate, board.summary.version)];
        let boards = OnceCell::new_with(Some(HashMap::from([(debate, Arc::new(board))])));
        DebateBatch { debates, boards, ..DebateBatch::default() }
    }

    /// Creates a batch of debates listed from a generation, each with its version there.
    pub fn load_listed(generation: i32, debates: Vec<(DebateId, i64)>) -> DebateBatch {
        DebateBatch { generation: Some(generation), debates, ..DebateBatch::default() }
    }

    fn ids(&self) -> Vec<DebateId> {
        self.debates.iter().map(|(debate, _)| *debate).collect()
    }

    /// Returns the read model of one debate, folding all of the batch.
    pub async fn board(&self, context: &Context<'_>, debate: DebateId) -> Result<&Arc<DebateReadModel>> {
        let fold = async || {
            charge(context, self.debates.iter().map(|(_, version)| *version)).await?;
            let boards = context.data::<DebateService>()?.boards(&self.debates).await.map_err(from_desk)?;
            Ok::<_, async_graphql::Error>(self.ids().into_iter().zip(boards.into_iter().map(Arc::new)).collect())
        };
        self.boards.get_or_try_init(fold).await?.get(&debate).ok_or_else(strange)
    }

    /// Returns the verdict of one debate. Stored verdicts are used where they are current; the others are computed, for
    /// the whole batch.
    pub async fn verdict(&self, context: &Context<'_>, debate: DebateId) -> Result<&Arc<Verdict>> {
        let judged = self.verdicts.get_or_try_init(async || self.judged(context).await).await?;
        judged.get(&debate).ok_or_else(strange)
    }

    async fn judged(&self, context: &Context<'_>) -> Result<HashMap<DebateId, Arc<Verdict>>> {
        let mut judged = self.stored_verdicts(context).await?;
        let mut boards = Vec::new();
        for debate in self.ids().into_iter().filter(|it| !judged.contains_key(it)).collect::<Vec<_>>() {
            boards.push((debate, Arc::clone(self.board(context, debate).await?)));
        }
        if !boards.is_empty() {
            let judge = move || {
                boards
                    .iter()
                    .take_while(|_| !is_cancelled())
                    .map(|(id, it)| (*id, Arc::new(it.verdict())))
                    .collect::<Vec<_>>()
            };
            judged.extend(compute(judge).await.map_err(|it| from_panic(&it))?);
        }
        Ok(judged)
    }

    /// Reads the stored verdicts with exactly these versions.
    async fn stored_verdicts(&self, context: &Context<'_>) -> Result<HashMap<DebateId, Arc<Verdict>>> {
        let Some(generation) = self.generation else { return Ok(HashMap::new()) };
        let views = context.data::<Views>()?;
        let mut stored = match views.load_many::<Verdict>(VERDICT, generation, &self.ids()).await {
            Ok(stored) => stored,
            // Another build stored the verdicts in a different schema; they are computed here instead.
            Err(StoreError::Json { .. }) => HashMap::new(),
            Err(fault) => return Err(from_fault(&fault)),
        };
        let known = self.debates.iter().filter_map(|(debate, at)| {
            let view = stored.remove(debate).filter(|it| it.version == *at)?;
            Some((*debate, Arc::new(view.value)))
        });
        Ok(known.collect())
    }

    /// Returns the stored cruxes of one debate, read for the whole batch, without their JSON if the selection permits;
    /// `None` if none are stored for its version.
    pub async fn cruxes(&self, context: &Context<'_>, debate: DebateId) -> Result<Option<&[StoredCrux]>> {
        let Some(generation) = self.generation else { return Ok(None) };
        let brief = lookahead::cruxes_need_columns_only(&context.look_ahead());
        let read = async || {
            let views = context.data::<Views>()?;
            views.cruxes_of_all(generation, &self.ids(), brief).await.map_err(|it| from_fault(&it))
        };
        let found = self.cruxes[usize::from(!brief)].get_or_try_init(read).await?;
        let at = self.debates.iter().find(|(it, _)| *it == debate).map(|(_, at)| *at);
        Ok(found.get(&debate).filter(|it| Some(it.version) == at).map(|it| it.rows.as_slice()))
    }

    /// Returns events of one debate, read for the whole batch.
    pub async fn events(
        &self,
        context: &Context<'_>,
        debate: DebateId,
        wanted: EventRange,
    ) -> Result<Vec<StoredEvent>> {
        let read = async || {
            let parts: Vec<StreamRange> = self.debates.iter().map(|(debate, at)| wanted.part(*debate, *at)).collect();
            let found = context.data::<DebateService>()?.parts(&parts).await.map_err(from_desk)?;
            Ok::<_, async_graphql::Error>(self.ids().into_iter().zip(found).collect())
        };
        let cell = cell(&self.events, wanted);
        let found: &HashMap<DebateId, Vec<StoredEvent>> = cell.get_or_try_init(read).await?;
        Ok(found.get(&debate).cloned().unwrap_or_default())
    }
}

impl EventRange {
    /// Converts the range to a part of a debate's stream that ends at `at`.
    fn part(self, debate: DebateId, at: i64) -> StreamRange {
        let (after, upto) = match self {
            EventRange::Behind(after, size) => (after, after.saturating_add(size).min(at)),
            EventRange::Before(before, size) => {
                let upto = before.map_or(at, |it| it.saturating_sub(1).min(at));
                (upto.saturating_sub(size).max(0), upto)
            }
            EventRange::All => (0, at),
        };
        StreamRange { debate, after, upto }
    }
}

/// Debates of listed cruxes or disputes, read together when the first of them is needed.
pub struct DebateLoader {
    generation: i32,
    debates: Vec<DebateId>,
    found: OnceCell<HashMap<DebateId, Arc<Debate>>>,
}

impl DebateLoader {
    /// Creates the loader for these debates, read from a generation.
    pub fn new(generation: i32, debates: impl IntoIterator<Item = DebateId>) -> Arc<DebateLoader> {
        let mut debates: Vec<DebateId> = debates.into_iter().collect();
        debates.sort_unstable();
        debates.dedup();
        Arc::new(DebateLoader { generation, debates, found: OnceCell::new() })
    }

    /// Returns one of the debates.
    pub async fn debate(&self, context: &Context<'_>, debate: DebateId) -> Result<Arc<Debate>> {
        let read = async || listed(context, self.generation, &self.debates).await;
        match self.found.get_or_try_init(read).await?.get(&debate) {
            Some(debate) => Ok(Arc::clone(debate)),
            None => folded(context, debate, None).await.map(Arc::new),
        }
    }
}

/// Reads debates from a generation, with one statement; debates that it lacks are omitted.
///
/// # Errors
/// The codes of [`from_fault`] and [`from_desk`] if the database fails.
pub async fn listed(
    context: &Context<'_>,
    generation: i32,
    debates: &[DebateId],
) -> Result<HashMap<DebateId, Arc<Debate>>> {
    if debates.is_empty() {
        return Ok(HashMap::new());
    }
    let lines = context.data::<Views>()?.lines_of(generation, debates).await.map_err(|it| from_fault(&it))?;
    let told = debates_of_rows(context, &lines, false).await?;
    Ok(lines.iter().map(|it| it.row.debate).zip(told).collect())
}

/// Builds the debates of some lines of one generation, in their order. `brief` means that only column fields are
/// selected.
///
/// # Errors
/// The codes of [`from_fault`] and [`from_desk`] if the database fails.
pub async fn debates_of_rows(
    context: &Context<'_>,
    lines: &[DebateSummaryRow],
    brief: bool,
) -> Result<Vec<Arc<Debate>>> {
    let read = |it: &DebateSummaryRow| match &it.summary {
        Some(summary) => serde_json::from_str::<Summary>(summary).ok(),
        None => brief.then(|| in_brief(&it.row)).flatten(),
    };
    let summaries: Vec<Option<Summary>> = lines.iter().map(read).collect();
    let versions = lines.iter().zip(&summaries).filter_map(|(it, of)| Some((it.row.debate, of.as_ref()?.version)));
    let generation = lines.first().map_or(0, |it| it.row.generation);
    let siblings = Arc::new(DebateBatch::load_listed(generation, versions.collect()));
    let mut debates = Vec::with_capacity(lines.len());
    for (line, summary) in lines.iter().zip(summaries) {
        debates.push(Arc::new(match summary {
            Some(summary) => Debate::from_summary(&summary, Arc::clone(&siblings))?,
            // Another build wrote the line in a different schema.
            None => folded(context, line.row.debate, None).await?,
        }));
    }
    Ok(debates)
}

/// Builds a summary from the columns of a row; `None` if another build wrote it.
fn in_brief(row: &DebateRow) -> Option<Summary> {
    Some(Summary {
        debate: Some(row.debate),
        topic: row.topic.clone(),
        engine: row.engine.clone(),
        provider: row.provider.clone(),
        status: Status::named(&row.status)?,
        phase: row.phase.clone(),
        version: row.version,
        opened_at: Some(row.opened_at),
        updated_at: Some(row.changed_at),
        ended_at: row.ended_at,
        n_turns: u32::try_from(row.n_turns).ok()?,
        ..Summary::default()
    })
}

/// Error for a debate outside the batch, which is never requested.
fn strange() -> async_graphql::Error {
    from_fault(&StoreError::Stopped)
}

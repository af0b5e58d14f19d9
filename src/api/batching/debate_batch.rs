//! Per-request batching (`DataLoader`) of debates that were listed together: data that one of them needs is read for
//! all of them at once.
//!
//! A list of twenty debates with their cruxes takes one statement for the list and one for the cruxes, and so does a
//! list of a hundred. Nothing has to be delayed to collect keys, because the batch is known from the beginning.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::{Context, Result};
use tokio::sync::OnceCell;

use crate::api::admission::fold_budget::charge;
use crate::api::batching::lookahead;
use crate::api::batching::once_map::{OnceMap, cell};
use crate::api::error::{from_fault, from_panic, from_service};
use faultline_argumentation::cancellation::is_cancelled;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::verdict::Verdict;
use faultline_service::compute::compute;
use faultline_service::service::DebateService;
use faultline_store::error::StoreError;
use faultline_store::log::stored_event::StoredEvent;
use faultline_store::log::stream_ranges::StreamRange;
use faultline_store::views::cruxes::StoredCrux;
use faultline_store::views::stored_summary::CruxesAt;
use faultline_store::views::views::Views;

/// Name of the stored view with a debate's verdict.
const VERDICT: &str = "verdict";

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
    read_models: OnceCell<HashMap<DebateId, Arc<DebateReadModel>>>,
    verdicts: OnceCell<HashMap<DebateId, Arc<Verdict>>>,
    /// Without their JSON, and with it.
    cruxes: [OnceCell<HashMap<DebateId, CruxesAt>>; 2],
    events: OnceMap<EventRange, HashMap<DebateId, Vec<StoredEvent>>>,
}

impl DebateBatch {
    /// Creates a batch of one debate that is folded already.
    pub fn folded(debate: DebateId, read_model: DebateReadModel) -> DebateBatch {
        let debates = vec![(debate, read_model.summary.version)];
        let read_models = OnceCell::new_with(Some(HashMap::from([(debate, Arc::new(read_model))])));
        DebateBatch { debates, read_models, ..DebateBatch::default() }
    }

    /// Creates a batch of debates listed from a generation, each with its version there.
    pub fn load_listed(generation: i32, debates: Vec<(DebateId, i64)>) -> DebateBatch {
        DebateBatch { generation: Some(generation), debates, ..DebateBatch::default() }
    }

    fn ids(&self) -> Vec<DebateId> {
        self.debates.iter().map(|(debate, _)| *debate).collect()
    }

    /// Returns the read model of one debate, folding all of the batch.
    pub async fn read_model(&self, context: &Context<'_>, debate: DebateId) -> Result<&Arc<DebateReadModel>> {
        let fold = async || {
            charge(context, self.debates.iter().map(|(_, version)| *version)).await?;
            let read_models =
                context.data::<DebateService>()?.read_models(&self.debates).await.map_err(from_service)?;
            Ok::<_, async_graphql::Error>(self.ids().into_iter().zip(read_models.into_iter().map(Arc::new)).collect())
        };
        self.read_models.get_or_try_init(fold).await?.get(&debate).ok_or_else(strange)
    }

    /// Returns the verdict of one debate. Stored verdicts are used where they are current; the others are computed, for
    /// the whole batch.
    pub async fn verdict(&self, context: &Context<'_>, debate: DebateId) -> Result<&Arc<Verdict>> {
        let judged = self.verdicts.get_or_try_init(async || self.judged(context).await).await?;
        judged.get(&debate).ok_or_else(strange)
    }

    async fn judged(&self, context: &Context<'_>) -> Result<HashMap<DebateId, Arc<Verdict>>> {
        let mut judged = self.stored_verdicts(context).await?;
        let mut read_models = Vec::new();
        for debate in self.ids().into_iter().filter(|id| !judged.contains_key(id)).collect::<Vec<_>>() {
            read_models.push((debate, Arc::clone(self.read_model(context, debate).await?)));
        }
        if !read_models.is_empty() {
            let judge = move || {
                read_models
                    .iter()
                    .take_while(|_| !is_cancelled())
                    .map(|(id, read_model)| (*id, Arc::new(read_model.verdict())))
                    .collect::<Vec<_>>()
            };
            judged.extend(compute(judge).await.map_err(|error| from_panic(&error))?);
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
            let view = stored.remove(debate).filter(|view| view.version == *at)?;
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
            views.cruxes_of_all(generation, &self.ids(), brief).await.map_err(|error| from_fault(&error))
        };
        let found = self.cruxes[usize::from(!brief)].get_or_try_init(read).await?;
        let at = self.debates.iter().find(|(id, _)| *id == debate).map(|(_, at)| *at);
        Ok(found.get(&debate).filter(|cruxes| Some(cruxes.version) == at).map(|cruxes| cruxes.rows.as_slice()))
    }

    /// Returns events of one debate, read for the whole batch.
    pub async fn events(&self, context: &Context<'_>, debate: DebateId, range: EventRange) -> Result<Vec<StoredEvent>> {
        let read = async || {
            let parts: Vec<StreamRange> = self.debates.iter().map(|(debate, at)| range.part(*debate, *at)).collect();
            let found = context.data::<DebateService>()?.read_ranges(&parts).await.map_err(from_service)?;
            Ok::<_, async_graphql::Error>(self.ids().into_iter().zip(found).collect())
        };
        let cell = cell(&self.events, range);
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
                let upto = before.map_or(at, |version| version.saturating_sub(1).min(at));
                (upto.saturating_sub(size).max(0), upto)
            }
            EventRange::All => (0, at),
        };
        StreamRange { debate, after, upto }
    }
}

/// Error for a debate outside the batch, which is never requested.
fn strange() -> async_graphql::Error {
    from_fault(&StoreError::Stopped)
}

//! Crux feed: reports each crux, in any debate, when it first appears in the verdict.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream;
use tokio::time::{Instant, timeout_at};

use crate::compute::compute;
use crate::error::ServiceError;
use crate::feeds::debate_watch::COALESCE;
use crate::feeds::event_feeds::{EventFeeds, Read, SubscribeError};
use crate::service::DebateService;
use crate::shared_stream::{Item, ItemStream};
use faultline_core::events::event::Recorded;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::crux::Crux;
use faultline_core::verdicts::crux_id::CruxKey;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::regime::RegimeKind;
use faultline_core::verdicts::verdict::Verdict;
use faultline_store::error::StoreError;
use faultline_store::lanes::Cursor;

/// Number of debates whose read models are cached; others are folded again.
const KNOWN: usize = 64;
/// Maximum number of events processed as one batch.
const MAX_BATCH: usize = 2_000;

/// Newly found crux.
#[derive(Clone, Debug)]
pub struct FoundCrux {
    /// Read model of the debate at the version at which the crux was found.
    pub read_model: Arc<DebateReadModel>,
    /// The crux.
    pub crux: Crux,
    /// Rank in the debate's list of cruxes, from 1.
    pub rank: usize,
    /// Regime of the debate at that version.
    pub regime: RegimeKind,
}

/// A newly found crux, or the fault that ends the feed.
pub type Find = Result<Arc<FoundCrux>, StoreError>;

/// Cached state of one debate.
struct Known {
    debate: DebateId,
    read_model: DebateReadModel,
    keys: BTreeSet<CruxKey>,
}

/// Returns a stream of the cruxes found from now on. A crux that appears and disappears within one batch is not
/// reported; one that disappears and comes back is reported again.
///
/// # Errors
/// [`StoreError`] if the log cannot be read.
pub async fn crux_feed(service: DebateService, feeds: &EventFeeds) -> Result<ItemStream<(), Find>, StoreError> {
    let log = match feeds.log(feeds.end(), None).await {
        Ok(log) => log,
        Err(SubscribeError::Fault(fault)) => return Err(fault),
        Err(_) => return Err(StoreError::Stopped),
    };
    let state = Some(Finder { service, log, known: VecDeque::new() });
    let next = |finder: Option<Finder>| async move {
        let mut finder = finder?;
        match finder.next().await? {
            Ok(found) => Some((found.into_iter().map(|crux| item(Ok(Arc::new(crux)))).collect(), Some(finder))),
            Err(fault) => Some((vec![item(Err(fault))], None)),
        }
    };
    Ok(stream::unfold(state, next).flat_map(stream::iter::<Vec<_>>).boxed())
}

fn item(find: Find) -> Item<(), Find> {
    Item { position: (), last: find.is_err(), bytes: size_of::<FoundCrux>(), value: find }
}

struct Finder {
    service: DebateService,
    log: ItemStream<Cursor, Read>,
    /// Recently processed debates, most recent last.
    known: VecDeque<Known>,
}

impl Finder {
    /// Processes the next batch and returns the cruxes it revealed, possibly none; `None` at the end of the log stream.
    async fn next(&mut self) -> Option<Result<Vec<FoundCrux>, StoreError>> {
        let mut events: BTreeMap<DebateId, Vec<Arc<Recorded>>> = BTreeMap::new();
        let (mut deadline, mut n_events) = (None::<Instant>, 0);
        while n_events < MAX_BATCH {
            let read = match deadline {
                None => self.log.next().await?,
                Some(deadline) => match timeout_at(deadline, self.log.next()).await {
                    Ok(read) => read?,
                    Err(_) => break,
                },
            };
            match read.value {
                Ok(event) => events.entry(event.debate).or_default().push(event),
                Err(fault) => return Some(Err(fault)),
            }
            deadline.get_or_insert_with(|| Instant::now() + COALESCE);
            n_events += 1;
        }
        let mut found = Vec::new();
        for (debate, events) in events {
            match self.process(debate, &events).await {
                Ok(new) => found.extend(new),
                Err(fault) => return Some(Err(fault)),
            }
        }
        Some(Ok(found))
    }

    /// Returns the cruxes that a debate's new events revealed.
    async fn process(&mut self, debate: DebateId, events: &[Arc<Recorded>]) -> Result<Vec<FoundCrux>, StoreError> {
        let mut known = match self.known.iter().position(|entry| entry.debate == debate) {
            Some(index) => self.known.remove(index),
            None => None,
        };
        let before = events.first().map_or(0, |event| event.version - 1);
        if known.as_ref().is_none_or(|entry| entry.read_model.summary.version != before) {
            let read_model = read_model_before(&self.service, debate, before).await?;
            let keys = judged(&read_model).await?.all_cruxes().map(|crux| crux.key).collect();
            known = Some(Known { debate, read_model, keys });
        }
        let Some(mut known) = known else { return Ok(Vec::new()) };
        events.iter().for_each(|event| known.read_model.apply(event));
        let verdict = judged(&known.read_model).await?;
        let read_model = Arc::new(known.read_model.clone());
        let new = (1..).zip(verdict.all_cruxes()).filter(|(_, crux)| !known.keys.contains(&crux.key));
        let found = new
            .map(|(rank, crux)| FoundCrux {
                read_model: Arc::clone(&read_model),
                crux: crux.clone(),
                rank,
                regime: verdict.regime.kind,
            })
            .collect();
        known.keys = verdict.all_cruxes().map(|crux| crux.key).collect();
        self.known.push_back(known);
        if self.known.len() > KNOWN {
            self.known.pop_front();
        }
        Ok(found)
    }
}

/// Read model of a debate at a version; empty for version 0.
async fn read_model_before(
    service: &DebateService,
    debate: DebateId,
    version: i64,
) -> Result<DebateReadModel, StoreError> {
    if version == 0 {
        return Ok(DebateReadModel::default());
    }
    match service.read_model(debate, Some(version)).await {
        Ok(read_model) => Ok(read_model),
        Err(ServiceError::Refused(_) | ServiceError::Moved { .. }) => Ok(DebateReadModel::default()),
        Err(ServiceError::Fault(fault)) => Err(fault),
    }
}

/// Computes the verdict on the compute pool.
async fn judged(read_model: &DebateReadModel) -> Result<Verdict, StoreError> {
    let read_model = read_model.clone();
    compute(move || read_model.verdict()).await.map_err(|_| StoreError::Stopped)
}

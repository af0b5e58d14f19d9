//! Crux feed: reports each crux, in any debate, when it first appears in the verdict.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream;
use tokio::time::{Instant, timeout_at};

use crate::desk::compute::compute;
use crate::desk::desk::{Desk, DeskError};
use crate::desk::feeds::{Feeds, NoFeed, Read};
use crate::desk::relay::{Item, Items};
use crate::desk::watched::COALESCE;
use crate::events::event::Recorded;
use crate::events::ids::DebateId;
use crate::store::fault::Fault;
use crate::store::lanes::Cursor;
use crate::verdicts::board::Board;
use crate::verdicts::crux_name::CruxKey;
use crate::verdicts::cruxes::Crux;
use crate::verdicts::verdict::Verdict;

/// Number of debates whose read models are cached; others are folded again.
const KNOWN: usize = 64;
/// Maximum number of events processed as one batch.
const BATCH: usize = 2_000;

/// Newly found crux.
#[derive(Clone, Debug)]
pub struct Found {
    /// Read model of the debate at the version at which the crux was found.
    pub board: Arc<Board>,
    /// The crux.
    pub crux: Crux,
    /// Rank in the debate's list of cruxes, from 1.
    pub rank: usize,
}

/// A newly found crux, or the fault that ends the feed.
pub type Find = Result<Arc<Found>, Fault>;

/// Cached state of one debate.
struct Known {
    debate: DebateId,
    board: Board,
    keys: BTreeSet<CruxKey>,
}

/// Returns a stream of the cruxes found from now on. A crux that appears and disappears within one batch is not
/// reported; one that disappears and comes back is reported again.
///
/// # Errors
/// [`Fault`] if the log cannot be read.
pub async fn finds(desk: Desk, feeds: &Feeds) -> Result<Items<(), Find>, Fault> {
    let log = match feeds.log(feeds.end(), None).await {
        Ok(log) => log,
        Err(NoFeed::Fault(fault)) => return Err(fault),
        Err(_) => return Err(Fault::Stopped),
    };
    let state = Some(Finder { desk, log, known: VecDeque::new() });
    let next = |finder: Option<Finder>| async move {
        let mut finder = finder?;
        match finder.next().await? {
            Ok(found) => Some((found.into_iter().map(|it| item(Ok(Arc::new(it)))).collect(), Some(finder))),
            Err(fault) => Some((vec![item(Err(fault))], None)),
        }
    };
    Ok(stream::unfold(state, next).flat_map(stream::iter::<Vec<_>>).boxed())
}

fn item(find: Find) -> Item<(), Find> {
    Item { place: (), last: find.is_err(), bytes: size_of::<Found>(), value: find }
}

struct Finder {
    desk: Desk,
    log: Items<Cursor, Read>,
    /// Recently processed debates, most recent last.
    known: VecDeque<Known>,
}

impl Finder {
    /// Processes the next batch and returns the cruxes it revealed, possibly none; `None` at the end of the log stream.
    async fn next(&mut self) -> Option<Result<Vec<Found>, Fault>> {
        let mut events: BTreeMap<DebateId, Vec<Arc<Recorded>>> = BTreeMap::new();
        let (mut until, mut n_events) = (None::<Instant>, 0);
        while n_events < BATCH {
            let read = match until {
                None => self.log.next().await?,
                Some(until) => match timeout_at(until, self.log.next()).await {
                    Ok(read) => read?,
                    Err(_) => break,
                },
            };
            match read.value {
                Ok(event) => events.entry(event.debate).or_default().push(event),
                Err(fault) => return Some(Err(fault)),
            }
            until.get_or_insert_with(|| Instant::now() + COALESCE);
            n_events += 1;
        }
        let mut found = Vec::new();
        for (debate, events) in events {
            match self.look(debate, &events).await {
                Ok(new) => found.extend(new),
                Err(fault) => return Some(Err(fault)),
            }
        }
        Some(Ok(found))
    }

    /// Returns the cruxes that a debate's new events revealed.
    async fn look(&mut self, debate: DebateId, events: &[Arc<Recorded>]) -> Result<Vec<Found>, Fault> {
        let mut known = match self.known.iter().position(|it| it.debate == debate) {
            Some(at) => self.known.remove(at),
            None => None,
        };
        let before = events.first().map_or(0, |it| it.version - 1);
        if known.as_ref().is_none_or(|it| it.board.summary.version != before) {
            let board = board_before(&self.desk, debate, before).await?;
            let keys = judged(&board).await?.all_cruxes().map(|it| it.key).collect();
            known = Some(Known { debate, board, keys });
        }
        let Some(mut known) = known else { return Ok(Vec::new()) };
        events.iter().for_each(|it| known.board.apply(it));
        let verdict = judged(&known.board).await?;
        let board = Arc::new(known.board.clone());
        let new = (1..).zip(verdict.all_cruxes()).filter(|(_, it)| !known.keys.contains(&it.key));
        let found = new.map(|(rank, crux)| Found { board: Arc::clone(&board), crux: crux.clone(), rank }).collect();
        known.keys = verdict.all_cruxes().map(|it| it.key).collect();
        self.known.push_back(known);
        if self.known.len() > KNOWN {
            self.known.pop_front();
        }
        Ok(found)
    }
}

/// Read model of a debate at a version; empty for version 0.
async fn board_before(desk: &Desk, debate: DebateId, version: i64) -> Result<Board, Fault> {
    if version == 0 {
        return Ok(Board::default());
    }
    match desk.board(debate, Some(version)).await {
        Ok(board) => Ok(board),
        Err(DeskError::Refused(_) | DeskError::Moved { .. }) => Ok(Board::default()),
        Err(DeskError::Fault(fault)) => Err(fault),
    }
}

/// Computes the verdict on the compute pool.
async fn judged(board: &Board) -> Result<Verdict, Fault> {
    let board = board.clone();
    compute(move || board.verdict()).await.map_err(|_| Fault::Stopped)
}

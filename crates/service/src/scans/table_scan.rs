//! Scan of a table over many debates, oldest first.
//!
//! Debates come from the stored list, a page at a time, and are read in batches of about the same size. A few batches are
//! read and folded at once, and their rows are returned in order. A batch runs in a task of its own, so that it holds no
//! connection of the pool while nobody asks for rows; dropping the scan cancels it.

use std::collections::VecDeque;
use std::thread::available_parallelism;

use tokio::task::JoinHandle;

use crate::compute::ComputeShare;
use crate::error::ServiceError;
use crate::read_routing::ReadServices;
use crate::scans::page_size::AdaptivePageSize;
use crate::scans::table_batch::{BatchRows, TableBatch};
use faultline_core::events::ids::DebateId;
use faultline_core::export::tables::cell::TableRows;
use faultline_core::export::tables::export_table::{ExportTable, TableSource};
use faultline_core::kernel::engine::{Refusal, RefusalKind};
use faultline_store::error::StoreError;
use faultline_store::views::debates::{DebateCursor, DebateQuery, DebateSort, MAX_PAGE, PageDirection};

/// Number of events in the first batch, while event sizes are still unknown.
const FIRST_EVENTS: i64 = 500;
/// Maximum number of events in a batch of several debates.
const MAX_EVENTS: i64 = 4_000;
/// Approximate size of the bodies read for a batch, in bytes (512 KiB).
const BATCH_BYTES: usize = 512 << 10;
/// Maximum number of debates in a batch.
const MAX_DEBATES: usize = 200;
/// Maximum number of batches in progress.
const MAX_AHEAD: usize = 4;

/// Debates of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableSelection {
    /// The debates of the list that satisfy a filter.
    Filter(DebateQuery),
    /// One debate.
    Debate(DebateId),
}

/// Scan of a table.
pub struct TableScan {
    reads: ReadServices,
    table: &'static ExportTable,
    /// Filter and position of the list; `None` after its last page.
    list: Option<(DebateQuery, Option<DebateCursor>)>,
    pending: VecDeque<(DebateId, i64)>,
    running: VecDeque<RunningBatch>,
    pace: AdaptivePageSize,
}

impl TableScan {
    /// Begins a scan.
    ///
    /// # Errors
    /// [`ServiceError::Refused`] if a single debate does not exist, was erased, or is not in the list yet;
    /// [`ServiceError::Fault`] if the database fails.
    pub async fn open(
        reads: &ReadServices,
        table: &'static ExportTable,
        selection: TableSelection,
    ) -> Result<TableScan, ServiceError> {
        let mut scan = TableScan {
            reads: reads.clone(),
            table,
            list: None,
            pending: VecDeque::new(),
            running: VecDeque::new(),
            pace: AdaptivePageSize::new(FIRST_EVENTS, MAX_EVENTS, BATCH_BYTES),
        };
        match selection {
            TableSelection::Debate(debate) => scan.pending.push_back((debate, scan.version(debate).await?)),
            TableSelection::Filter(filter) => {
                scan.list = Some((filter, None));
                scan.read_list().await?;
            }
        }
        Ok(scan)
    }

    /// Returns the next rows; `None` after the last ones. Rows can be empty.
    ///
    /// # Errors
    /// [`ServiceError::Fault`] if the database fails, or an event cannot be read, with the id of its debate. The scan cannot
    /// be continued.
    pub async fn next(&mut self) -> Result<Option<TableRows>, ServiceError> {
        let ahead = available_parallelism().map_or(2, usize::from).clamp(2, MAX_AHEAD);
        while self.running.len() < ahead {
            let Some(batch) = self.next_batch().await? else { break };
            self.running.push_back(RunningBatch::start(batch, self.reads.clone(), self.table));
        }
        let Some(batch) = self.running.front_mut() else { return Ok(None) };
        let BatchRows { rows, events, bytes } = batch.result().await?;
        self.running.pop_front();
        if events > 0 {
            self.pace.pass(events, bytes);
        }
        Ok(Some(rows))
    }

    /// Latest version of a single debate. Rows of the list and of cruxes are stored, and may not be there yet.
    async fn version(&self, debate: DebateId) -> Result<i64, ServiceError> {
        let version = self.reads.service.version(debate, None).await?;
        // Refuses a debate that was erased.
        self.reads.service.events(debate, 0, 1).await?;
        if matches!(self.table.source, TableSource::Events { .. }) {
            return Ok(version);
        }
        let generation = self.reads.views.generation_to_read().await?;
        match self.reads.views.lines(generation, &[debate]).await?.first() {
            Some(row) => Ok(row.version),
            None => {
                let reason = format!("debate {debate} is not in the list yet; try again");
                Err(Refusal::new(RefusalKind::Conflict, reason).into())
            }
        }
    }

    /// Reads the next page of the list. The served generation is looked up anew: it may change between two pages, and the
    /// position does not depend on it.
    async fn read_list(&mut self) -> Result<(), ServiceError> {
        let Some((filter, from)) = self.list.take() else { return Ok(()) };
        let views = &self.reads.views;
        let generation = views.generation_to_read().await?;
        let page = views.list(generation, &filter, from, PageDirection::Newer, MAX_PAGE).await?;
        // Rows are newest first, whatever the direction.
        if let Some(last) = page.rows.first().filter(|_| page.more) {
            self.list = Some((filter, Some(DebateSort::Newest.place(last))));
        }
        self.pending.extend(page.rows.iter().rev().map(|row| (row.debate, row.version)));
        Ok(())
    }

    /// Takes the next debates, as many as fit into a batch.
    async fn next_batch(&mut self) -> Result<Option<TableBatch>, ServiceError> {
        if self.pending.is_empty() {
            self.read_list().await?;
        }
        let Some(first) = self.pending.pop_front() else { return Ok(None) };
        let room = self.pace.events();
        let is_folded = matches!(self.table.source, TableSource::Events { .. });
        if is_folded && first.1 > room.max(FIRST_EVENTS) {
            return Ok(Some(TableBatch::Paged(first, room)));
        }
        let (mut debates, mut events) = (vec![first], first.1);
        while let Some(next) = self.pending.front() {
            events += next.1;
            if debates.len() == MAX_DEBATES || (is_folded && events > room) {
                break;
            }
            debates.extend(self.pending.pop_front());
        }
        Ok(Some(TableBatch::Together(debates)))
    }
}

/// Batch in progress; cancelled when it is dropped.
struct RunningBatch(JoinHandle<Result<BatchRows, ServiceError>>);

impl RunningBatch {
    fn start(batch: TableBatch, reads: ReadServices, table: &'static ExportTable) -> RunningBatch {
        let share = ComputeShare::current();
        let work = async move { batch.rows(&reads, table).await };
        RunningBatch(match share {
            Some(share) => tokio::spawn(share.scope(work)),
            None => tokio::spawn(work),
        })
    }

    async fn result(&mut self) -> Result<BatchRows, ServiceError> {
        (&mut self.0).await.map_err(|_| StoreError::Stopped)?
    }
}

impl Drop for RunningBatch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

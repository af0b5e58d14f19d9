//! Rows of a table for a batch of debates: read, folded, and looked up in the library.

use std::collections::HashMap;

use uuid::Uuid;

use crate::compute::compute;
use crate::error::ServiceError;
use crate::read_routing::ReadServices;
use crate::service::{DebateService, PAGE};
use faultline_argumentation::cancellation::is_cancelled;
use faultline_core::events::event::Event;
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::export::tables::cell::{Cell, TableRows};
use faultline_core::export::tables::citations::{DOCUMENT_COLUMN, OWNER_COLUMN, PASSAGE_COLUMN};
use faultline_core::export::tables::export_table::{
    ExportTable, ListedCounts, ListedCrux, ListedDebate, TableFold, TableSource,
};
use faultline_core::kernel::engine::RefusalKind;
use faultline_store::error::StoreError;
use faultline_store::log::stored_event::StoredEvent;
use faultline_store::views::analyst_debates::AnalystDebate;
use faultline_store::views::crux_writes::DebateCruxes;

/// Debates whose rows are made together, each with the version up to which it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableBatch {
    /// Several debates, read by one statement.
    Together(Vec<(DebateId, i64)>),
    /// A debate that is read page by page, this many events at a time.
    Paged((DebateId, i64), i64),
}

/// Rows of a batch, and the size of what was read for them.
#[derive(Debug, Default)]
pub struct BatchRows {
    /// Rows, debate by debate.
    pub rows: TableRows,
    /// Number of events up to the versions of the debates, read or not.
    pub events: usize,
    /// Size of the bodies that were read, in bytes.
    pub bytes: usize,
}

impl TableBatch {
    /// Returns the rows. Debates that were erased are left out.
    ///
    /// # Errors
    /// [`ServiceError::Fault`] if the database fails, or an event cannot be read, with the id of its debate.
    pub async fn rows(self, reads: &ReadServices, table: &ExportTable) -> Result<BatchRows, ServiceError> {
        let mut found = match (table.source, self) {
            (TableSource::List(push), batch) => listed(reads, &batch.ids(), push).await?,
            (TableSource::Cruxes(push), batch) => cruxes(reads, &batch.ids(), push).await?,
            (TableSource::Events { kinds, fold }, TableBatch::Together(debates)) => {
                let streams = reads.service.log().read_kinds(&debates, kinds).await?;
                let events = debates.iter().map(|(_, version)| usize::try_from(*version).unwrap_or(0)).sum();
                let bytes = streams.iter().flatten().map(|event| event.stored.body.len()).sum();
                let work = move || folded(debates.into_iter().map(|(debate, _)| debate).zip(streams), fold);
                BatchRows { rows: compute(work).await.map_err(|_| StoreError::Stopped)??, events, bytes }
            }
            (TableSource::Events { kinds, fold }, TableBatch::Paged(debate, page)) => {
                paged(&reads.service, debate, page, (kinds, fold)).await?
            }
        };
        name_documents(&reads.service, table, &mut found.rows).await?;
        Ok(found)
    }

    fn ids(&self) -> Vec<DebateId> {
        match self {
            TableBatch::Together(debates) => debates.iter().map(|(debate, _)| *debate).collect(),
            TableBatch::Paged((debate, _), _) => vec![*debate],
        }
    }
}

type NewFold = fn() -> Box<dyn TableFold>;

/// Folds streams, each into the rows of its debate.
fn folded(streams: impl Iterator<Item = (DebateId, Vec<StoredEvent>)>, fold: NewFold) -> Result<TableRows, StoreError> {
    let mut rows = TableRows::default();
    for (debate, events) in streams.take_while(|_| !is_cancelled()) {
        if events.iter().any(|event| event.erased) {
            continue;
        }
        let mut fold = fold();
        for event in &events {
            fold.apply(&event.read()?);
        }
        fold.push_rows(debate, &mut rows);
    }
    Ok(rows)
}

/// Folds one debate page by page.
async fn paged(
    service: &DebateService,
    (debate, upto): (DebateId, i64),
    page: i64,
    (kinds, fold): (&'static [&'static str], NewFold),
) -> Result<BatchRows, ServiceError> {
    let (mut fold, mut after) = (fold(), 0);
    while after < upto {
        let events = match service.events(debate, after, page.min(PAGE).min(upto - after)).await {
            Ok(events) => events,
            Err(ServiceError::Refused(refusal)) if refusal.kind == RefusalKind::Erased => {
                return Ok(BatchRows::default());
            }
            Err(error) => return Err(error),
        };
        let Some(last) = events.last() else {
            return Err(ServiceError::Fault(StoreError::StreamGap { debate, wanted: after + 1, found: upto }));
        };
        if matches!(last.event, Event::Erased(_)) {
            return Ok(BatchRows::default());
        }
        after = last.version;
        let work = move || {
            events.iter().filter(|event| kinds.contains(&event.event.kind())).for_each(|event| fold.apply(event));
            fold
        };
        fold = compute(work).await.map_err(|_| StoreError::Stopped)?;
    }
    let work = move || {
        let mut rows = TableRows::default();
        fold.push_rows(debate, &mut rows);
        rows
    };
    let rows = compute(work).await.map_err(|_| StoreError::Stopped)?;
    // The page size is not adapted to a debate that was read in pages.
    Ok(BatchRows { rows, events: 0, bytes: 0 })
}

/// Rows of the stored list.
async fn listed(
    reads: &ReadServices,
    debates: &[DebateId],
    push: fn(&ListedDebate, &mut TableRows),
) -> Result<BatchRows, ServiceError> {
    let mut rows = TableRows::default();
    for row in reads.views.analyst_debates(debates).await? {
        push(&listed_debate(row), &mut rows);
    }
    Ok(BatchRows { rows, ..BatchRows::default() })
}

/// Rows of the stored cruxes, debate by debate in the order requested.
async fn cruxes(
    reads: &ReadServices,
    debates: &[DebateId],
    push: fn(&ListedCrux, &mut TableRows),
) -> Result<BatchRows, ServiceError> {
    let generation = reads.views.generation_to_read().await?;
    let mut found = reads.views.cruxes_of(generation, debates).await?;
    let stored: Vec<DebateCruxes> = debates.iter().filter_map(|debate| found.remove(debate)).collect();
    let work = move || {
        let mut rows = TableRows::default();
        for of in &stored {
            for row in &of.rows {
                let crux = serde_json::from_str(row.body.get()).map_err(StoreError::json("read a stored crux"))?;
                let DebateCruxes { debate, version, .. } = *of;
                let (rank, opened_at, changed_at) = (row.place, row.opened_at, row.changed_at);
                push(&ListedCrux { debate, version, rank, opened_at, changed_at, crux }, &mut rows);
            }
        }
        Ok::<_, StoreError>(rows)
    };
    let rows = compute(work).await.map_err(|_| StoreError::Stopped)??;
    Ok(BatchRows { rows, ..BatchRows::default() })
}

fn listed_debate(row: AnalystDebate) -> ListedDebate {
    ListedDebate {
        debate: DebateId(row.debate_id),
        version: row.version,
        topic: row.topic,
        engine: row.engine,
        provider: row.provider,
        status: row.status,
        phase: row.phase,
        outcome: row.outcome,
        regime: row.regime,
        seed: row.seed,
        participants: row.participants.iter().filter_map(|persona| persona.parse().ok()).collect(),
        opened_at: row.opened_at,
        changed_at: row.changed_at,
        ended_at: row.ended_at,
        tokens: row.tokens,
        cost_micros: row.cost_micros,
        counts: ListedCounts {
            turns: row.n_turns,
            arguments: row.n_arguments,
            attacks: row.n_attacks,
            concessions: row.n_concessions,
            disputes: row.n_disputes,
            open_disputes: row.n_open_disputes,
            cruxes: row.n_cruxes,
            open_cruxes: row.n_open_cruxes,
        },
        measures: row.measures.map(|measures| measures.0).unwrap_or_default(),
    }
}

/// Fills in the documents of cited passages, if the table has columns for them: one statement per batch.
async fn name_documents(
    service: &DebateService,
    table: &ExportTable,
    rows: &mut TableRows,
) -> Result<(), ServiceError> {
    let columns = [PASSAGE_COLUMN, OWNER_COLUMN, DOCUMENT_COLUMN].map(|name| table.column(name));
    let [Some(passage), Some(owner), Some(document)] = columns else { return Ok(()) };
    let mut passages: Vec<Uuid> = rows.iter().filter_map(|row| id_of(&row[passage])).collect();
    passages.sort_unstable();
    passages.dedup();
    if passages.is_empty() {
        return Ok(());
    }
    let stored = service.read_library().passage_documents(&passages).await?;
    let names: HashMap<Uuid, (PersonaId, String)> =
        stored.into_iter().map(|(passage, owner, document)| (passage, (owner, document))).collect();
    for row in rows.iter_mut() {
        if let Some((persona, name)) = id_of(&row[passage]).and_then(|passage| names.get(&passage)) {
            (row[owner], row[document]) = (Cell::from(persona), Cell::from(name.as_str()));
        }
    }
    Ok(())
}

fn id_of(cell: &Cell) -> Option<Uuid> {
    match cell {
        Cell::Uuid(id) => Some(*id),
        _ => None,
    }
}

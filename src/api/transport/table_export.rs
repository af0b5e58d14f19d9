//! A table over many debates as a file: `GET /tables/{name}.{csv,parquet,jsonl}`.
//!
//! Parameters are the filters of the list of debates, or `debate` for a single one. The file is made while it is sent: a task
//! makes the next piece while the last one is on its way and waits for the client otherwise, and the task ends when the
//! client leaves. If a debate cannot be read, the response ends with an error after what was sent, which clients see as an
//! incomplete response; the reason is logged under the id of the request.

use std::io;
use std::pin::pin;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Path, Query};
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::api::streams::connection_slots::Slot;
use crate::api::telemetry::request_id::RequestId;
use crate::api::transport::debate_export::refused;
use crate::api::transport::debate_path::whole_id;
use crate::api::transport::http_response::text_response;
use faultline_core::events::ids::DebateId;
use faultline_core::export::tables::export_table::ExportTable;
use faultline_core::export::tables::registry::{TABLES, find_table};
use faultline_service::compute::ComputeShare;
use faultline_service::read_routing::ReadServices;
use faultline_service::scans::debate_filter::{FILTERS, add_condition};
use faultline_service::scans::table_export::{TableError, TableExport};
use faultline_service::scans::table_scan::TableSelection;
use faultline_store::views::debates::DebateQuery;
use faultline_tables::format::TableFormat;

/// Header that asks reverse proxies not to buffer the response.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
/// Number of pieces made ahead while one is being sent.
const AHEAD: usize = 1;

/// Permits for tables that are exported at a time.
pub struct TableSlots {
    free: Arc<Semaphore>,
    most: usize,
}

impl TableSlots {
    /// Creates this many permits.
    pub fn new(most: usize) -> TableSlots {
        TableSlots { free: Arc::new(Semaphore::new(most)), most }
    }

    /// Takes a permit, or returns the response if none is free.
    #[expect(clippy::result_large_err, reason = "the error is the response to the request")]
    fn take(&self) -> Result<OwnedSemaphorePermit, Response> {
        Arc::clone(&self.free).try_acquire_owned().map_err(|_| {
            let reason = format!("at most {} tables are exported at a time (limit tables)\n", self.most);
            (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "1")], reason).into_response()
        })
    }
}

/// Streams a table. The connection slot and the permit are released when it was sent, or the client left.
pub async fn serve(
    reads: &ReadServices,
    Path(file): Path<String>,
    uri: &Uri,
    slots: &TableSlots,
    slot: Slot,
) -> Response {
    let permit = match slots.take() {
        Ok(permit) => permit,
        Err(response) => return response,
    };
    let held = (slot, permit);
    let (table, format) = match parse_file(&file) {
        Ok(parsed) => parsed,
        Err(reason) => return text_response(StatusCode::NOT_FOUND, &reason),
    };
    let selection = match parse_query(reads, uri).await {
        Ok(selection) => selection,
        Err(response) => return response,
    };
    let export = match TableExport::open(reads, table, format, selection).await {
        Ok(export) => export,
        Err(TableError::Read(error)) => return refused(error),
        Err(TableError::Encode(error)) => {
            tracing::error!(%error, "cannot begin a table");
            return text_response(StatusCode::INTERNAL_SERVER_ERROR, "the table cannot be written");
        }
    };
    let leave = held.0.draining();
    let pieces = stream::unfold(Some(pieces(export, leave)), async |pieces| {
        let mut pieces = pieces?;
        match pieces.recv().await {
            Some(Piece::Bytes(bytes)) => Some((Ok(bytes), Some(pieces))),
            Some(Piece::End) => None,
            None => Some((Err(io::Error::other("the table could not be read to its end")), None)),
        }
    });
    // The connection slot and the permit live as long as the stream.
    let body = Body::from_stream(pieces.map(move |piece| {
        let _taken = &held;
        piece
    }));
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{file}\""));
    headers.extend(disposition.ok().map(|value| (CONTENT_DISPOSITION, value)));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    response
}

/// Piece of the file. A file without an end is not whole.
enum Piece {
    Bytes(Bytes),
    End,
}

/// Makes the file in a task, which ends early if nobody receives it any more, or the service is stopping.
fn pieces(mut export: TableExport, leave: impl Future<Output = ()> + Send + 'static) -> mpsc::Receiver<Piece> {
    let (sender, pieces) = mpsc::channel(AHEAD);
    let making = async move {
        let mut leave = pin!(leave);
        loop {
            let made = tokio::select! {
                () = &mut leave => return,
                () = sender.closed() => return,
                made = export.next() => made,
            };
            let piece = match made {
                Ok(Some(bytes)) => Piece::Bytes(bytes.into()),
                Ok(None) => Piece::End,
                Err(error) => {
                    tracing::warn!(%error, "a table ended early");
                    return;
                }
            };
            let is_last = matches!(piece, Piece::End);
            tokio::select! {
                () = &mut leave => return,
                sent = sender.send(piece) => if sent.is_err() || is_last { return },
            }
        }
    };
    let making = ComputeShare::default().scope(making);
    match RequestId::current() {
        Some(id) => tokio::spawn(id.scope(making)),
        None => tokio::spawn(making),
    };
    pieces
}

/// Parses the name of the file: a table and a format.
fn parse_file(file: &str) -> Result<(&'static ExportTable, TableFormat), String> {
    let (name, extension) = file.rsplit_once('.').unwrap_or((file, ""));
    let table = find_table(name).ok_or_else(|| {
        let names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        format!("unknown table {name:?}; available: {}", names.join(", "))
    })?;
    let format = TableFormat::named(extension).ok_or_else(|| {
        let names = TableFormat::ALL.map(TableFormat::name).join(", ");
        format!("unknown format {extension:?}; available: {names}; for example /tables/{name}.csv")
    })?;
    Ok((table, format))
}

/// Parses the parameters.
async fn parse_query(reads: &ReadServices, uri: &Uri) -> Result<TableSelection, Response> {
    let invalid = |reason: &str| text_response(StatusCode::BAD_REQUEST, reason);
    let pairs = Query::<Vec<(String, String)>>::try_from_uri(uri);
    let Query(pairs) = pairs.map_err(|_| invalid("the parameters are not pairs such as engine=graph"))?;
    let (mut filter, mut debate) = (DebateQuery::default(), None);
    for (name, value) in &pairs {
        match name.as_str() {
            "debate" => {
                let id = whole_id(&reads.views, value.clone()).await.map_err(|fault| refused(fault.into()))?;
                let id = id.parse::<DebateId>().map_err(|error| invalid(&format!("`debate`: {error}")))?;
                debate = Some(id);
            }
            name if FILTERS.contains(&name) => {
                let added = add_condition(&mut filter, name, value);
                added.map_err(|reason| invalid(&format!("`{name}`: {reason}")))?;
            }
            _ => {
                let reason = format!("unknown parameter {name:?}; available: debate, {}", FILTERS.join(", "));
                return Err(invalid(&reason));
            }
        }
    }
    match debate {
        None => Ok(TableSelection::Filter(filter)),
        Some(debate) if filter == DebateQuery::default() => Ok(TableSelection::Debate(debate)),
        Some(_) => Err(invalid("`debate` selects a single debate, and cannot be combined with filters")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_a_table_and_a_format() {
        let check = |file: &str, expected: Result<(&str, &str), &str>| {
            let parsed = parse_file(file);
            let parsed = parsed.as_ref().map(|(table, format)| (table.name, format.name())).map_err(String::as_str);
            assert_eq!(parsed, expected, "{file}");
        };
        check("turns.csv", Ok(("turns", "csv")));
        check("debates.parquet", Ok(("debates", "parquet")));
        check("calls.jsonl", Ok(("calls", "jsonl")));
        let formats = "available: csv, parquet, jsonl; for example /tables/turns.csv";
        check("turns", Err(&format!("unknown format \"\"; {formats}")));
        check("turns.xlsx", Err(&format!("unknown format \"xlsx\"; {formats}")));
        let names = TABLES.iter().map(|table| table.name).collect::<Vec<_>>().join(", ");
        check("events.csv", Err(&format!("unknown table \"events\"; available: {names}")));
        check("", Err(&format!("unknown table \"\"; available: {names}")));
    }
}

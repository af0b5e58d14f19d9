//! A table as a file: the rows of a scan, encoded piece by piece.

use crate::compute::compute;
use crate::error::ServiceError;
use crate::read_routing::ReadServices;
use crate::scans::table_scan::{TableScan, TableSelection};
use faultline_core::export::tables::export_table::ExportTable;
use faultline_store::error::StoreError;
use faultline_tables::encoder::TableEncoder;
use faultline_tables::error::EncodeError;
use faultline_tables::format::TableFormat;

/// Size from which a piece is returned, in bytes (64 KiB).
const PIECE_BYTES: usize = 64 << 10;

/// Error of an export.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The debates could not be read.
    #[error(transparent)]
    Read(#[from] ServiceError),
    /// The rows could not be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

impl From<StoreError> for TableError {
    fn from(fault: StoreError) -> TableError {
        TableError::Read(fault.into())
    }
}

/// Export of a table. Its memory is bounded by a few batches of debates, the largest debate, and a row group of Parquet.
pub struct TableExport {
    scan: TableScan,
    /// Encoder; `None` after the end.
    encoder: Option<TableEncoder>,
}

impl TableExport {
    /// Begins an export.
    ///
    /// # Errors
    /// [`TableError::Read`] as of [`TableScan::open`]; [`TableError::Encode`] if the head of the file cannot be written.
    pub async fn open(
        reads: &ReadServices,
        table: &'static ExportTable,
        format: TableFormat,
        selection: TableSelection,
    ) -> Result<TableExport, TableError> {
        let encoder = TableEncoder::new(table, format)?;
        Ok(TableExport { scan: TableScan::open(reads, table, selection).await?, encoder: Some(encoder) })
    }

    /// Returns the next piece of the file; `None` after the last one.
    ///
    /// # Errors
    /// [`TableError`] if a debate cannot be read, or its rows cannot be encoded. What was returned before is not a whole
    /// file.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, TableError> {
        let mut piece = Vec::new();
        while let Some(mut encoder) = self.encoder.take() {
            let Some(rows) = self.scan.next().await? else {
                piece.extend(compute(move || encoder.finish()).await.map_err(|_| StoreError::Stopped)??);
                break;
            };
            let encoded = compute(move || (encoder.push(rows), encoder)).await.map_err(|_| StoreError::Stopped)?;
            self.encoder = Some(encoded.1);
            let mut encoded = encoded.0?;
            if piece.is_empty() {
                piece = encoded
            } else {
                piece.append(&mut encoded)
            }
            if piece.len() >= PIECE_BYTES {
                break;
            }
        }
        Ok(Some(piece).filter(|piece| !piece.is_empty()))
    }
}

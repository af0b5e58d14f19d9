//! Errors of opening or running the application.

use faultline_ingest::report::IngestError;
use faultline_store::embedded::error::EmbeddedError;
use faultline_store::error::StoreError;
use faultline_store::library::open::LibraryError;

/// Error of opening or running the application: the failed attempt, and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The request is understood and refused.
    #[error("{0}")]
    Refused(String),
    /// The private Postgres failed.
    #[error(transparent)]
    Embedded(#[from] EmbeddedError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The library failed.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// The corpora or the personas cannot be read.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// The configuration cannot be used.
    #[error("{0}")]
    Configuration(String),
    /// The listener could not be opened.
    #[error("cannot listen on {address}: {source}. Choose another address with --listen; port 0 takes any free one")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// The system's error.
        source: std::io::Error,
    },
}

//! Why the service could not be put together.

use crate::ingest::report::IngestError;
use crate::store::embedded::error::EmbeddedError;
use crate::store::fault::Fault;
use crate::store::library::open::LibraryError;

/// Why the service could not be put together: what was attempted, and how to mend it.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// Understood and not granted.
    #[error("{0}")]
    Refused(String),
    /// The private Postgres.
    #[error(transparent)]
    Embedded(#[from] EmbeddedError),
    /// The store.
    #[error(transparent)]
    Store(#[from] Fault),
    /// The library.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// The corpora.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// The configuration.
    #[error("{0}")]
    Configuration(String),
    /// The socket.
    #[error("cannot listen on {address}: {source}. Choose another with --listen")]
    Listen {
        /// Where.
        address: std::net::SocketAddr,
        /// Why not.
        source: std::io::Error,
    },
}

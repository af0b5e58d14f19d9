//! Error of a request to the debate service.

use faultline_core::kernel::engine::{Refusal, RefusalKind};
use faultline_store::error::StoreError;

/// Error of a request to the service.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The request was understood and refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The request was refused because the debate is not at the expected version.
    #[error("{reason}")]
    Moved {
        /// Explanation for people.
        reason: String,
        /// Current version of the debate.
        actual: i64,
    },
    /// The service or its database failed.
    #[error(transparent)]
    Fault(StoreError),
}

impl From<StoreError> for ServiceError {
    /// Maps [`StoreError::Erased`] to a refusal; every other fault stays a fault.
    fn from(fault: StoreError) -> ServiceError {
        match fault {
            StoreError::Erased { .. } => ServiceError::Refused(Refusal::new(RefusalKind::Erased, fault.to_string())),
            _ => ServiceError::Fault(fault),
        }
    }
}

//! Maps refusals and faults to GraphQL errors. Refusals are reported verbatim; for an internal fault the client gets an
//! id only.

use std::fmt::Display;

use async_graphql::{Error, ErrorExtensions, ServerError};
use tokio::task::JoinError;
use uuid::Uuid;

use faultline_core::events::ids::Misnamed;
use faultline_core::kernel::engine::{Refusal, RefusalKind};
use faultline_service::error::ServiceError;
use faultline_store::error::StoreError;

/// Error code for data that was erased.
pub const ERASED: &str = "ERASED";

/// Error code for events that are in the log but cannot be read. Neither the client nor a retry can change it.
pub const DAMAGED: &str = "DAMAGED";
/// Error code for a request that may succeed if repeated later: the database is unreachable or has no capacity.
pub const UNAVAILABLE: &str = "UNAVAILABLE";
/// Seconds after which a client should retry while the database is unavailable.
const RETRY_SECONDS: u64 = 1;

/// Maps a [`ServiceError`] to a GraphQL error.
pub fn from_service(error: ServiceError) -> Error {
    match error {
        ServiceError::Refused(refusal) => from_refusal(&refusal),
        ServiceError::Moved { reason, actual } => {
            error_with_code(&reason, "CONFLICT").extend_with(|_, extensions| extensions.set("actualVersion", actual))
        }
        ServiceError::Fault(fault) => from_fault(&fault),
    }
}

/// Maps a refusal to a GraphQL error with the same message, the limit if one is exceeded, and the name of the option if one
/// is refused.
pub fn from_refusal(refusal: &Refusal) -> Error {
    let code = match refusal.kind {
        RefusalKind::NotFound => "NOT_FOUND",
        RefusalKind::Invalid => "INVALID",
        RefusalKind::Conflict => "CONFLICT",
        RefusalKind::Limit => "LIMIT",
        RefusalKind::Erased => ERASED,
    };
    let error = error_with_code(&refusal.reason, code);
    error.extend_with(|_, extensions| {
        if let Some(limit) = &refusal.limit {
            extensions.set("limit", limit.name.clone());
            extensions.set("max", limit.max);
            extensions.set("actual", limit.actual);
        }
        if let Some(option) = &refusal.option {
            extensions.set("option", option.clone());
        }
    })
}

/// Maps a malformed id or name to `INVALID`.
pub fn from_misnamed(misnamed: &Misnamed) -> Error {
    error_with_code(&misnamed.to_string(), "INVALID")
}

/// Returns an `INVALID` error for an argument that cannot be used.
pub fn invalid(reason: &str) -> Error {
    error_with_code(reason, "INVALID")
}

/// Maps a fault of the store to a GraphQL error. `ERASED`, `DAMAGED` and `UNAVAILABLE` are reported with their message.
/// Any other fault is logged under an id, and the client gets only that id.
pub fn from_fault(fault: &StoreError) -> Error {
    match fault {
        StoreError::Erased { .. } => error_with_code(&fault.to_string(), ERASED),
        StoreError::Damaged { .. } | StoreError::KeyMissing { .. } | StoreError::StreamGap { .. } => {
            tracing::error!(%fault, "a debate cannot be read: its log is damaged");
            error_with_code(&fault.to_string(), DAMAGED)
        }
        fault if fault.is_transient() || fault.is_database_missing() => unavailable(fault),
        StoreError::Stopped => unavailable(fault),
        _ => internal(fault),
    }
}

fn unavailable(fault: &StoreError) -> Error {
    tracing::warn!(%fault, "a request failed because the database is not available");
    let reason = match fault {
        StoreError::NoRoom { .. } | StoreError::Stopped => fault.to_string(),
        _ => "the database is unavailable at the moment; try again".to_owned(),
    };
    unavailable_for_now(&reason)
}

/// Returns an `UNAVAILABLE` error for a request that may succeed if repeated in a moment.
pub fn unavailable_for_now(reason: &str) -> Error {
    error_with_code(reason, UNAVAILABLE).extend_with(|_, extensions| extensions.set("retryAfter", RETRY_SECONDS))
}

/// Returns a `LIMIT` error with the name and the value of the limit, and the actual amount if it was counted.
pub fn limit_error(reason: &str, limit: &'static str, max: usize, actual: Option<usize>) -> ServerError {
    let mut error = ServerError::new(reason, None);
    let extensions = error.extensions.get_or_insert_default();
    extensions.set("code", "LIMIT");
    extensions.set("limit", limit);
    extensions.set("max", max);
    if let Some(actual) = actual {
        extensions.set("actual", actual);
    }
    error
}

/// Returns a `LIMIT` error of a field, as [`limit_error`].
pub fn field_limit(reason: &str, limit: &'static str, max: usize, actual: usize) -> Error {
    let error = limit_error(reason, limit, max, Some(actual));
    Error { message: error.message, source: None, extensions: error.extensions }
}

/// Checks the length of the text of a search.
///
/// # Errors
/// `LIMIT` if it is longer than `max` characters.
pub fn check_search_length(search: Option<&String>, max: usize) -> Result<(), Error> {
    match search.map(|text| text.chars().count()) {
        Some(actual) if actual > max => {
            let reason = format!("`search` has {actual} characters; the limit is {max}");
            Err(field_limit(&reason, "search_characters", max, actual))
        }
        _ => Ok(()),
    }
}

/// Maps a panicked task to an internal error.
pub fn from_panic(panic: &JoinError) -> Error {
    internal(panic)
}

/// Logs an internal fault under an id and returns an `INTERNAL` error that contains only that id.
pub fn internal(fault: &dyn Display) -> Error {
    let id = Uuid::new_v4();
    tracing::error!(%id, %fault, "a request failed with an internal error");
    error_with_code("internal error; tell the operators this id", "INTERNAL")
        .extend_with(|_, extensions| extensions.set("id", id.to_string()))
}

/// Returns an error with this code.
pub fn error_with_code(message: &str, code: &'static str) -> Error {
    Error::new(message).extend_with(|_, extensions| extensions.set("code", code))
}

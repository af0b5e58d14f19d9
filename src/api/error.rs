//! Refusals and faults, as GraphQL errors. A refusal is told word for word; of a fault a client sees an id and nothing else.

use std::fmt::Display;

use async_graphql::{Error, ErrorExtensions, ServerError};
use tokio::task::JoinError;
use uuid::Uuid;

use crate::desk::desk::DeskError;
use crate::events::ids::Misnamed;
use crate::kernel::engine::{Refusal, RefusalKind};
use crate::store::fault::Fault;

/// The code of what was there and was erased.
pub const ERASED: &str = "ERASED";

/// The code of events that are in the log and cannot be read: nothing the client or a retry can change.
pub const DAMAGED: &str = "DAMAGED";
/// The code of what may succeed if it is asked again later: the database is away, or has no room.
pub const UNAVAILABLE: &str = "UNAVAILABLE";
/// After how many seconds a client should ask again while the database is away.
const RETRY_SECONDS: u64 = 1;

/// What was asked of the desk, as a client sees that it was not done.
pub fn from_desk(error: DeskError) -> Error {
    match error {
        DeskError::Refused(refusal) => from_refusal(&refusal),
        DeskError::Moved { reason, actual } => {
            coded(&reason, "CONFLICT").extend_with(|_, it| it.set("actualVersion", actual))
        }
        DeskError::Fault(fault) => from_fault(&fault),
    }
}

/// A refusal, word for word.
pub fn from_refusal(refusal: &Refusal) -> Error {
    let code = match refusal.kind {
        RefusalKind::NotFound => "NOT_FOUND",
        RefusalKind::Invalid => "INVALID",
        RefusalKind::Conflict => "CONFLICT",
        RefusalKind::Limit => "LIMIT",
        RefusalKind::Erased => ERASED,
    };
    coded(&refusal.reason, code)
}

/// A name that is none.
pub fn from_misnamed(misnamed: &Misnamed) -> Error {
    coded(&misnamed.to_string(), "INVALID")
}

/// An argument that cannot be used.
pub fn invalid(reason: &str) -> Error {
    coded(reason, "INVALID")
}

/// Converts a fault of the store. A fault of our own is traced under an id, which is all that the client sees; `ERASED`,
/// `DAMAGED` and `UNAVAILABLE` are told as such.
pub fn from_fault(fault: &Fault) -> Error {
    match fault {
        Fault::Erased { .. } => coded(&fault.to_string(), ERASED),
        Fault::Damaged { .. } | Fault::KeyMissing { .. } | Fault::StreamGap { .. } => {
            tracing::error!(%fault, "a debate is damaged");
            coded(&fault.to_string(), DAMAGED)
        }
        fault if fault.is_transient() || matches!(fault, Fault::Stopped) => unavailable(fault),
        _ => internal(fault),
    }
}

fn unavailable(fault: &Fault) -> Error {
    tracing::warn!(%fault, "a request failed because the database is not available");
    let reason = match fault {
        Fault::NoRoom { .. } | Fault::Stopped => fault.to_string(),
        _ => "the database is not available at the moment; ask again".to_owned(),
    };
    unavailable_for_now(&reason)
}

/// What may succeed if it is asked again in a moment.
pub fn unavailable_for_now(reason: &str) -> Error {
    coded(reason, UNAVAILABLE).extend_with(|_, it| it.set("retryAfter", RETRY_SECONDS))
}

/// More than a limit allows: `LIMIT`, with the limit's name, its value and, where it was counted, what was asked.
pub fn exceeded(reason: &str, limit: &'static str, value: usize, asked: Option<usize>) -> ServerError {
    let mut error = ServerError::new(reason, None);
    let extensions = error.extensions.get_or_insert_default();
    extensions.set("code", "LIMIT");
    extensions.set("limit", limit);
    extensions.set("value", value);
    if let Some(asked) = asked {
        extensions.set("asked", asked);
    }
    error
}

/// A computation that broke off: our own fault as well.
pub fn from_panic(panic: &JoinError) -> Error {
    internal(panic)
}

fn internal(fault: &dyn Display) -> Error {
    let id = Uuid::new_v4();
    tracing::error!(%id, %fault, "a request failed by our own fault");
    coded("the service failed; tell its keepers this id", "INTERNAL").extend_with(|_, it| it.set("id", id.to_string()))
}

/// An error with its code.
pub fn coded(message: &str, code: &'static str) -> Error {
    Error::new(message).extend_with(|_, it| it.set("code", code))
}

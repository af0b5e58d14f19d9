//! Refusals and faults, as GraphQL errors. A refusal is told word for word; of a fault a client sees an id and nothing else.

use std::fmt::Display;

use async_graphql::{Error, ErrorExtensions};
use tokio::task::JoinError;
use uuid::Uuid;

use crate::desk::desk::DeskError;
use crate::events::ids::Misnamed;
use crate::kernel::engine::{Refusal, RefusalKind};
use crate::store::fault::Fault;

/// The code of what was there and was erased.
pub const ERASED: &str = "ERASED";

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

/// Our own fault: traced under an id, of which the client sees nothing else. That a debate was erased is none.
pub fn from_fault(fault: &Fault) -> Error {
    match fault {
        Fault::Erased { .. } => coded(&fault.to_string(), ERASED),
        _ => internal(fault),
    }
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

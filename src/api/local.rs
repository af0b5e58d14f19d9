//! Queries of this process itself: the command line prints their results, which so have the names of the API.

use std::sync::Arc;

use async_graphql::{Executor, Request, ServerError, Variables};
use serde_json::Value;

use crate::api::execution::admission::AdmissionExecutor;
use crate::api::schema::schema::{SchemaServices, field_types, schema};
use crate::limits::ApiLimits;

/// Cost and depth above those of every query of this process, which come from no client.
const MAX_COST: usize = 1_000_000_000;
const MAX_DEPTH: usize = 64;

/// Operation of a document.
#[derive(Clone, Copy, Debug)]
pub struct LocalOperation<'a> {
    /// GraphQL text.
    document: &'a str,
    /// Name of the operation; `None` if the document has only one.
    name: Option<&'a str>,
}

impl<'a> From<&'a str> for LocalOperation<'a> {
    fn from(document: &'a str) -> LocalOperation<'a> {
        LocalOperation { document, name: None }
    }
}

impl<'a> From<(&'a str, &'a str)> for LocalOperation<'a> {
    fn from((document, name): (&'a str, &'a str)) -> LocalOperation<'a> {
        LocalOperation { document, name: Some(name) }
    }
}

/// Error of a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocalQueryError {
    /// The service refused it: something does not exist, or an argument is not valid.
    #[error("{0}")]
    Refused(String),
    /// The service failed.
    #[error("{0}")]
    Fault(String),
}

/// Runs an operation of a document over these services, with all rights, and returns its data. Without a name, the document
/// has one operation.
///
/// # Errors
/// [`LocalQueryError`] for the first error.
pub async fn query<'a>(
    services: SchemaServices,
    operation: impl Into<LocalOperation<'a>>,
    variables: Value,
) -> Result<Value, LocalQueryError> {
    let limits = ApiLimits { cost: MAX_COST, depth: MAX_DEPTH, ..ApiLimits::default() };
    let api = schema(services, &limits);
    let executor = AdmissionExecutor::within(Arc::new(limits), api, field_types(), None);
    let LocalOperation { document, name } = operation.into();
    let request = Request::new(document).variables(Variables::from_json(variables));
    let request = match name {
        Some(name) => request.operation_name(name),
        None => request,
    };
    let response = executor.execute(request).await;
    if let Some(error) = response.errors.first() {
        return Err(classified(error));
    }
    let written = serde_json::to_value(&response.data);
    written.map_err(|error| LocalQueryError::Fault(format!("the result of a query could not be written: {error}")))
}

/// Tells refusals from faults by the code of an error.
fn classified(error: &ServerError) -> LocalQueryError {
    let code = error.extensions.as_ref().and_then(|extensions| extensions.get("code"));
    let is_fault = code.is_none_or(|code| {
        ["INTERNAL", "UNAVAILABLE", "DAMAGED"].iter().any(|fault| *code == async_graphql::Value::from(*fault))
    });
    match is_fault {
        true => LocalQueryError::Fault(error.message.clone()),
        false => LocalQueryError::Refused(error.message.clone()),
    }
}

//! Permissions of fields that operate the service.

use async_graphql::{Context, Result};

use crate::api::error::error_with_code;
use crate::api::execution::admission::FORBIDDEN;
use crate::api::role::Role;

/// Refuses callers whose token does not have the role admin.
///
/// # Errors
/// `FORBIDDEN`, with the action.
pub fn require_admin(context: &Context<'_>, action: &str) -> Result<()> {
    if *context.data::<Role>()? < Role::Admin {
        return Err(error_with_code(&format!("{action} requires a token with the role admin"), FORBIDDEN));
    }
    Ok(())
}

//! Caller of a request, as the service knows it.

use async_graphql::{Context, Enum, Result, SimpleObject};
use faultline_service::audit::Actor;

use crate::api::role::Role;

/// Caller of a request.
#[derive(SimpleObject)]
pub struct Viewer {
    /// Permissions of the caller's token; `ADMIN` if the service requires no tokens.
    pub role: ViewerRole,
    /// Name of the token, which is recorded with changes; null if the service requires no tokens.
    pub token_name: Option<String>,
}

impl Viewer {
    /// Returns the caller of this request.
    ///
    /// # Errors
    /// None in practice: every admitted request has a caller.
    pub fn of(context: &Context<'_>) -> Result<Viewer> {
        let token_name = context.data::<Actor>()?.name().map(str::to_owned);
        Ok(Viewer { role: (*context.data::<Role>()?).into(), token_name })
    }
}

/// Permissions of a token. Each role includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "Role", name = "Role")]
pub enum ViewerRole {
    /// May query and subscribe.
    Reader,
    /// May change debates.
    Writer,
    /// May operate the service: rebuild projections, erase debates.
    Admin,
}

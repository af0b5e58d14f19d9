//! Caller of a request, as the service knows it.

use async_graphql::{Enum, SimpleObject};

use crate::api::role;

/// Caller of a request.
#[derive(SimpleObject)]
pub struct Viewer {
    /// Permissions of the caller's token; `ADMIN` if the service requires no tokens.
    pub role: Role,
    /// Name of the token, which is recorded with changes; null if the service requires no tokens.
    pub token_name: Option<String>,
}

/// Permissions of a token. Each role includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "role::Role")]
pub enum Role {
    /// May query and subscribe.
    Reader,
    /// May change debates.
    Writer,
    /// May operate the service: rebuild projections, erase debates.
    Admin,
}

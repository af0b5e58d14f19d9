//! Ids in arguments and inputs.

use std::str::FromStr;

use async_graphql::{ID, Result};

use crate::api::error::from_misnamed;
use faultline_core::events::ids::Misnamed;

/// Parses the id of a debate, persona or argument.
///
/// # Errors
/// `INVALID` if the id is malformed.
pub fn parse_id<T: FromStr<Err = Misnamed>>(id: &ID) -> Result<T> {
    id.parse().map_err(|misnamed| from_misnamed(&misnamed))
}

/// Parses an id that may be omitted.
///
/// # Errors
/// `INVALID` if the id is malformed.
pub fn parse_optional_id<T: FromStr<Err = Misnamed>>(id: Option<&ID>) -> Result<Option<T>> {
    id.map(parse_id).transpose()
}

//! `faultline schema`: prints the GraphQL schema.

use crate::api::schema::described;
use crate::cli::exit::CliError;
use crate::cli::out::print;

/// Prints the GraphQL schema.
///
/// # Errors
/// As [`print()`].
pub fn run() -> Result<(), CliError> {
    print(&described())
}

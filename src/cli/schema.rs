//! `faultline schema`: prints the GraphQL schema.

use crate::api::schema::schema::described;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::print;

/// Prints the GraphQL schema.
///
/// # Errors
/// As [`print()`].
pub fn run() -> Result<(), CliError> {
    print(&described())
}

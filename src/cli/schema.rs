//! `faultline schema`: prints the GraphQL schema, or the reference of event kinds.

use crate::api::schema::schema::sdl;
use crate::cli::args::schema::{ReferenceFormat, SchemaArgs};
use crate::cli::output::exit::CliError;
use crate::cli::output::output::print;
use faultline_core::events::reference;

/// Prints the GraphQL schema, or the reference of event kinds.
///
/// # Errors
/// As [`print()`].
pub fn run(args: &SchemaArgs) -> Result<(), CliError> {
    match (args.events, args.format) {
        (false, _) => print(&sdl()),
        (true, ReferenceFormat::Json) => print(&reference::json()),
        (true, ReferenceFormat::Markdown) => print(&reference::markdown()),
    }
}

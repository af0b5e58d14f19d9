//! `faultline corpus`: which of its commands.

use clap::Subcommand;

use crate::cli::corpus::ingest::{self, Ingest};
use crate::cli::corpus::remove::{self, Remove};
use crate::cli::exit::CliError;
use crate::config::Config;

/// Commands on what personas wrote.
#[derive(Subcommand)]
pub enum Corpus {
    /// Bring the library up to date with what personas wrote: files, and what their folders name in the web.
    #[command(after_help = ingest::EXAMPLES)]
    Ingest(Ingest),
    /// Take a source out of a persona's folder, and what it holds out of the library.
    #[command(after_help = "Example: faultline corpus remove --persona gus-ormerand wall-example-feed-xml")]
    Remove(Remove),
}

/// Carries a command out.
///
/// # Errors
/// As the command.
pub async fn run(config: &Config, command: Corpus) -> Result<(), CliError> {
    match command {
        Corpus::Ingest(args) => ingest::run(config, args).await,
        Corpus::Remove(args) => remove::run(config, args).await,
    }
}

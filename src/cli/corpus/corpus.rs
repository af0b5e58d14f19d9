//! `faultline corpus`: which of its commands.

use clap::Subcommand;

use crate::cli::corpus::ingest::{self, Ingest};
use crate::cli::corpus::reembed::{self, Reembed};
use crate::cli::corpus::remove::{self, Remove};
use crate::cli::corpus::search::{self, Search};
use crate::cli::corpus::stats::{self, Stats};
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
    /// Embed everything anew by the configured embedder, while services go on with the old one.
    #[command(after_help = "Example: FAULTLINE_EMBEDDER=openai:nomic-embed-text faultline corpus reembed\n\n\
        Readers use the old vectors until all new ones are there. Whoever is interrupted says it once more, and goes on \
        from there. Services that run meanwhile have to be started anew with the new embedder afterwards.")]
    Reembed(Reembed),
    /// Search what personas wrote, by meaning and by words at once.
    #[command(
        after_help = "Example: faultline corpus search \"who pays if the reactor is late\" --persona bartle-sennack\n\n\
            Words in double quotes must stand together; a word after a minus must not stand there."
    )]
    Search(Search),
    /// Say how much the library holds, by whose vectors, and how it is searched.
    #[command(after_help = "Example: faultline corpus stats --json")]
    Stats(Stats),
}

/// Carries a command out.
///
/// # Errors
/// As the command.
pub async fn run(config: &Config, command: Corpus) -> Result<(), CliError> {
    match command {
        Corpus::Ingest(args) => ingest::run(config, args).await,
        Corpus::Remove(args) => remove::run(config, args).await,
        Corpus::Reembed(args) => reembed::run(config, args).await,
        Corpus::Search(args) => search::run(config, args).await,
        Corpus::Stats(args) => stats::run(config, args).await,
    }
}

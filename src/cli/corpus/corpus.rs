//! `faultline corpus`: subcommands on the writings of personas.

use clap::Subcommand;

use crate::cli::corpus::ingest;
use crate::cli::corpus::ingest::IngestArgs;
use crate::cli::corpus::move_corpora;
use crate::cli::corpus::move_corpora::MoveCorporaArgs;
use crate::cli::corpus::reembed;
use crate::cli::corpus::reembed::ReembedArgs;
use crate::cli::corpus::remove;
use crate::cli::corpus::remove::RemoveArgs;
use crate::cli::corpus::search;
use crate::cli::corpus::search::SearchArgs;
use crate::cli::corpus::stats;
use crate::cli::corpus::stats::StatsArgs;
use crate::cli::output::exit::CliError;
use crate::config::Config;

/// Subcommands of `faultline corpus`.
#[derive(Subcommand)]
pub enum CorpusCommand {
    /// Ingest the writings of personas and shared corpora: files, and the web sources listed in their folders.
    #[command(after_help = ingest::EXAMPLES)]
    Ingest(IngestArgs),
    /// Remove a source from the folder of a persona or a shared corpus, and its content from the library.
    #[command(after_help = "Example: faultline corpus remove --persona gus-ormerand wall-example-feed-xml")]
    Remove(RemoveArgs),
    /// Move the documents of personas and shared corpora to another database server, while services search them.
    #[command(after_help = "Examples:\n  faultline corpus move edda-tolvane,gus-ormerand --to b\n  \
        faultline corpus move --all --to b\n\n\
        FAULTLINE_SHARDS names the servers. Documents of a corpus can be neither ingested nor removed while it is moved. If \
        interrupted, run the command again.")]
    Move(MoveCorporaArgs),
    /// Re-embed the whole library with the configured embedder, while services keep using the old one.
    #[command(after_help = "Example: FAULTLINE_EMBEDDER=openai:nomic-embed-text faultline corpus reembed\n\n\
        Readers use the old vectors until all new ones are complete. If interrupted, run the command again; it \
        continues where it stopped. Restart running services with the new embedder afterwards.")]
    Reembed(ReembedArgs),
    /// Search the writings of personas and shared corpora by meaning and by words.
    #[command(
        after_help = "Example: faultline corpus search \"who pays if the reactor is late\" --persona bartle-sennack\n\n\
            Words in double quotes must occur together; a word after a minus must not occur."
    )]
    Search(SearchArgs),
    /// Show the size of the library, its embedders, and its search indexes.
    #[command(after_help = "Example: faultline corpus stats --json")]
    Stats(StatsArgs),
}

/// Runs the subcommand.
///
/// # Errors
/// The error of the subcommand.
pub async fn run(config: &Config, command: CorpusCommand) -> Result<(), CliError> {
    match command {
        CorpusCommand::Ingest(args) => ingest::run(config, args).await,
        CorpusCommand::Remove(args) => remove::run(config, args).await,
        CorpusCommand::Move(args) => move_corpora::run(config, args).await,
        CorpusCommand::Reembed(args) => reembed::run(config, args).await,
        CorpusCommand::Search(args) => search::run(config, args).await,
        CorpusCommand::Stats(args) => stats::run(config, args).await,
    }
}

//! `faultline corpus stats`: prints statistics of the library.

use clap::Args;
use serde_json::{Value, json};

use crate::app::open_app::OpenApp;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_store::library::open::LibraryError;
use faultline_store::library::reading::Holdings;
use faultline_terminal::tables::library_stats::holdings;

/// Arguments of `corpus stats`.
#[derive(Args)]
pub struct StatsArgs {
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Prints statistics of the library.
///
/// # Errors
/// [`CliError::Fault`] if the library cannot be read.
pub async fn run(config: &Config, args: StatsArgs) -> Result<(), CliError> {
    let app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let printed = async {
        let library = &app.store().library;
        let fault = |error: LibraryError| CliError::Fault(error.to_string());
        let (stats, owners) = (library.stats().await.map_err(fault)?, library.holdings().await.map_err(fault)?);
        if args.json {
            return json_line(&as_json(&stats, &owners));
        }
        print(&holdings(&stats, &owners, terminal::terminal_style()))
    };
    let printed = printed.await;
    app.close().await;
    printed
}

fn as_json(stats: &faultline_store::library::stats::LibraryStats, owners: &[Holdings]) -> Value {
    let owned = |is_shared: bool| {
        let listed = owners.iter().filter(|holding| holding.is_shared == is_shared).map(|holding| {
            json!({
                "id": holding.persona,
                "name": holding.name,
                "documents": holding.n_documents,
                "passages": holding.n_passages,
                "sentences": holding.n_sentences,
                "shard": holding.shard,
            })
        });
        listed.collect::<Vec<_>>()
    };
    json!({
        "documents": stats.n_documents,
        "passages": stats.n_passages,
        "sentences": stats.n_sentences,
        "words": stats.n_words,
        "textBytes": stats.text_bytes,
        "vectorBytes": stats.vector_bytes,
        "personas": owned(false),
        "sharedCorpora": owned(true),
        "embedders": stats.embedders.iter().map(|embedder| json!({
            "name": embedder.name,
            "width": embedder.width,
            "inUse": embedder.in_use,
            "passages": embedder.n_passages,
            "sentences": embedder.n_sentences,
        })).collect::<Vec<_>>(),
        "indexes": stats.indexes.iter().map(|index| json!({
            "name": index.name,
            "holds": index.holds,
            "ready": index.ready,
            "bytes": index.bytes,
        })).collect::<Vec<_>>(),
    })
}

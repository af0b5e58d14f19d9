//! `faultline corpus move`: moves corpora to another database server.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use futures_util::StreamExt;
use futures_util::stream;
use indicatif::ProgressBar;
use serde_json::json;

use crate::app::open_app::OpenApp;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::events::ids::PersonaId;
use faultline_service::audit;
use faultline_service::audit::Actor;
use faultline_store::library::corpus_move::{CORPUS_GRACE, MovedCorpus};
use faultline_store::library::open::LibraryError;

/// Number of corpora that are moved at once.
const MOVED_AT_ONCE: usize = 4;

/// Arguments of `corpus move`.
#[derive(Args)]
pub struct MoveCorporaArgs {
    /// Personas and shared corpora whose documents are moved, separated by commas.
    #[arg(value_name = "ID", value_delimiter = ',', required_unless_present = "all")]
    pub owners: Vec<PersonaId>,
    /// Move all corpora of the library.
    #[arg(long, conflicts_with = "owners")]
    pub all: bool,
    /// Name of the server, from `FAULTLINE_SHARDS`, or home.
    #[arg(long, value_name = "SHARD")]
    pub to: String,
    /// Time after which the former copies are deleted. A process that is cut off from the home for longer, but not from the
    /// former server, would find no passages there.
    #[arg(long, value_name = "SECONDS", default_value_t = CORPUS_GRACE.as_secs(), value_parser = clap::value_parser!(u64).range(2..=86_400))]
    pub grace_seconds: u64,
    /// Print one line of JSON for each corpus.
    #[arg(long)]
    pub json: bool,
}

/// Moves corpora, several at once. If one cannot be moved, the others are moved nevertheless.
///
/// # Errors
/// [`CliError::Refused`] if there is no such persona, shared corpus or shard, or the corpus is being moved; [`CliError::Fault`] if
/// a database fails.
pub async fn run(config: &Config, args: MoveCorporaArgs) -> Result<(), CliError> {
    let app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let moved = move_corpora(&app, &args).await;
    app.close().await;
    moved
}

async fn move_corpora(app: &OpenApp, args: &MoveCorporaArgs) -> Result<(), CliError> {
    let library = &app.store().library;
    let owners = match args.all {
        true => library.holdings().await.map_err(cli_error)?.into_iter().map(|holding| holding.persona).collect(),
        false => args.owners.clone(),
    };
    let grace = Duration::from_secs(args.grace_seconds);
    let bar = if args.json { ProgressBar::hidden() } else { terminal::bar("copying") };
    // Documents of each corpus: copied, and all.
    let amounts: Mutex<BTreeMap<PersonaId, (u64, u64)>> = Mutex::default();
    let move_one = async |owner: PersonaId| {
        let moved = library.move_corpus(&owner, &args.to, grace, |copied, all| {
            let mut amounts = amounts.lock().unwrap_or_else(PoisonError::into_inner);
            amounts.insert(owner.clone(), (copied, all));
            bar.set_length(amounts.values().map(|(_, all)| all).sum());
            bar.set_position(amounts.values().map(|(copied, _)| copied).sum());
        });
        let moved = moved.await;
        (owner, moved)
    };
    let mut moves = stream::iter(owners.into_iter().map(move_one)).buffer_unordered(MOVED_AT_ONCE);
    let mut failed = None;
    while let Some((owner, moved)) = moves.next().await {
        match moved {
            Ok(moved) => {
                bar.suspend(|| report(args, &owner, moved.as_ref()))?;
                audit::done(&Actor::command_line(), "move corpus", &format_args!("{owner} to {}", args.to));
            }
            Err(error) => failed = Some(failed.unwrap_or(error)),
        }
    }
    bar.finish_and_clear();
    match failed {
        Some(error) => Err(cli_error(error)),
        None => library.maintain().await.map(drop).map_err(cli_error),
    }
}

fn cli_error(error: LibraryError) -> CliError {
    match error {
        LibraryError::NoPersona { .. } | LibraryError::BeingMoved { .. } => CliError::Refused(error.to_string()),
        LibraryError::Fault(fault) => fault.into(),
        _ => CliError::Fault(error.to_string()),
    }
}

/// Prints that a corpus was moved; `None` if it was there.
fn report(args: &MoveCorporaArgs, owner: &PersonaId, moved: Option<&MovedCorpus>) -> Result<(), CliError> {
    let to = &args.to;
    match moved {
        _ if args.json => json_line(&json!({
            "id": owner,
            "shard": to,
            "from": moved.map(|it| &it.from),
            "documents": moved.map(|it| it.n_documents),
            "passages": moved.map(|it| it.n_passages),
        })),
        Some(MovedCorpus { from, n_documents, n_passages }) => print(&format!(
            "The corpus of {owner} is on {to} now, no longer on {from}: {n_documents} documents, {n_passages} passages.\n"
        )),
        None => print(&format!("The corpus of {owner} is on {to} already.\n")),
    }
}

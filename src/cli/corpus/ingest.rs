//! `faultline corpus ingest`: reads, splits, embeds and stores the writings of personas, and shared corpora.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use serde_json::{Value, json};

use crate::app::equipped_app::EquippedApp;
use crate::cli::debates::debate::print_setup_remark;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::events::ids::PersonaId;
use faultline_ingest::fetch::address::AddressPolicy;
use faultline_ingest::fetch::fetcher::{FetchLimits, Fetcher};
use faultline_ingest::owners::CorpusOwners;
use faultline_ingest::report::{IngestError, IngestProgress, IngestReport, PersonaCounts};
use faultline_ingest::source_files::place;
use faultline_terminal::tables::ingested::ingested;

/// Examples shown by `--help`.
pub const EXAMPLES: &str = "Examples:\n  faultline corpus ingest\n  \
    faultline corpus ingest --persona gus-ormerand notes.txt paper.pdf twitter-archive.zip\n  \
    faultline corpus ingest --persona gus-ormerand https://wall.example/feed.xml\n  \
    faultline corpus ingest --corpus harbour-survey report.pdf\n\n\
    A shared corpus is a folder corpus/<id> with a file shared.toml (name, about) and belongs to no persona. \
    Files are copied into the folder of the persona or shared corpus, and URLs are added to its sources.toml; both \
    stay until they are removed. \
    Supported formats: Markdown, plain text, HTML, RSS, Atom, PDF, and X (Twitter) archives.";

/// Arguments of `corpus ingest`.
#[derive(Args)]
pub struct IngestArgs {
    /// Files and URLs to add; without any, updates the library from the folders.
    #[arg(value_name = "FILE|URL")]
    pub given: Vec<String>,
    /// Only this persona or shared corpus; may be repeated. Exactly one is required when adding files or URLs.
    #[arg(long, visible_alias = "corpus", value_name = "ID")]
    pub persona: Vec<PersonaId>,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Adds the given sources to the folder of a persona or a shared corpus, and updates the library.
///
/// # Errors
/// [`CliError::Refused`] if a given source could not be read. Other skipped sources are listed in the report, not an
/// error.
pub async fn run(config: &Config, args: IngestArgs) -> Result<(), CliError> {
    let given = add_sources(config, &args)?;
    let only = (!args.persona.is_empty()).then(|| args.persona.clone());
    let reach = AddressPolicy { private: config.fetch_private, also: Vec::new() };
    let fetcher = Fetcher::new(FetchLimits { reach, ..FetchLimits::default() }).map_err(CliError::Fault)?;
    let app = EquippedApp::open(config, &terminal::progress_reporter()).await?;
    print_setup_remark(&app);
    let ingested_report = tokio::select! {
        done = ingest_with_progress(&app, only, Some(&fetcher)) => done,
        _ = tokio::signal::ctrl_c() => {
            let hint = "interrupted; stored documents are kept, and the next ingest continues from there";
            Err(CliError::Interrupted(hint.to_owned()))
        }
    };
    app.close().await;
    let report = ingested_report?;
    print_report(&report, args.json)?;
    let refused = given.iter().filter(|name| report.sources.iter().all(|source| source.name != **name)).count();
    match refused {
        0 => Ok(()),
        n => Err(CliError::Refused(format!(
            "{n} of {} given sources could not be read; the report explains why",
            given.len()
        ))),
    }
}

/// Copies the given files into the folder of a persona or a shared corpus, and adds URLs to its list of sources; returns the
/// source names.
fn add_sources(config: &Config, args: &IngestArgs) -> Result<Vec<String>, CliError> {
    check_owners(config, (!args.persona.is_empty()).then_some(&args.persona[..]))?;
    if args.given.is_empty() {
        return Ok(Vec::new());
    }
    let [persona] = args.persona.as_slice() else {
        let what = "adding files or URLs requires exactly one --persona ID or --corpus ID";
        return Err(CliError::Usage(what.to_owned()));
    };
    let folder = config.corpus.join(persona.as_str());
    let place = |source: &String| place(&folder, source).map_err(|fault| CliError::Refused(fault.to_string()));
    args.given.iter().map(place).collect()
}

/// Checks the files of these personas and shared corpora, or of all.
///
/// # Errors
/// [`CliError::Refused`] if one does not exist or is invalid.
pub fn check_owners(config: &Config, only: Option<&[PersonaId]>) -> Result<(), CliError> {
    CorpusOwners::of(&config.personas, &config.corpus, only)
        .map(drop)
        .map_err(|error| CliError::Refused(error.to_string()))
}

/// Updates the library, with progress bars.
///
/// # Errors
/// [`CliError`] if the ingest fails.
pub async fn ingest_with_progress(
    app: &EquippedApp,
    only: Option<Vec<PersonaId>>,
    fetcher: Option<&Fetcher>,
) -> Result<IngestReport, CliError> {
    let fetching = terminal::bar("fetching");
    let embedding = terminal::bar("ingesting their writings");
    let report_progress = |progress| match progress {
        IngestProgress::Fetching { n_sources } => fetching.inc_length(n_sources as u64),
        IngestProgress::Fetched { .. } => fetching.inc(1),
        IngestProgress::Planned { n_texts, .. } => {
            fetching.finish_and_clear();
            embedding.set_length(n_texts as u64);
        }
        IngestProgress::Embedded { n_texts } => embedding.inc(n_texts as u64),
        _ => {}
    };
    let ingested_report = app.corpora().ingest_with_web_sources(only, fetcher, &report_progress).await;
    fetching.finish_and_clear();
    embedding.finish_and_clear();
    ingested_report.map_err(|error| match error {
        IngestError::Personas(_) | IngestError::SharedCorpora(_) | IngestError::Corpus(_) => {
            CliError::Refused(error.to_string())
        }
        other => CliError::Fault(other.to_string()),
    })
}

/// Prints the report, for people or for programs.
///
/// # Errors
/// [`CliError::OutputClosed`] if the output pipe was closed.
pub fn print_report(report: &IngestReport, as_json: bool) -> Result<(), CliError> {
    if as_json { json_line(&value(report)) } else { print(&ingested(report, terminal::terminal_style())) }
}

fn value(report: &IngestReport) -> Value {
    let path = |file: &Path| file.display().to_string();
    let tally = |counts: &PersonaCounts| {
        json!({
            "documents": { "read": counts.n_read, "unchanged": counts.n_unchanged, "removed": counts.n_removed },
            "passages": {
                "new": counts.passages.new, "unchanged": counts.passages.unchanged, "removed": counts.passages.removed,
            },
        })
    };
    let tallies = |counts: &BTreeMap<PersonaId, PersonaCounts>| {
        counts.iter().map(|(id, counts)| (id.to_string(), tally(counts))).collect::<serde_json::Map<_, _>>()
    };
    let shared = |id: &PersonaId| report.shared.contains_key(id).then(|| id.clone());
    let sources = report.sources.iter().map(|source| {
        json!({
            "persona": source.persona, "sharedCorpus": shared(&source.persona), "name": source.name,
            "kind": source.form.name(), "read": source.n_read,
            "unchanged": source.n_unchanged, "kept": source.n_kept, "passedOver": source.passed_over, "remarks": source.remarks,
        })
    });
    let flagged = report.flagged.iter();
    json!({
        "embedder": report.embedder,
        "personas": tallies(&report.personas),
        "sharedCorpora": tallies(&report.shared),
        "removedPersonas": report.removed,
        "removedSharedCorpora": report.removed_shared,
        "sources": sources.collect::<Vec<_>>(),
        "skipped": report.skipped.iter().map(|skipped| json!({ "source": path(&skipped.file), "why": skipped.why })).collect::<Vec<_>>(),
        "flagged": flagged.map(|flagged| json!({ "persona": flagged.persona, "document": flagged.document, "flags": flagged.flags })).collect::<Vec<_>>(),
        "remarks": report.remarks.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

//! `faultline corpus search`: searches the writings of personas, and shared corpora.

use clap::Args;
use serde_json::{Value, json};

use crate::app::equipped_app::EquippedApp;
use crate::app::error::AppError;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::events::ids::{Misnamed, PersonaId};
use faultline_service::passage_search::PassageMatch;
use faultline_terminal::tables::passages::passages;

/// Arguments of `corpus search`.
#[derive(Args)]
pub struct SearchArgs {
    /// Search text: a question or words.
    #[arg(allow_hyphen_values = true)]
    pub text: String,
    /// Only in the writings of this persona, or in this shared corpus.
    #[arg(long, visible_alias = "corpus", value_name = "ID")]
    pub persona: Option<String>,
    /// Maximum number of passages, 1 to 50.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=50))]
    pub first: u32,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Searches the library.
///
/// # Errors
/// [`CliError::Refused`] if the text is empty or too long, the persona or shared corpus is unknown, or the library uses another
/// embedder; [`CliError::Fault`] if the service fails.
pub async fn run(config: &Config, args: SearchArgs) -> Result<(), CliError> {
    let persona = args.persona.as_deref().map(str::parse::<PersonaId>).transpose();
    let persona = persona.map_err(|error: Misnamed| CliError::Usage(error.to_string()))?;
    let app = EquippedApp::open(config, &terminal::progress_reporter()).await?;
    let searched = async {
        if let Some(persona) = &persona {
            app.service().catalog().corpus_owner(persona.as_str())?;
        }
        ingest_missing(&app, persona.as_ref()).await?;
        let hits = app.service().passage_search()?.search(&args.text, persona.as_ref(), args.first as usize).await?;
        if args.json {
            return json_line(&hits.iter().map(as_json).collect::<Vec<_>>());
        }
        let empty = hits.is_empty()
            && app.store().library.holdings().await.is_ok_and(|holdings| {
                holdings
                    .iter()
                    .filter(|holding| persona.as_ref().is_none_or(|only| holding.persona == *only))
                    .all(|holding| holding.n_passages == 0)
            });
        print(&passages(&hits, empty, terminal::terminal_style()))
    };
    let searched = searched.await;
    app.close().await;
    searched
}

/// Ingests personas and shared corpora that are not in the library yet, with a message on stderr.
async fn ingest_missing(app: &EquippedApp, persona: Option<&PersonaId>) -> Result<(), CliError> {
    let catalog = app.service().catalog();
    let all = || catalog.personas.keys().chain(catalog.shared_corpora.keys()).cloned().collect();
    let of = persona.map_or_else(all, |persona| vec![persona.clone()]);
    for persona in app.corpora().ingest_missing(&of, &|_| {}).await.map_err(AppError::from)? {
        let what = if catalog.shared_corpora.contains_key(&persona) { "documents" } else { "writings" };
        eprintln!("faultline: the {what} of {persona} were not in the library; they were ingested for this search");
    }
    Ok(())
}

fn as_json(hit: &PassageMatch) -> Value {
    let PassageMatch { passage, why, words, folded } = hit;
    json!({
        "chunkId": passage.chunk,
        "personaId": passage.persona,
        "sharedCorpusId": passage.is_shared.then_some(&passage.persona),
        "document": passage.document,
        "title": passage.title,
        "source": passage.source,
        "date": passage.date,
        "kind": passage.kind,
        "ordinal": passage.ordinal,
        "text": passage.text,
        "score": passage.score,
        "why": {
            "byMeaning": why.by_meaning,
            "byWords": why.by_words,
            "cosine": why.cosine,
            "sentenceCosine": why.sentence_cosine,
            "share": why.share,
            "asWritten": why.as_written,
            "words": words.iter().map(|range| json!({
                "word": passage.text.get(range.clone()),
                "start": range.start,
                "end": range.end,
            })).collect::<Vec<_>>(),
        },
        "folded": folded,
    })
}

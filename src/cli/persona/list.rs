//! `faultline persona list`: lists the personas in the folder.

use serde_json::{Value, json};

use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::cli::persona::args::PersonaListArgs;
use crate::cli::render::text::page::TextPage;
use crate::cli::render::text::span::{trusted, untrusted};
use crate::cli::render::text::style::Tone;
use crate::config::Config;
use faultline_core::events::edition::Edition;
use faultline_ingest::corpus_reader::CorpusTexts;
use faultline_ingest::personas::{PersonaFile, read_personas};

/// Lists the personas of the folder, ordered by id.
///
/// # Errors
/// [`CliError::Refused`] if a file is not a valid persona or the folder cannot be read.
pub fn run(config: &Config, args: &PersonaListArgs) -> Result<(), CliError> {
    let files = read_personas(&config.personas, None).map_err(|error| CliError::Refused(error.to_string()))?;
    let mut corpora = Vec::with_capacity(files.len());
    for file in &files {
        let corpus = CorpusTexts::of_folder(&config.corpus.join(file.persona.id.as_str()));
        corpora.push(corpus.map_err(|error| CliError::Refused(error.to_string()))?);
    }
    if args.json {
        return json_line(&files.iter().zip(&corpora).map(|(file, corpus)| as_json(file, corpus)).collect::<Vec<_>>());
    }
    let mut page = TextPage::new(terminal::terminal_style());
    let width = files.iter().map(|file| file.persona.id.as_str().len()).max().unwrap_or(0) + 2;
    for (file, corpus) in files.iter().zip(&corpora) {
        let persona = &file.persona;
        let id = [trusted(Tone::Strong, persona.id.as_str())];
        page.hang(&[], &id, width, &[untrusted(Tone::Plain, &format!("{}. {}", persona.name, persona.about))]);
        let (documents, passages) = (corpus.pages.len(), corpus.passages.len());
        let counted = format!("version {} · {documents} documents, {passages} passages", Edition::of(persona));
        page.hang(&[], &[], width, &[trusted(Tone::Quiet, counted)]);
    }
    print(&page.print())
}

/// Returns one persona as JSON.
fn as_json(file: &PersonaFile, corpus: &CorpusTexts) -> Value {
    let edition = Edition::of(&file.persona);
    json!({
        "id": file.persona.id,
        "name": file.persona.name,
        "about": file.persona.about,
        "version": file.persona.version,
        "personaVersion": edition.to_string(),
        "contractVersion": edition.contract,
        "voiceVersion": edition.voice,
        "topics": file.topics,
        "file": file.file,
        "documents": corpus.pages.len(),
        "passages": corpus.passages.len(),
    })
}

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
    let files = read_personas(&config.personas, None).map_err(|it| CliError::Refused(it.to_string()))?;
    let mut shelves = Vec::with_capacity(files.len());
    for file in &files {
        let shelf = CorpusTexts::of_folder(&config.corpus.join(file.persona.id.as_str()));
        shelves.push(shelf.map_err(|it| CliError::Refused(it.to_string()))?);
    }
    if args.json {
        return json_line(&files.iter().zip(&shelves).map(|(file, shelf)| as_json(file, shelf)).collect::<Vec<_>>());
    }
    let mut page = TextPage::new(terminal::terminal_style());
    let width = files.iter().map(|it| it.persona.id.as_str().len()).max().unwrap_or(0) + 2;
    for (file, shelf) in files.iter().zip(&shelves) {
        let persona = &file.persona;
        let id = [trusted(Tone::Strong, persona.id.as_str())];
        page.hang(&[], &id, width, &[untrusted(Tone::Plain, &format!("{}. {}", persona.name, persona.about))]);
        let (documents, passages) = (shelf.pages.len(), shelf.passages.len());
        let counted = format!("version {} · {documents} documents, {passages} passages", Edition::of(persona));
        page.hang(&[], &[], width, &[trusted(Tone::Quiet, counted)]);
    }
    print(&page.print())
}

/// Returns one persona as JSON.
fn as_json(file: &PersonaFile, shelf: &CorpusTexts) -> Value {
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
        "documents": shelf.pages.len(),
        "passages": shelf.passages.len(),
    })
}

//! `faultline persona list`: lists the personas in the folder.

use serde_json::{Value, json};

use crate::cli::exit::CliError;
use crate::cli::out::{json_line, print};
use crate::cli::persona::args::List;
use crate::cli::screen;
use crate::cli::stage::page::Page;
use crate::cli::stage::span::{own, told};
use crate::cli::stage::style::Tone;
use crate::config::Config;
use crate::events::edition::Edition;
use crate::ingest::personas::{PersonaFile, read_personas};
use crate::ingest::shelf::Shelf;

/// Lists the personas of the folder, ordered by id.
///
/// # Errors
/// [`CliError::Refused`] if a file is not a valid persona or the folder cannot be read.
pub fn run(config: &Config, args: &List) -> Result<(), CliError> {
    let files = read_personas(&config.personas, None).map_err(|it| CliError::Refused(it.to_string()))?;
    let mut shelves = Vec::with_capacity(files.len());
    for file in &files {
        let shelf = Shelf::of_folder(&config.corpus.join(file.persona.id.as_str()));
        shelves.push(shelf.map_err(|it| CliError::Refused(it.to_string()))?);
    }
    if args.json {
        return json_line(&files.iter().zip(&shelves).map(|(file, shelf)| as_json(file, shelf)).collect::<Vec<_>>());
    }
    let mut page = Page::new(screen::look());
    let width = files.iter().map(|it| it.persona.id.as_str().len()).max().unwrap_or(0) + 2;
    for (file, shelf) in files.iter().zip(&shelves) {
        let persona = &file.persona;
        let id = [own(Tone::Strong, persona.id.as_str())];
        page.hang(&[], &id, width, &[told(Tone::Plain, &format!("{}. {}", persona.name, persona.about))]);
        let (documents, passages) = (shelf.pages.len(), shelf.passages.len());
        let counted = format!("version {} · {documents} documents, {passages} passages", Edition::of(persona));
        page.hang(&[], &[], width, &[own(Tone::Quiet, counted)]);
    }
    print(&page.print())
}

/// Returns one persona as JSON.
fn as_json(file: &PersonaFile, shelf: &Shelf) -> Value {
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

//! `faultline persona list`: lists the personas in the folder.

use serde_json::{Value, json};

use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::records::{is_piped, record};
use crate::cli::output::terminal;
use crate::cli::persona::args::PersonaListArgs;
use crate::config::Config;
use faultline_core::events::edition::Edition;
use faultline_core::positions::model::{Positions, TopicPositions};
use faultline_ingest::corpus_reader::CorpusTexts;
use faultline_ingest::personas::{PersonaFile, read_personas};
use faultline_ingest::positions::read_positions;
use faultline_terminal::text::page::TextPage;
use faultline_terminal::text::span::{trusted, untrusted};
use faultline_terminal::text::style::Tone;

/// Lists the personas of the folder, ordered by id, with the topics on which they have positions.
///
/// # Errors
/// [`CliError::Refused`] if a file is not a valid persona, a positions file cannot be parsed, or the folder cannot be
/// read.
pub fn run(config: &Config, args: &PersonaListArgs) -> Result<(), CliError> {
    let files = read_personas(&config.personas, None).map_err(|error| CliError::Refused(error.to_string()))?;
    let mut corpora = Vec::with_capacity(files.len());
    let mut positions = Vec::with_capacity(files.len());
    for file in &files {
        let corpus = CorpusTexts::of_folder(&config.corpus.join(file.persona.id.as_str()));
        corpora.push(corpus.map_err(|error| CliError::Refused(error.to_string()))?);
        positions.push(read_positions(&config.corpus, &file.persona.id)?.unwrap_or_default());
    }
    if args.json {
        let entries = files.iter().zip(&corpora).zip(&positions);
        return json_line(&entries.map(|((file, corpus), topics)| as_json(file, corpus, topics)).collect::<Vec<_>>());
    }
    if is_piped() {
        let entries = files.iter().zip(&corpora).zip(&positions);
        return entries.into_iter().try_for_each(|((file, corpus), topics)| print(&as_record(file, corpus, topics)));
    }
    let mut page = TextPage::new(terminal::terminal_style());
    let width = files.iter().map(|file| file.persona.id.as_str().len()).max().unwrap_or(0) + 2;
    for ((file, corpus), positions) in files.iter().zip(&corpora).zip(&positions) {
        let persona = &file.persona;
        let id = [trusted(Tone::Strong, persona.id.as_str())];
        page.hang(&[], &id, width, &[untrusted(Tone::Plain, &format!("{}. {}", persona.name, persona.about))]);
        let (documents, passages) = (corpus.pages.len(), corpus.passages.len());
        let counted = format!("version {} · {documents} documents, {passages} passages", Edition::of(persona));
        page.hang(&[], &[], width, &[trusted(Tone::Quiet, counted)]);
        for topic in &positions.topics {
            let (claims, replies) = (topic.claims.len(), topic.replies.len());
            let annotated = format!(" · {} · {claims} claims, {replies} replies", topic.side.name());
            page.hang(&[], &[], width, &[untrusted(Tone::Plain, &topic.question), trusted(Tone::Quiet, annotated)]);
        }
    }
    page.blank();
    page.text(&[trusted(
        Tone::Quiet,
        "Sides without a character, for debates with a model: pro, con (and pro-2, con-2, …)",
    )]);
    print(&page.print())
}

fn as_record(file: &PersonaFile, corpus: &CorpusTexts, positions: &Positions) -> String {
    let topics: Vec<&str> = positions.topics.iter().map(|topic| topic.question.as_str()).collect();
    record([
        file.persona.id.as_str(),
        &file.persona.name,
        &Edition::of(&file.persona).to_string(),
        &corpus.pages.len().to_string(),
        &corpus.passages.len().to_string(),
        &file.persona.about,
        &topics.join(" | "),
    ])
}

/// Returns one persona as JSON.
fn as_json(file: &PersonaFile, corpus: &CorpusTexts, positions: &Positions) -> Value {
    let edition = Edition::of(&file.persona);
    let annotated = |topic: &TopicPositions| {
        json!({
            "name": topic.name,
            "question": topic.question,
            "wordings": topic.wordings,
            "side": topic.side.name(),
            "claims": topic.claims.len(),
            "replies": topic.replies.len(),
            "disputes": topic.disputes.len(),
        })
    };
    json!({
        "id": file.persona.id,
        "name": file.persona.name,
        "about": file.persona.about,
        "version": file.persona.version,
        "personaVersion": edition.to_string(),
        "contractVersion": edition.contract,
        "voiceVersion": edition.voice,
        "topics": file.topics,
        "positions": positions.topics.iter().map(annotated).collect::<Vec<_>>(),
        "file": file.file,
        "documents": corpus.pages.len(),
        "passages": corpus.passages.len(),
    })
}

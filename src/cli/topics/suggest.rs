//! `faultline topics suggest`: suggests questions to debate.

use serde_json::{Value, json};

use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::cli::topics::args::TopicsSuggestArgs;
use crate::config::Config;
use faultline_core::events::ids::PersonaId;
use faultline_core::positions::model::AllPositions;
use faultline_core::positions::suggestions::{SuggestedTopic, suggested_topics};
use faultline_ingest::personas::{PersonaFile, read_personas};
use faultline_ingest::positions::read_positions;
use faultline_terminal::labels;
use faultline_terminal::text::page::TextPage;
use faultline_terminal::text::span::{trusted, untrusted};
use faultline_terminal::text::style::Tone;

/// Width of the indentation of sides and quotations.
const INDENT: usize = 2;

/// Lists the questions that annotated writings answer with yes and with no, each with the words of every persona.
///
/// # Errors
/// [`CliError::Refused`] if a persona is unknown, a file is not a valid persona, or a positions file cannot be parsed.
pub fn run(config: &Config, args: &TopicsSuggestArgs) -> Result<(), CliError> {
    let files = read_personas(&config.personas, None).map_err(|error| CliError::Refused(error.to_string()))?;
    let is_known = |id: &&PersonaId| files.iter().any(|file| file.persona.id == **id);
    if let Some(unknown) = args.personas.iter().find(|id| !is_known(id)) {
        return Err(CliError::Refused(format!(
            "there is no persona {unknown}; `faultline persona list` lists those there are"
        )));
    }
    let is_wanted = |file: &&PersonaFile| args.personas.is_empty() || args.personas.contains(&file.persona.id);
    let wanted: Vec<&PersonaFile> = files.iter().filter(is_wanted).collect();
    let mut all = AllPositions::new();
    for file in &wanted {
        let read = read_positions(&config.corpus, &file.persona.id)?;
        all.extend(read.map(|positions| (file.persona.id.clone(), positions)));
    }
    let suggested = suggested_topics(&all);
    if args.json {
        return json_line(&suggested.iter().map(as_json).collect::<Vec<_>>());
    }
    let mut page = TextPage::new(terminal::terminal_style());
    if suggested.is_empty() {
        let reason = "No question that the annotated writings of these personas answer has both a yes and a no. \
                      `faultline persona list` shows the topics of each persona.";
        page.text(&[trusted(Tone::Plain, reason)]);
    }
    for (at, topic) in suggested.iter().enumerate() {
        if at > 0 {
            page.blank();
        }
        show(&mut page, &wanted, topic);
    }
    print(&page.print())
}

/// Renders a question with the side and the words of each persona, and the command that debates it.
fn show(page: &mut TextPage, files: &[&PersonaFile], topic: &SuggestedTopic) {
    page.text(&[untrusted(Tone::Strong, &topic.question)]);
    if !topic.is_topic() {
        page.text(&[trusted(Tone::Quiet, "came up on: "), untrusted(Tone::Quiet, &topic.topic)]);
    }
    for (persona, position) in &topic.positions {
        let file = files.iter().find(|file| file.persona.id == *persona);
        let name = file.map_or(persona.as_str(), |file| file.persona.name.as_str());
        let words = format!("“{}” ({})", position.words.quote, position.words.document);
        let line = [
            untrusted(Tone::Plain, name),
            trusted(Tone::Plain, " "),
            labels::side(position.side),
            trusted(Tone::Plain, " "),
            untrusted(Tone::Quiet, &words),
        ];
        page.hang(&[], &[], INDENT, &line);
    }
    let ids: Vec<&str> = topic.positions.keys().map(PersonaId::as_str).collect();
    let command = format!("faultline debate --personas {} \"{}\"", ids.join(","), topic.topic);
    page.text(&[untrusted(Tone::Quiet, &command)]);
}

fn as_json(topic: &SuggestedTopic) -> Value {
    let positions = topic.positions.iter().map(|(persona, position)| {
        json!({
            "persona": persona,
            "side": position.side.name(),
            "quote": position.words.quote,
            "document": position.words.document,
        })
    });
    json!({
        "question": topic.question,
        "topic": topic.topic,
        "isTopic": topic.is_topic(),
        "positions": positions.collect::<Vec<_>>(),
    })
}

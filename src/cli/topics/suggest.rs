//! `faultline topics suggest`: suggests questions to debate.

use serde_json::{Value, json};

use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::topics::args::TopicsSuggestArgs;
use crate::cli::topics::page::SuggestionPage;
use crate::cli::topics::suggest_by_model;
use crate::cli::topics::writings::{annotated_topics, persona_files};
use crate::config::Config;
use faultline_core::events::ids::PersonaId;
use faultline_core::positions::suggestions::SuggestedTopic;
use faultline_terminal::text::style::Tone;

/// Lists the questions that annotated writings answer with yes and with no, each with the words of every persona; with a
/// provider, questions that its model suggests.
///
/// # Errors
/// [`CliError::Refused`] if a persona is unknown, a file is not a valid persona, or a positions file cannot be parsed; those
/// of [`suggest_by_model::run`].
pub async fn run(config: &Config, args: &TopicsSuggestArgs) -> Result<(), CliError> {
    let files = persona_files(config, &args.personas)?;
    let topics = annotated_topics(config, &files)?;
    if let Some(provider) = &args.provider {
        return suggest_by_model::run(config, args, provider, (&files, topics)).await;
    }
    if args.json {
        return json_line(&topics.iter().map(as_json).collect::<Vec<_>>());
    }
    let mut page = SuggestionPage::new(&files);
    if topics.is_empty() {
        let reason = "No question that the annotated writings of these personas answer has both a yes and a no. \
                      `faultline persona list` shows the topics of each persona; with --provider, a model suggests \
                      questions from their corpora.";
        page.note(Tone::Plain, reason);
    }
    topics.iter().for_each(|topic| show(&mut page, topic));
    print(&page.print())
}

/// Renders a question with the side and the words of each persona, and the command that debates it.
fn show(page: &mut SuggestionPage<'_>, topic: &SuggestedTopic) {
    page.question(&topic.question);
    if !topic.is_topic() {
        page.came_up_on(&topic.topic);
    }
    for (persona, position) in &topic.positions {
        page.position(persona, position.side, (&position.words.quote, &position.words.document));
    }
    let ids: Vec<&str> = topic.positions.keys().map(PersonaId::as_str).collect();
    page.command(&format!("faultline debate --personas {} \"{}\"", ids.join(","), topic.topic));
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

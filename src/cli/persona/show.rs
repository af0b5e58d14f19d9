//! `faultline persona show`: shows one persona.

use serde_json::json;

use crate::app::open_app::OpenApp;
use crate::cli::catch_up::catch_up;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::cli::persona::args::PersonaShowArgs;
use crate::cli::persona::similar::did_you_mean;
use crate::config::Config;
use faultline_core::events::edition::{Edition, fields};
use faultline_core::events::ids::{Misnamed, PersonaId};
use faultline_core::events::persona::Persona;
use faultline_ingest::personas::read_personas;
use faultline_store::views::editions::find_version;
use faultline_terminal::text::page::TextPage;
use faultline_terminal::text::span::{trusted, untrusted};
use faultline_terminal::text::style::Tone;

/// Width of the column of field names.
const FIELD: usize = 21;

/// Shows a persona from its file, or as of a recorded version.
///
/// # Errors
/// [`CliError::Refused`] if the persona or the version does not exist, or its file is invalid.
pub async fn run(config: &Config, args: PersonaShowArgs) -> Result<(), CliError> {
    let id: PersonaId = args.id.parse().map_err(|error: Misnamed| CliError::Usage(error.to_string()))?;
    let (persona, topics) = match &args.version {
        None => {
            let read = read_personas(&config.personas, Some(std::slice::from_ref(&id)));
            let read = read.map_err(|error| CliError::Refused(format!("{error}{}", did_you_mean(config, &args.id))))?;
            let file = read.into_iter().next();
            let file = file
                .ok_or_else(|| CliError::Refused(format!("there is no persona {id}; see `faultline persona list`")))?;
            (file.persona, file.topics)
        }
        Some(version) => (then(config, &id, version).await?, Vec::new()),
    };
    let edition = Edition::of(&persona);
    if args.json {
        return json_line(&json!({
            "id": persona.id,
            "name": persona.name,
            "about": persona.about,
            "version": persona.version,
            "personaVersion": edition.to_string(),
            "contractVersion": edition.contract,
            "voiceVersion": edition.voice,
            "topics": topics,
            "contract": persona.contract,
            "voice": persona.voice,
        }));
    }
    print(&page(&persona, &edition, &topics))
}

/// Loads a recorded version of a persona.
async fn then(config: &Config, id: &PersonaId, version: &str) -> Result<Persona, CliError> {
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let persona = async {
        catch_up(&mut app).await?;
        let editions = app.store().views.editions(id).await?;
        let absent = || {
            let version: String = version.chars().take(64).collect();
            CliError::Refused(format!("{id} has no version {version:?}; see `faultline persona history {id}`"))
        };
        find_version(&editions, version).map(|edition| edition.persona.clone()).ok_or_else(absent)
    };
    let persona = persona.await;
    app.close().await;
    persona
}

fn page(persona: &Persona, edition: &Edition, topics: &[String]) -> String {
    let mut page = TextPage::new(terminal::terminal_style());
    page.rule(&format!("{} ({})", persona.name, persona.id));
    page.text(&[untrusted(Tone::Plain, &persona.about)]);
    let versions = format!("version {}: contract {}, voice {}", edition.number, edition.contract, edition.voice);
    page.text(&[trusted(Tone::Quiet, versions)]);
    for topic in topics {
        page.hang(&[], &[trusted(Tone::Quiet, "topic")], FIELD, &[untrusted(Tone::Plain, topic)]);
    }
    let mut part = String::new();
    for (field, texts) in fields(persona).into_iter().filter(|(field, _)| field.contains('.')) {
        let (outer, name) = field.rsplit_once('.').unwrap_or(("", &field));
        if outer != part {
            page.blank();
            page.rule(&outer.replace('.', " "));
            outer.clone_into(&mut part);
        }
        let label = name.replace('_', " ");
        let is_line = matches!(name, "vocabulary" | "forbidden_phrases");
        let lines = if is_line { vec![texts.join("; ")] } else { texts };
        for (at, line) in lines.iter().enumerate() {
            let label = if at == 0 { vec![trusted(Tone::Quiet, label.clone())] } else { Vec::new() };
            page.hang(&[], &label, FIELD, &[untrusted(Tone::Plain, line)]);
        }
    }
    page.print()
}

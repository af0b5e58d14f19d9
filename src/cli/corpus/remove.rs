//! `faultline corpus remove`: removes a source from a persona's folder and from the library.

use clap::Args;

use crate::app::app::App;
use crate::cli::corpus::ingest::{gathered, tell};
use crate::cli::exit::CliError;
use crate::cli::screen;
use crate::config::Config;
use crate::events::ids::PersonaId;
use crate::ingest::personas::read_personas;
use crate::ingest::placing::take_out;

/// Arguments of `corpus remove`.
#[derive(Args)]
pub struct Remove {
    /// Persona that the source belongs to.
    #[arg(long, value_name = "ID")]
    pub persona: PersonaId,
    /// Name of the source, as listed by `corpus ingest`, or its file name.
    pub name: String,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// Removes a source.
///
/// # Errors
/// [`CliError::Refused`] if the persona has no source of this name.
pub async fn run(config: &Config, args: Remove) -> Result<(), CliError> {
    let (persona, name) = (&args.persona, &args.name);
    let refused = |it: &dyn std::fmt::Display| CliError::Refused(it.to_string());
    read_personas(&config.personas, Some(std::slice::from_ref(persona))).map_err(|it| refused(&it))?;
    // Opens the service before deleting anything: a deleted file cannot be restored.
    let app = App::equipped(config, &screen::tell()).await?;
    let removed = async {
        let folder = config.corpus.join(persona.as_str());
        if take_out(&folder, name).map_err(|it| refused(&it))?.is_none() {
            let part = name
                .split_once('/')
                .map(|(source, _)| format!("; it may be part of {source}, which can only be removed as a whole"));
            let part = part.unwrap_or_default();
            return Err(CliError::Refused(format!("{persona} has no source called {name}{part}")));
        }
        gathered(&app, Some(vec![persona.clone()]), None).await
    };
    let removed = removed.await;
    app.close().await;
    tell(&removed?, args.json)
}

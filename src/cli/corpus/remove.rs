//! `faultline corpus remove`: removes a source from the folder of a persona or a shared corpus, and from the library.

use clap::Args;

use crate::app::equipped_app::EquippedApp;
use crate::cli::corpus::ingest::{check_owners, ingest_with_progress, print_report};
use crate::cli::output::exit::CliError;
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::events::ids::PersonaId;
use faultline_ingest::source_files::remove_source;

/// Arguments of `corpus remove`.
#[derive(Args)]
pub struct RemoveArgs {
    /// Persona or shared corpus that the source belongs to.
    #[arg(long, visible_alias = "corpus", value_name = "ID")]
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
/// [`CliError::Refused`] if the persona or shared corpus has no source of this name.
pub async fn run(config: &Config, args: RemoveArgs) -> Result<(), CliError> {
    let (persona, name) = (&args.persona, &args.name);
    let refused = |error: &dyn std::fmt::Display| CliError::Refused(error.to_string());
    check_owners(config, Some(std::slice::from_ref(persona)))?;
    // Opens the service before deleting anything: a deleted file cannot be restored.
    let app = EquippedApp::open(config, &terminal::progress_reporter()).await?;
    let removed = async {
        let folder = config.corpus.join(persona.as_str());
        if remove_source(&folder, name).map_err(|error| refused(&error))?.is_none() {
            let part = name
                .split_once('/')
                .map(|(source, _)| format!("; it may be part of {source}, which can only be removed as a whole"));
            let part = part.unwrap_or_default();
            return Err(CliError::Refused(format!("{persona} has no source called {name}{part}")));
        }
        ingest_with_progress(&app, Some(vec![persona.clone()]), None).await
    };
    let removed = removed.await;
    app.close().await;
    print_report(&removed?, args.json)
}

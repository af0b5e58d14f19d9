//! `faultline provider check`: asks providers a question.

use std::sync::Arc;

use serde_json::Value;

use crate::app::equipped_app::EquippedApp;
use crate::cli::debates::debate::interruptible;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::cli::provider::args::ProviderCheckArgs;
use crate::cli::provider::connection::{Connection, probe};
use crate::config::Config;
use faultline_providers::ports::Model;

/// Checks providers and prints the results.
///
/// # Errors
/// [`CliError::Refused`] if a provider does not answer.
pub async fn run(config: &Config, args: ProviderCheckArgs) -> Result<(), CliError> {
    let app = EquippedApp::open(config, &terminal::progress_reporter()).await?;
    let done = interruptible(check(&app, &args)).await;
    app.close().await;
    done
}

async fn check(app: &EquippedApp, args: &ProviderCheckArgs) -> Result<(), CliError> {
    let mut found: Vec<Connection> = Vec::new();
    for model in selected(app, args)? {
        found.push(probe(model.as_ref()).await);
    }
    if args.json {
        json_line(&found.iter().map(Connection::json).collect::<Vec<Value>>())?;
    } else {
        found.iter().try_for_each(|connection| print(&connection.text()))?;
    }
    match found.iter().filter(|connection| !connection.answers()).count() {
        0 => Ok(()),
        failed => Err(CliError::Refused(format!("{failed} of {} providers do not answer", found.len()))),
    }
}

fn selected(app: &EquippedApp, args: &ProviderCheckArgs) -> Result<Vec<Arc<dyn Model>>, CliError> {
    let Some(name) = &args.provider else { return Ok(app.models().to_vec()) };
    let provider = app.service().catalog().provider(Some(name));
    let name = &provider.map_err(|refusal| CliError::Refused(refusal.to_string()))?.name;
    Ok(app.models().iter().filter(|model| model.name() == name).cloned().collect())
}

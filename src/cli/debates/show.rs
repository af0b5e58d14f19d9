//! `faultline show`: shows one debate.

use crate::app::open_app::OpenApp;
use crate::cli::args::debates::ShowArgs;
use crate::cli::catch_up::find;
use crate::cli::output::api_json::debate_json;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::json_line;
use crate::cli::output::pager::page;
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_terminal::citation_numbers::CitationNumbers;
use faultline_terminal::verdict::report::report;

/// Shows a debate.
///
/// # Errors
/// [`CliError::Refused`] if the debate or the version does not exist.
pub async fn run(config: &Config, args: ShowArgs) -> Result<(), CliError> {
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let shown = async {
        let debate = find(&mut app, &args.id).await?;
        if args.json {
            json_line(&debate_json(&app, debate, args.at).await?)?;
            return Ok::<_, CliError>(String::new());
        }
        let service = app.read_router(None).now().await.service.clone();
        let read_model = service.read_model(debate, args.at).await?;
        let passages = service.cited(CitationNumbers::of(&read_model).chunks()).await?;
        Ok(report(&read_model, &passages, terminal::terminal_style()))
    };
    let shown = shown.await;
    app.close().await;
    page(&shown?)
}

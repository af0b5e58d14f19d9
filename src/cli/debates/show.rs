//! `faultline show`: shows one debate.

use serde_json::json;

use crate::app::open_app::OpenApp;
use crate::cli::args::debates::ShowArgs;
use crate::cli::catch_up::find;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::json_line;
use crate::cli::output::pager::page;
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::export::json::{disagreement, grounding};
use faultline_core::verdicts::read_model::DebateReadModel;
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
        let service = app.read_router(None).now().await.service.clone();
        let read_model = service.read_model(debate, args.at).await?;
        if args.json {
            json_line(&read_model_json(&read_model))?;
            Ok::<_, CliError>(String::new())
        } else {
            let passages = service.cited(CitationNumbers::of(&read_model).chunks()).await?;
            Ok(report(&read_model, &passages, terminal::terminal_style()))
        }
    };
    let shown = shown.await;
    app.close().await;
    page(&shown?)
}

/// Returns a debate as JSON for programs: every view, and the verdict.
pub fn read_model_json(read_model: &DebateReadModel) -> serde_json::Value {
    let verdict = read_model.verdict();
    json!({
        "summary": read_model.summary,
        "transcript": read_model.transcript.turns,
        "arguments": read_model.arguments.arguments,
        "attacks": read_model.arguments.attacks,
        "disputes": read_model.disputes.disputes,
        "concessions": read_model.concessions.concessions,
        "flipConditions": read_model.flip_conditions.stated,
        "proposals": read_model.proposals.proposals,
        "refinement": read_model.proposals.refinement(),
        "disagreement": disagreement(read_model, &verdict),
        "grounding": grounding(read_model),
        "verdict": verdict,
    })
}

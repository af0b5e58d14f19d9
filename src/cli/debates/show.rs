//! `faultline show`: shows one debate.

use serde_json::json;

use crate::app::app::App;
use crate::cli::args::ShowArgs;
use crate::cli::catch_up::find;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::cli::render::verdict::report::report;
use crate::config::Config;
use faultline_core::export::json::grounding;
use faultline_core::verdicts::read_model::DebateReadModel;

/// Shows a debate.
///
/// # Errors
/// [`CliError::Refused`] if the debate or the version does not exist.
pub async fn run(config: &Config, args: ShowArgs) -> Result<(), CliError> {
    let mut app = App::open(config, &terminal::progress_reporter()).await?;
    let shown = async {
        let debate = find(&mut app, &args.id).await?;
        let board = app.reads().now().await.desk.read_model(debate, args.at).await?;
        if args.json { json_line(&board_json(&board)) } else { print(&report(&board, terminal::terminal_style())) }
    };
    let shown = shown.await;
    app.close().await;
    shown
}

/// Returns a debate as JSON for programs: every view, and the verdict.
pub fn board_json(board: &DebateReadModel) -> serde_json::Value {
    json!({
        "summary": board.summary,
        "transcript": board.transcript.turns,
        "arguments": board.arguments.arguments,
        "attacks": board.arguments.attacks,
        "disputes": board.disputes.disputes,
        "proposals": board.proposals.proposals,
        "grounding": grounding(board),
        "verdict": board.verdict(),
    })
}

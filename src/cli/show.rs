//! `faultline show`: shows one debate.

use serde_json::json;

use crate::app::app::App;
use crate::cli::args::Show;
use crate::cli::catch_up::find;
use crate::cli::exit::CliError;
use crate::cli::out::{json_line, print};
use crate::cli::screen;
use crate::cli::stage::report::report;
use crate::config::Config;
use crate::export::json::grounding;
use crate::verdicts::board::Board;

/// Shows a debate.
///
/// # Errors
/// [`CliError::Refused`] if the debate or the version does not exist.
pub async fn run(config: &Config, args: Show) -> Result<(), CliError> {
    let mut app = App::open(config, &screen::tell()).await?;
    let shown = async {
        let debate = find(&mut app, &args.id).await?;
        let board = app.reads().now().await.desk.board(debate, args.at).await?;
        if args.json { json_line(&board_json(&board)) } else { print(&report(&board, screen::look())) }
    };
    let shown = shown.await;
    app.close().await;
    shown
}

/// Returns a debate as JSON for programs: every view, and the verdict.
pub fn board_json(board: &Board) -> serde_json::Value {
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

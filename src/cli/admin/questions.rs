//! `faultline questions`: counts the questions of all debates and their vectors, and moves the vectors to another server.

use indicatif::ProgressBar;
use serde_json::json;

use crate::app::open_app::OpenApp;
use crate::cli::args::admin::{QuestionsArgs, QuestionsCommand};
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_service::audit;
use faultline_service::audit::Actor;
use faultline_store::questions::stats::QuestionStats;
use faultline_store::questions::vector_move::{MovedQuestions, QUESTIONS_GRACE};

/// Shows the amounts, or moves the vectors.
///
/// # Errors
/// [`CliError::Refused`] if the shard is unknown, or the vectors are being moved to another one; [`CliError::Fault`] if a database
/// fails.
pub async fn run(config: &Config, args: QuestionsArgs) -> Result<(), CliError> {
    let app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let done = match &args.command {
        Some(QuestionsCommand::Move(wanted)) => move_vectors(&app, &wanted.to, args.json).await,
        None => show(&app, args.json).await,
    };
    app.close().await;
    done
}

async fn show(app: &OpenApp, json: bool) -> Result<(), CliError> {
    let QuestionStats { shard, former, n_questions, n_vectors, n_pairs, n_due } =
        app.store().views.question_stats().await?;
    if json {
        return json_line(&json!({
            "questions": n_questions,
            "vectors": n_vectors,
            "pairs": n_pairs,
            "due": n_due,
            "shard": shard,
            "movedFrom": former,
        }));
    }
    let mut text = format!(
        "questions  {n_questions:>10}\nvectors    {n_vectors:>10}  on {shard}\npairs      {n_pairs:>10}\n\
         waiting    {n_due:>10}  to be embedded or compared\n"
    );
    if let Some(former) = former {
        text += &format!(
            "\nThe vectors are being moved from {former} to {shard}. If no process does so, run: faultline questions move \
             --to {shard}\n"
        );
    }
    print(&text)
}

async fn move_vectors(app: &OpenApp, to: &str, json: bool) -> Result<(), CliError> {
    let store = app.store();
    let by = store.library.embedder_in_use().await.map_err(|error| CliError::Fault(error.to_string()))?;
    let bar = if json { ProgressBar::hidden() } else { terminal::bar("moving") };
    let moved = store.views.move_questions(to, by.as_ref(), QUESTIONS_GRACE, |moved, all| {
        bar.set_length(all);
        bar.set_position(moved);
    });
    let moved = moved.await;
    bar.finish_and_clear();
    let moved = moved?;
    if moved.is_some() {
        audit::done(&Actor::command_line(), "move questions", &format_args!("to {to}"));
    }
    report(to, json, moved.as_ref())
}

/// Prints that the vectors were moved; `None` if they were there.
fn report(to: &str, json: bool, moved: Option<&MovedQuestions>) -> Result<(), CliError> {
    match moved {
        _ if json => json_line(&json!({
            "shard": to,
            "from": moved.map(|it| &it.from),
            "vectors": moved.map(|it| it.n_vectors),
        })),
        Some(MovedQuestions { from, n_vectors }) => {
            print(&format!("The vectors of questions are on {to} now, no longer on {from}: {n_vectors}.\n"))
        }
        None => print(&format!("The vectors of questions are on {to} already.\n")),
    }
}

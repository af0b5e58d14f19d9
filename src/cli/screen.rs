//! Terminal properties, and live display of a debate.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use chrono::Utc;
use indicatif::{ProgressBar, ProgressStyle};

use crate::app::app::App;
use crate::cli::exit::CliError;
use crate::cli::out::{json_line, print};
use crate::cli::stage::stage::Stage;
use crate::cli::stage::style::Look;
use crate::events::event::Recorded;
use crate::events::ids::DebateId;
use crate::events::wire::told;
use crate::store::follower::Follower;
use crate::verdicts::board::Board;

/// Audience of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// Text for people.
    People,
    /// JSON lines for programs.
    Json,
}

/// Returns the style that standard output supports.
pub fn look() -> Look {
    Look::of_stdout()
}

/// Returns a callback that reports setup steps: one line each on stderr if it is a terminal, else a log line.
pub fn tell() -> impl Fn(&str) + Send + Sync {
    let shown = stderr().is_terminal();
    move |words: &str| {
        if shown {
            eprintln!("  {words} ...");
        } else {
            tracing::info!("{words}");
        }
    }
}

/// Prints a debate's events after version `after` until its final event, and returns its read model then.
///
/// # Errors
/// [`CliError::Fault`] if the log is damaged or cannot be read; [`CliError::Unread`] if the output pipe was closed.
pub async fn follow(app: &App, debate: DebateId, after: i64, show: Show) -> Result<Board, CliError> {
    let store = app.store();
    let mut stage = Stage::new(look());
    // The renderer needs the earlier events as context, but does not print them again.
    let mut follower = Follower::of_debate(&store.log, &store.tail, debate, 0);
    let spinner = spinner(show);
    let mut beat = tokio::time::interval(Duration::from_millis(120));
    loop {
        let events = tokio::select! {
            events = follower.next() => events?,
            _ = beat.tick(), if !spinner.is_hidden() => {
                spinner.set_message(stage.waiting(Utc::now()).unwrap_or_default());
                spinner.tick();
                continue;
            }
        };
        for recorded in &events {
            let text = stage.show(recorded);
            if recorded.version > after {
                spinner.suspend(|| shown(recorded, &text, show))?;
            }
        }
        if events.last().is_some_and(|it| it.event.is_last()) {
            spinner.finish_and_clear();
            return Ok(stage.board().clone());
        }
    }
}

fn shown(recorded: &Recorded, text: &str, show: Show) -> Result<(), CliError> {
    match show {
        Show::Json => json_line(&told(recorded)),
        Show::People if text.is_empty() => Ok(()),
        Show::People => print(text),
    }
}

/// Returns a spinner that shows who is being waited for; hidden for programs and if stderr is no terminal.
pub fn spinner(show: Show) -> ProgressBar {
    if show == Show::Json || !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let spinner = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("  {spinner} {msg}") {
        spinner.set_style(style);
    }
    spinner
}

/// Returns a progress bar for longer work; hidden if stderr is no terminal.
pub fn bar(what: &'static str) -> ProgressBar {
    if !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0).with_message(what);
    if let Ok(style) = ProgressStyle::with_template("  {msg} {wide_bar} {pos}/{len}") {
        bar.set_style(style);
    }
    bar
}

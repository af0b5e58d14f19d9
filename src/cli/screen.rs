//! What the terminal is like, and a debate as it happens on it.

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

/// For whom a debate is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// For people.
    People,
    /// For programs: JSON lines.
    Json,
}

/// What the terminal is like.
pub fn look() -> Look {
    Look::of_stdout()
}

/// Tells what is being set up: a line each on stderr, where somebody looks.
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

/// Follows a debate from behind a version until its last event, and shows each; the debate as it is then.
///
/// # Errors
/// Damage in the log, and nobody reading.
pub async fn follow(app: &App, debate: DebateId, after: i64, show: Show) -> Result<Board, CliError> {
    let store = app.store();
    let mut stage = Stage::new(look());
    // The stage has to know what went before; nobody has to see it again.
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

/// A line that says who is being waited for; hidden where nobody looks, and from programs.
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

/// A bar for work that takes more than a moment; hidden where nobody looks.
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

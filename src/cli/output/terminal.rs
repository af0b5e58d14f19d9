//! Terminal properties, and live display of a debate.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use chrono::Utc;
use indicatif::{ProgressBar, ProgressStyle};

use crate::app::open_app::OpenApp;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::progress_lines::{progress_lines, time_left};
use crate::cli::output::reading_pace::ReadingPace;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_core::events::wire::to_event_json;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_service::service::DebateService;
use faultline_store::follow::follower::Follower;
use faultline_terminal::live::live::DebateRenderer;
use faultline_terminal::passage_list::cited_documents;
use faultline_terminal::text::style::TerminalStyle;

/// Audience of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputMode {
    /// Text for people.
    People,
    /// JSON lines for programs.
    Json,
}

/// Returns the style that standard output supports.
pub fn terminal_style() -> TerminalStyle {
    TerminalStyle::of_stdout()
}

/// Returns a callback that reports setup steps: one line each on stderr if it is a terminal, else a log line.
pub fn progress_reporter() -> impl Fn(&str) + Send + Sync {
    let print_event = stderr().is_terminal();
    move |words: &str| {
        if print_event {
            eprintln!("  {words} ...");
        } else {
            tracing::info!("{words}");
        }
    }
}

/// Prints a debate's events after version `after` until its end, or that of an audit or probes under way, then the passages
/// that it cites if a turn was among them, and returns its read model. With `pace`, pauses after each event until somebody
/// skips the pauses. If a terminal is watched, the words of turns that this process generates are shown below the events
/// while they are written.
///
/// # Errors
/// [`CliError::Fault`] if the log is damaged or cannot be read; [`CliError::OutputClosed`] if the output pipe was closed.
pub async fn follow(
    app: &OpenApp,
    debate: DebateId,
    after: i64,
    show: OutputMode,
    mut pace: Option<ReadingPace>,
) -> Result<DebateReadModel, CliError> {
    let store = app.store();
    let mut renderer = DebateRenderer::new(terminal_style());
    // An end that is known already may be followed by an audit or probes.
    let known = store.log.head(debate).await?;
    // The renderer needs the earlier events as context, but does not print them again.
    let mut follower = Follower::of_debate(&store.log, &store.tail, debate, 0);
    let spinner = spinner(show);
    let mut drafts = app.drafts().read(debate);
    let mut beat = tokio::time::interval(Duration::from_millis(120));
    let mut has_turns = false;
    loop {
        let events = tokio::select! {
            events = follower.next() => events?,
            _ = beat.tick(), if !spinner.is_hidden() => {
                let waiting = renderer.waiting(Utc::now()).unwrap_or_default();
                let lines = std::iter::once(waiting).chain(renderer.drafts());
                spinner.set_message(lines.collect::<Vec<_>>().join("\n    "));
                spinner.tick();
                continue;
            }
            update = drafts.next(), if !spinner.is_hidden() => {
                renderer.apply_draft(update);
                continue;
            }
        };
        for recorded in &events {
            let text = renderer.render(recorded);
            if recorded.version > after {
                has_turns |= matches!(recorded.event, Event::TurnTaken(_));
                spinner.suspend(|| print_event(recorded, &text, show))?;
                if let Some(reading) = &mut pace
                    && !reading.read(&text).await
                {
                    pace = None;
                }
            }
        }
        if events.last().is_some_and(|recorded| recorded.event.is_last() && recorded.version >= known) {
            spinner.finish_and_clear();
            if show == OutputMode::People && has_turns {
                print_cited(app.service(), &renderer).await?;
            }
            return Ok(renderer.read_model().clone());
        }
    }
}

/// Prints the documents that a rendered debate cites; nothing if it cites none. `show` prints the passages too.
///
/// # Errors
/// [`CliError::Fault`] if the library cannot be read; [`CliError::OutputClosed`] if the output pipe was closed.
pub async fn print_cited(service: &DebateService, renderer: &DebateRenderer) -> Result<(), CliError> {
    if renderer.cited().is_empty() {
        return Ok(());
    }
    let passages = service.cited(renderer.cited().chunks()).await?;
    print(&cited_documents(renderer.cited(), &passages, renderer.look()))
}

/// Prints an event: as a line of JSON, or as the text that was rendered of it, if any.
///
/// # Errors
/// [`CliError::OutputClosed`] if the output pipe was closed.
pub fn print_event(recorded: &Recorded, text: &str, show: OutputMode) -> Result<(), CliError> {
    match show {
        OutputMode::Json => json_line(&to_event_json(recorded)),
        OutputMode::People if text.is_empty() => Ok(()),
        OutputMode::People => print(text),
    }
}

/// Returns a spinner that shows who is being waited for; hidden for programs and if stderr is no terminal.
pub fn spinner(show: OutputMode) -> ProgressBar {
    if show == OutputMode::Json || !redraws() {
        return ProgressBar::hidden();
    }
    let spinner = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("  {spinner} {msg}") {
        spinner.set_style(style);
    }
    spinner
}

/// Returns a progress bar for longer work, with the time that is left; on a stderr that cannot be redrawn, a line now and
/// then.
pub fn bar(what: &'static str) -> ProgressBar {
    if !redraws() {
        return progress_lines(what);
    }
    let bar = ProgressBar::new(0).with_message(what);
    if let Ok(style) = ProgressStyle::with_template("  {msg} {wide_bar} {pos}/{len}{left}") {
        bar.set_style(style.with_key("left", time_left));
    }
    bar
}

/// Returns true if lines on stderr can be redrawn: it is a terminal that can move the cursor.
fn redraws() -> bool {
    stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb")
}

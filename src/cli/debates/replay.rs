//! `faultline replay`: replays a past debate on the terminal with its original timing.

use std::time::Duration;

use chrono::{DateTime, Utc};
use indicatif::ProgressBar;
use tokio::time::Instant;

use crate::app::open_app::OpenApp;
use crate::cli::args::debates::ReplayArgs;
use crate::cli::args::speed::Speed;
use crate::cli::catch_up::find;
use crate::cli::debates::debate::print_verdict;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::print;
use crate::cli::output::terminal;
use crate::cli::output::terminal::OutputMode;
use crate::config::Config;
use faultline_terminal::live::live::DebateRenderer;

/// Number of events per page.
const PAGE: i64 = 500;
/// Redraw interval of the spinner.
const BEAT: Duration = Duration::from_millis(120);

/// Replays a debate and shows its verdict.
///
/// # Errors
/// [`CliError::Refused`] if the debate does not exist.
pub async fn run(config: &Config, args: ReplayArgs) -> Result<(), CliError> {
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let replayed = tokio::select! {
        replayed = replay(&mut app, &args) => replayed,
        _ = tokio::signal::ctrl_c() => Err(CliError::Interrupted(String::new())),
    };
    app.close().await;
    replayed
}

async fn replay(app: &mut OpenApp, args: &ReplayArgs) -> Result<(), CliError> {
    let debate = find(app, &args.id).await?;
    let show = if args.json { OutputMode::Json } else { OutputMode::People };
    let (mut renderer, spinner) = (DebateRenderer::new(terminal::terminal_style()), terminal::spinner(show));
    let (mut after, mut last): (i64, Option<DateTime<Utc>>) = (0, None);
    let reads = app.read_router(None);
    let readers = reads.now().await;
    loop {
        let events = readers.service.events(debate, after, PAGE).await?;
        for recorded in &events {
            if let Some(last) = last {
                pause(&renderer, &spinner, args.speed, last, recorded.at).await;
            }
            let text = renderer.render(recorded);
            spinner.suspend(|| terminal::print_event(recorded, &text, show))?;
            (after, last) = (recorded.version, Some(recorded.at));
        }
        if (events.len() as i64) < PAGE {
            break;
        }
    }
    spinner.finish_and_clear();
    if after == 0 {
        return Err(CliError::Refused(format!("there is no debate {debate}")));
    }
    if show == OutputMode::People {
        terminal::print_cited(&readers.service, &renderer).await?;
    }
    match renderer.read_model().summary.status.is_final() {
        true => print_verdict(app, renderer.read_model(), debate, show).await,
        false if args.json => Ok(()),
        false => print(&format!("\n  still running: follow it with `faultline watch {debate} --after {after}`\n")),
    }
}

/// Waits for a scaled pause while showing whom the debate was waiting for.
async fn pause(renderer: &DebateRenderer, spinner: &ProgressBar, speed: Speed, from: DateTime<Utc>, to: DateTime<Utc>) {
    let wait = speed.wait(to - from);
    let begun = Instant::now();
    while begun.elapsed() < wait {
        let then = from.checked_add_signed(speed.passed(begun.elapsed())).map_or(to, |time| time.min(to));
        spinner.set_message(renderer.waiting(then).unwrap_or_default());
        spinner.tick();
        tokio::time::sleep(BEAT.min(wait.saturating_sub(begun.elapsed()))).await;
    }
}

//! `faultline replay`: replays a past debate on the terminal with its original timing.

use std::str::FromStr;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use indicatif::ProgressBar;
use tokio::time::Instant;

use crate::app::app::App;
use crate::cli::args::Replay;
use crate::cli::catch_up::find;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::print;
use crate::cli::output::terminal;
use crate::cli::output::terminal::OutputMode;
use crate::cli::render::live::live::DebateRenderer;
use crate::cli::render::verdict::card::card;
use crate::config::Config;

/// Number of events per page.
const PAGE: i64 = 500;
/// Longest pause, after division by the speed.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Highest numeric speed; `max` disables pauses.
const FASTEST: f64 = 1_000_000.0;
/// Redraw interval of the spinner.
const BEAT: Duration = Duration::from_millis(120);

/// Replay speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// No pauses.
    AtOnce,
    /// Multiple of the original speed.
    Times(f64),
}

impl FromStr for Speed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim_end_matches('x').parse::<f64>() {
            _ if text == "max" => Ok(Speed::AtOnce),
            Ok(0.0) => Ok(Speed::AtOnce),
            Ok(times) if times > 0.0 && times <= FASTEST => Ok(Speed::Times(times)),
            _ => Err("expected a number above 0, such as 1, 2.5 or 10; use 0 or max for no pauses".to_owned()),
        }
    }
}

impl Speed {
    /// Returns the time to wait for a pause in the debate.
    fn wait(self, pause: TimeDelta) -> Duration {
        match self {
            Speed::AtOnce => Duration::ZERO,
            Speed::Times(times) => {
                let seconds = pause.to_std().unwrap_or_default().as_secs_f64() / times;
                Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST_PAUSE).min(LONGEST_PAUSE)
            }
        }
    }

    /// Returns the time that passed in the debate during a wait.
    fn passed(self, waited: Duration) -> TimeDelta {
        match self {
            Speed::AtOnce => TimeDelta::zero(),
            Speed::Times(times) => {
                let millis =
                    (waited.as_secs_f64() * times * 1_000.0).min(TimeDelta::weeks(52).as_seconds_f64() * 1_000.0);
                TimeDelta::milliseconds(millis as i64)
            }
        }
    }
}

/// Replays a debate and shows its verdict.
///
/// # Errors
/// [`CliError::Refused`] if the debate does not exist.
pub async fn run(config: &Config, args: Replay) -> Result<(), CliError> {
    let mut app = App::open(config, &terminal::progress_reporter()).await?;
    let replayed = tokio::select! {
        replayed = replay(&mut app, &args) => replayed,
        // Interrupting a replay is not an error.
        _ = tokio::signal::ctrl_c() => Ok(()),
    };
    app.close().await;
    replayed
}

async fn replay(app: &mut App, args: &Replay) -> Result<(), CliError> {
    let debate = find(app, &args.id).await?;
    let look = terminal::terminal_style();
    let (mut stage, spinner) = (DebateRenderer::new(look), terminal::spinner(OutputMode::People));
    let (mut after, mut last): (i64, Option<DateTime<Utc>>) = (0, None);
    let reads = app.reads();
    let readers = reads.now().await;
    loop {
        let events = readers.desk.events(debate, after, PAGE).await?;
        for recorded in &events {
            if let Some(last) = last {
                pause(&stage, &spinner, args.speed, last, recorded.at).await;
            }
            let text = stage.render(recorded);
            if !text.is_empty() {
                spinner.suspend(|| print(&text))?;
            }
            (after, last) = (recorded.version, Some(recorded.at));
        }
        if (events.len() as i64) < PAGE {
            break;
        }
    }
    spinner.finish_and_clear();
    match stage.board().summary.status.is_final() {
        _ if after == 0 => Err(CliError::Refused(format!("there is no debate {debate}"))),
        true => print(&card(stage.board(), look)),
        false => print(&format!("\n  still running: follow it with `faultline watch {debate} --after {after}`\n")),
    }
}

/// Waits for a scaled pause while showing whom the debate was waiting for.
async fn pause(stage: &DebateRenderer, spinner: &ProgressBar, speed: Speed, from: DateTime<Utc>, to: DateTime<Utc>) {
    let wait = speed.wait(to - from);
    let begun = Instant::now();
    while begun.elapsed() < wait {
        let then = from.checked_add_signed(speed.passed(begun.elapsed())).map_or(to, |it| it.min(to));
        spinner.set_message(stage.waiting(then).unwrap_or_default());
        spinner.tick();
        tokio::time::sleep(BEAT.min(wait.saturating_sub(begun.elapsed()))).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_is_a_number_or_disables_pauses() {
        for (text, wanted) in [
            ("1", Some(Speed::Times(1.0))),
            ("2.5", Some(Speed::Times(2.5))),
            ("4x", Some(Speed::Times(4.0))),
            ("0", Some(Speed::AtOnce)),
            ("max", Some(Speed::AtOnce)),
            ("-1", None),
            ("nan", None),
            ("inf", None),
            ("fast", None),
            ("", None),
        ] {
            assert_eq!(text.parse::<Speed>().ok(), wanted, "{text}");
        }
    }

    #[test]
    fn pauses_are_scaled_and_capped() {
        let wait = |speed: Speed, seconds: i64| speed.wait(TimeDelta::seconds(seconds)).as_millis();
        assert_eq!(wait(Speed::Times(1.0), 2), 2_000);
        assert_eq!(wait(Speed::Times(4.0), 2), 500);
        assert_eq!(wait(Speed::Times(1.0), 3_600), 5_000);
        assert_eq!(wait(Speed::Times(0.001), 3_600_000), 5_000);
        assert_eq!(wait(Speed::Times(1.0), -5), 0);
        assert_eq!(wait(Speed::AtOnce, 3_600), 0);
        assert_eq!(Speed::Times(2.0).passed(Duration::from_millis(1_500)), TimeDelta::seconds(3));
    }
}

//! Brings lists up to date with the log if no service does so.

use std::time::Duration;

use crate::app::open_app::OpenApp;
use crate::cli::output::exit::CliError;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::read_model::REVISION;

/// Interval and maximum number of checks whether the lists have caught up: ten seconds in all.
const PAUSE: Duration = Duration::from_millis(100);
const LOOKS: usize = 100;

/// Brings the stored lists up to date before they are read, because nothing updates them while no service runs.
///
/// # Errors
/// [`CliError::Fault`] if the database fails. Lists that are still behind cause a warning on stderr, not an error.
pub async fn catch_up(app: &mut OpenApp) -> Result<(), CliError> {
    if app.store().lag(REVISION).await? == 0 {
        return Ok(());
    }
    app.start_projector();
    for _ in 0..LOOKS {
        tokio::time::sleep(PAUSE).await;
        if app.store().lag(REVISION).await? == 0 {
            return Ok(());
        }
    }
    eprintln!("faultline: the list is still behind the log; run `faultline serve` to let it catch up");
    Ok(())
}

/// Finds a debate by its id or part of it. A partial id is looked up in the list, which is brought up to date first.
///
/// # Errors
/// [`CliError::Refused`] if no debate matches, or several do.
pub async fn find(app: &mut OpenApp, text: &str) -> Result<DebateId, CliError> {
    if text.trim().parse::<DebateId>().is_err() {
        catch_up(app).await?;
    }
    Ok(app.find(text).await?)
}

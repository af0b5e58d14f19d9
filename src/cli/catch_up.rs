//! Lists that follow the log, where no service keeps them up.

use std::time::Duration;

use crate::app::app::App;
use crate::cli::exit::CliError;
use crate::events::ids::DebateId;
use crate::verdicts::board::REVISION;

/// How often is looked whether the lists have caught up, and how many times at most: ten seconds in all.
const PAUSE: Duration = Duration::from_millis(100);
const LOOKS: usize = 100;

/// Nobody keeps the lists up while no service runs: then it is done here, before they are read.
///
/// # Errors
/// Where something of ours fails. A list that is still behind is told on stderr, and no error.
pub async fn catch_up(app: &mut App) -> Result<(), CliError> {
    if app.store().lag(REVISION).await? == 0 {
        return Ok(());
    }
    app.project();
    for _ in 0..LOOKS {
        tokio::time::sleep(PAUSE).await;
        if app.store().lag(REVISION).await? == 0 {
            return Ok(());
        }
    }
    eprintln!("faultline: the list is still behind the log; run `faultline serve` to let it catch up");
    Ok(())
}

/// A debate by its id, or by part of it: that is looked for in the list, which is brought up to the log before.
///
/// # Errors
/// Refused where no debate has it so, or several have.
pub async fn find(app: &mut App, text: &str) -> Result<DebateId, CliError> {
    if text.trim().parse::<DebateId>().is_err() {
        catch_up(app).await?;
    }
    Ok(app.find(text).await?)
}

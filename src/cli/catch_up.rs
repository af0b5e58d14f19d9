//! Lists that follow the log, where no service keeps them up.

use std::time::Duration;

use crate::app::app::App;
use crate::cli::exit::CliError;
use crate::config::Config;
use crate::verdicts::board::REVISION;

/// How often is looked whether the lists have caught up, and how many times at most: ten seconds in all.
const PAUSE: Duration = Duration::from_millis(100);
const LOOKS: usize = 100;

/// Nobody keeps the lists up while no service runs: then it is done here, before they are read.
///
/// # Errors
/// Where something of ours fails. A list that is still behind is told on stderr, and no error.
pub async fn catch_up(app: &mut App, config: &Config) -> Result<(), CliError> {
    if app.store().lag(REVISION).await? == 0 {
        return Ok(());
    }
    app.work(config);
    for _ in 0..LOOKS {
        tokio::time::sleep(PAUSE).await;
        if app.store().lag(REVISION).await? == 0 {
            return Ok(());
        }
    }
    eprintln!("faultline: the list is still behind the log; run `faultline serve` to let it catch up");
    Ok(())
}

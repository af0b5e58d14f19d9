//! Loads access rules: the files of tokens and of allowed operations, if configured.

use std::convert::Infallible;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::time::sleep;

use crate::api::admission::persisted::AllowList;
use crate::api::admission::tokens::AccessControl;
use crate::app::error::AppError;
use crate::config::Config;
use faultline_service::audit::TARGET;

/// Maximum size of these files in bytes.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Interval between two checks of the file of tokens.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Returns the callers to admit: the holders of tokens if `FAULTLINE_TOKENS` names a file of them, otherwise everybody.
///
/// # Errors
/// [`AppError::Configuration`] if the file cannot be read or parsed, so that a broken file admits nobody.
pub fn access(config: &Config) -> Result<AccessControl, AppError> {
    let Some(path) = &config.tokens else { return Ok(AccessControl::default()) };
    let read = text(path)
        .and_then(|text| AccessControl::within(&text, config.limits.rate_failures).map_err(|error| error.to_string()));
    read.map_err(|why| AppError::Configuration(format!("FAULTLINE_TOKENS: {}: {why}", path.display())))
}

/// Reloads the file of tokens, if there is one, whenever it changes and at a SIGHUP, for as long as the future is
/// polled. A file that cannot be read is logged and changes nothing.
pub async fn follow_tokens(path: Option<PathBuf>, access: AccessControl) -> Infallible {
    let Some(path) = path else { return std::future::pending().await };
    let mut hangups = signal(SignalKind::hangup()).ok();
    let mut known = state(&path);
    let mut seen = known;
    loop {
        let hangup = async {
            match &mut hangups {
                Some(hangups) => drop(hangups.recv().await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = hangup => {}
            () = sleep(CHECK_INTERVAL) => {
                // A file that is still changing is left alone: half a file would lock out the holders in the other
                // half.
                let before = std::mem::replace(&mut seen, state(&path));
                if seen == known || seen != before {
                    continue;
                }
                known = seen;
            }
        }
        match text(&path).and_then(|text| access.reload(&text).map_err(|error| error.to_string())) {
            Ok(()) => tracing::info!(target: TARGET, path = %path.display(), "reloaded the file of tokens"),
            Err(why) => {
                tracing::error!(path = %path.display(), %why, "cannot reload the file of tokens; keeping the old ones");
            }
        }
    }
}

/// Returns the identity of a file's content, which changes when the file does.
fn state(path: &Path) -> Option<(u64, i64, i64, u64)> {
    let found = std::fs::metadata(path).ok()?;
    Some((found.ino(), found.mtime(), found.mtime_nsec(), found.len()))
}

/// Returns the only operations that readers and writers may execute, if `FAULTLINE_OPERATIONS` names a file of them.
///
/// # Errors
/// [`AppError::Configuration`] if the file cannot be read or parsed.
pub fn allowed(config: &Config) -> Result<Option<AllowList>, AppError> {
    let Some(path) = &config.operations else { return Ok(None) };
    let read = text(path).and_then(|text| AllowList::read(&text, &config.limits));
    read.map(Some).map_err(|why| AppError::Configuration(format!("FAULTLINE_OPERATIONS: {}: {why}", path.display())))
}

fn text(path: &Path) -> Result<String, String> {
    let size = std::fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > MAX_FILE_BYTES {
        return Err(format!("it has {size} bytes; the maximum is {MAX_FILE_BYTES}"));
    }
    std::fs::read_to_string(path).map_err(|error| error.to_string())
}

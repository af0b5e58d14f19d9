//! Who is let in, and to what: the files of tokens and of operations, where there are any.

use std::convert::Infallible;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::time::sleep;

use crate::api::persisted::Allowed;
use crate::api::tokens::Access;
use crate::app::error::AppError;
use crate::config::Config;
use crate::desk::audit::TARGET;

/// The largest of these files that is read, in bytes.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Interval between two looks at the file of tokens.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Whom the service lets in: holders of tokens, where `FAULTLINE_TOKENS` names a file of them; else everybody.
///
/// # Errors
/// [`AppError::Configuration`] where the file cannot be read as one: then nobody is let in by mistake.
pub fn access(config: &Config) -> Result<Access, AppError> {
    let Some(path) = &config.tokens else { return Ok(Access::default()) };
    let read = text(path).and_then(|it| Access::within(&it, config.limits.rate_failures).map_err(|it| it.to_string()));
    read.map_err(|why| AppError::Configuration(format!("FAULTLINE_TOKENS: {}: {why}", path.display())))
}

/// Reads the file of tokens, where there is one, again whenever it has changed, and at a SIGHUP, for as long as it is polled. A
/// file that cannot be read changes nothing, and is told of.
pub async fn follow_tokens(path: Option<PathBuf>, access: Access) -> Infallible {
    let Some(path) = path else { return std::future::pending().await };
    let mut hangup = signal(SignalKind::hangup()).ok();
    let mut known = state(&path);
    let mut seen = known;
    loop {
        let asked = async {
            match &mut hangup {
                Some(hangup) => drop(hangup.recv().await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = asked => {}
            () = sleep(LOOK_EVERY) => {
                // One that is being written is left until it stays as it is: half a file would lock out the other half.
                let before = std::mem::replace(&mut seen, state(&path));
                if seen == known || seen != before {
                    continue;
                }
                known = seen;
            }
        }
        match text(&path).and_then(|it| access.reload(&it).map_err(|it| it.to_string())) {
            Ok(()) => tracing::info!(target: TARGET, path = %path.display(), "the file of tokens was read again"),
            Err(why) => {
                tracing::error!(path = %path.display(), %why, "the file of tokens cannot be read; those of before stay");
            }
        }
    }
}

/// Identity of a file's content: a changed file has another.
fn state(path: &Path) -> Option<(u64, i64, i64, u64)> {
    let found = std::fs::metadata(path).ok()?;
    Some((found.ino(), found.mtime(), found.mtime_nsec(), found.len()))
}

/// The only operations that readers and writers may ask for, where `FAULTLINE_OPERATIONS` names a file of them.
///
/// # Errors
/// [`AppError::Configuration`] where the file cannot be read as one.
pub fn allowed(config: &Config) -> Result<Option<Allowed>, AppError> {
    let Some(path) = &config.operations else { return Ok(None) };
    let read = text(path).and_then(|it| Allowed::read(&it, &config.limits));
    read.map(Some).map_err(|why| AppError::Configuration(format!("FAULTLINE_OPERATIONS: {}: {why}", path.display())))
}

fn text(path: &Path) -> Result<String, String> {
    let size = std::fs::metadata(path).map_err(|it| it.to_string())?.len();
    if size > MAX_FILE_BYTES {
        return Err(format!("it has {size} bytes; at most {MAX_FILE_BYTES}"));
    }
    std::fs::read_to_string(path).map_err(|it| it.to_string())
}

//! `faultline keys`: shows the state of encryption keys, and rewraps them with another master key while services run.

use serde_json::json;

use crate::app::open_app::OpenApp;
use crate::cli::args::admin::KeysArgs;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_service::audit;
use faultline_service::audit::Actor;
use faultline_store::erasure::key_rotation::RotationStatus;

/// Maximum number of passes over all keys; new debates may start meanwhile.
const MAX_PASSES: usize = 3;
/// Maximum number of debates listed whose keys cannot be unwrapped.
const MAX_NAMED: usize = 10;

/// Result of a rewrap.
#[derive(Default)]
struct RewrapResult {
    wrapped: u64,
    unopened: Vec<String>,
}

/// Shows the state of the keys, after rewrapping them if requested.
///
/// # Errors
/// [`CliError::Refused`] if no master key is configured, or some keys are not wrapped with it in the end.
pub async fn run(config: &Config, args: KeysArgs) -> Result<(), CliError> {
    if args.rewrap && config.master_key.is_none() {
        return Err(CliError::Refused(
            "no master key is configured: set FAULTLINE_MASTER_KEY to the file of the new master key, and \
             FAULTLINE_MASTER_KEY_ALSO to that of the previous one"
                .to_owned(),
        ));
    }
    let app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let done = keys(&app, &args).await;
    app.close().await;
    done
}

async fn keys(app: &OpenApp, args: &KeysArgs) -> Result<(), CliError> {
    let log = &app.store().log;
    let done = if args.rewrap { rewrap(app, args.json).await? } else { RewrapResult::default() };
    let now = log.rotation_status().await?;
    print_status(&done, now, args)?;
    if !args.rewrap {
        return Ok(());
    }
    audit::done(&Actor::command_line(), "rewrap keys", &format_args!("{} keys", done.wrapped));
    if done.wrapped > 0 {
        // The rewrap is already complete; a table file that still contains old keys only causes a warning.
        if let Err(fault) = log.scrub_keys().await {
            tracing::warn!(%fault, "the keys table's file contains the old keys until the server's autovacuum runs");
        }
    }
    if !done.unopened.is_empty() {
        let named = done.unopened.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join("; ");
        let n_keys = done.unopened.len();
        return Err(CliError::Refused(format!("{n_keys} keys could not be unwrapped and are unchanged: {named}")));
    }
    match now.other_master + now.plain {
        0 => Ok(()),
        n => Err(CliError::Refused(format!(
            "{n} keys are not wrapped with this master key: a running service still uses another one. Configure it \
             with this master key, then run this command again"
        ))),
    }
}

/// Rewraps all keys in up to `MAX_PASSES` passes, until no other key is left.
async fn rewrap(app: &OpenApp, quiet: bool) -> Result<RewrapResult, CliError> {
    let log = &app.store().log;
    let bar = if quiet { indicatif::ProgressBar::hidden() } else { terminal::bar("wrapping") };
    let mut done = RewrapResult::default();
    for _ in 0..MAX_PASSES {
        let before = log.rotation_status().await?;
        bar.set_length((before.other_master + before.plain).unsigned_abs() + done.wrapped);
        let mut after = None;
        done.unopened.clear();
        loop {
            let batch = log.rewrap(after).await?;
            done.wrapped += batch.wrapped;
            done.unopened.extend(batch.failed.iter().map(|(debate, why)| format!("debate {debate}: {why}")));
            bar.set_position(done.wrapped);
            after = batch.last;
            if after.is_none() {
                break;
            }
        }
        let now = log.rotation_status().await?;
        if now.other_master + now.plain == i64::try_from(done.unopened.len()).unwrap_or(i64::MAX) {
            break;
        }
    }
    bar.finish_and_clear();
    Ok(done)
}

fn print_status(done: &RewrapResult, now: RotationStatus, args: &KeysArgs) -> Result<(), CliError> {
    let RotationStatus { wrapped, other_master, plain, destroyed } = now;
    if args.json {
        return json_line(&json!({
            "rewrapped": args.rewrap.then_some(done.wrapped),
            "wrapped": wrapped,
            "otherwise": other_master,
            "bare": plain,
            "destroyed": destroyed,
        }));
    }
    if args.rewrap {
        print(&format!("{} keys were rewrapped\n", done.wrapped))?;
    }
    print(&format!(
        "{wrapped} keys are wrapped with this master key, {other_master} with another, {plain} with none; {destroyed} were \
         destroyed\n"
    ))
}

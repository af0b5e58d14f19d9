//! `faultline keys`: how the keys of debates are kept, and wrapping them under another master key while services run.

use clap::Args;
use serde_json::json;

use crate::app::app::App;
use crate::cli::exit::CliError;
use crate::cli::out::{json_line, print};
use crate::cli::screen;
use crate::config::Config;
use crate::desk::audit::{self, Actor};
use crate::store::rewrap::Wrapping;

/// How often all keys are gone through at most: debates begin meanwhile.
const PASSES: usize = 3;
/// Debates whose keys cannot be opened that are named at most.
const NAMED: usize = 10;

/// Arguments of `keys`.
#[derive(Args)]
pub struct Keys {
    /// Wrap all keys with the master key that `FAULTLINE_MASTER_KEY` names.
    #[arg(long)]
    pub rewrap: bool,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
}

/// What was done.
#[derive(Default)]
struct Done {
    wrapped: u64,
    unopened: Vec<String>,
}

/// Says how the keys of debates are kept, once they are wrapped anew where that is asked for.
///
/// # Errors
/// Refused where there is no master key to wrap with, and where some keys are not wrapped with it in the end.
pub async fn run(config: &Config, args: Keys) -> Result<(), CliError> {
    if args.rewrap && config.master_key.is_none() {
        return Err(CliError::Refused(
            "there is nothing to wrap keys with: name the file of the master key in FAULTLINE_MASTER_KEY, and that of the one \
             before in FAULTLINE_MASTER_KEY_ALSO"
                .to_owned(),
        ));
    }
    let app = App::open(config, &screen::tell()).await?;
    let done = keys(&app, &args).await;
    app.close().await;
    done
}

async fn keys(app: &App, args: &Keys) -> Result<(), CliError> {
    let log = &app.store().log;
    let done = if args.rewrap { rewrap(app, args.json).await? } else { Done::default() };
    let now = log.wrapping().await?;
    tell(&done, now, args)?;
    if !args.rewrap {
        return Ok(());
    }
    audit::done(&Actor::command_line(), "rewrap keys", &format_args!("{} keys", done.wrapped));
    if done.wrapped > 0 {
        // The keys are wrapped. That the table's file holds them as they were is worth a word, and no more.
        if let Err(fault) = log.scrub_keys().await {
            tracing::warn!(%fault, "the table of keys holds them as they were until the server's own vacuum");
        }
    }
    if !done.unopened.is_empty() {
        let named = done.unopened.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ");
        let n_keys = done.unopened.len();
        return Err(CliError::Refused(format!("{n_keys} keys could not be opened, and are as they were: {named}")));
    }
    match now.otherwise + now.bare {
        0 => Ok(()),
        n => Err(CliError::Refused(format!(
            "{n} keys are not wrapped with this master key: a service that wraps otherwise goes on making them. Give it this \
             one, and run this again"
        ))),
    }
}

/// Goes through all keys, until none is left that is kept otherwise.
async fn rewrap(app: &App, quiet: bool) -> Result<Done, CliError> {
    let log = &app.store().log;
    let bar = if quiet { indicatif::ProgressBar::hidden() } else { screen::bar("wrapping") };
    let mut done = Done::default();
    for _ in 0..PASSES {
        let before = log.wrapping().await?;
        bar.set_length((before.otherwise + before.bare).unsigned_abs() + done.wrapped);
        let mut after = None;
        done.unopened.clear();
        loop {
            let batch = log.rewrap(after).await?;
            done.wrapped += batch.wrapped;
            done.unopened.extend(batch.unopened.iter().map(|(debate, why)| format!("debate {debate}: {why}")));
            bar.set_position(done.wrapped);
            after = batch.last;
            if after.is_none() {
                break;
            }
        }
        let now = log.wrapping().await?;
        if now.otherwise + now.bare == i64::try_from(done.unopened.len()).unwrap_or(i64::MAX) {
            break;
        }
    }
    bar.finish_and_clear();
    Ok(done)
}

fn tell(done: &Done, now: Wrapping, args: &Keys) -> Result<(), CliError> {
    let Wrapping { wrapped, otherwise, bare, destroyed } = now;
    if args.json {
        return json_line(&json!({
            "rewrapped": args.rewrap.then_some(done.wrapped),
            "wrapped": wrapped,
            "otherwise": otherwise,
            "bare": bare,
            "destroyed": destroyed,
        }));
    }
    if args.rewrap {
        print(&format!("{} keys were wrapped anew\n", done.wrapped))?;
    }
    print(&format!(
        "{wrapped} keys are wrapped with this master key, {otherwise} with another one, {bare} with none; {destroyed} were \
         destroyed\n"
    ))
}

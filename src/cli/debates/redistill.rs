//! `faultline redistill`: distils the talk of a debate anew, and shows the verdict beside that of the debate.

use serde_json::Value;

use crate::app::equipped_app::EquippedApp;
use crate::cli::args::debates::RedistillArgs;
use crate::cli::catch_up::find;
use crate::cli::debates::debate::{
    KEPT, check_limit_names, check_outcome, parse_settings, print_setup_remark, print_verdict,
};
use crate::cli::output::exit::CliError;
use crate::cli::output::interrupts::interruptible;
use crate::cli::output::output::print;
use crate::cli::output::terminal;
use crate::cli::output::terminal::OutputMode;
use crate::config::Config;
use faultline_core::events::ids::DebateId;
use faultline_core::events::lifecycle::DebateLimits;
use faultline_service::derived::redistill::RedistillRequest;

/// Opens the new debate, has its clerk read the talk, and shows the verdict.
///
/// # Errors
/// [`CliError`] if the debate or the version does not exist, an option is refused, or the service fails.
pub async fn run(config: &Config, args: RedistillArgs) -> Result<(), CliError> {
    let (options, limits) = parse_settings(&args.set)?;
    check_limit_names(&limits)?;
    let mut app = EquippedApp::open(config, &terminal::progress_reporter()).await?;
    let done = interruptible(redistill(&mut app, config, &args, options, limits), KEPT).await;
    app.close().await;
    done
}

async fn redistill(
    app: &mut EquippedApp,
    config: &Config,
    args: &RedistillArgs,
    options: Value,
    limits: Value,
) -> Result<(), CliError> {
    let show = if args.json { OutputMode::Json } else { OutputMode::People };
    let of = find(app.opened_mut(), &args.id).await?;
    let request = RedistillRequest {
        at: args.at,
        clerk: Some(args.clerk.clone()),
        options,
        limits: set_limits(limits)?,
        seed: args.seed,
        provider: args.provider.clone(),
        id: None,
    };
    print_setup_remark(app);
    let anew = app.service().redistill(of, request).await?.summary;
    let Some(debate) = anew.debate else {
        return Err(CliError::Fault("the new debate was opened without an id".to_owned()));
    };
    app.start_workers(config);
    let read_model = terminal::follow(app.opened(), debate, anew.version, show, None).await?;
    print_verdict(app.opened(), &read_model, debate, show).await?;
    if show == OutputMode::People {
        print(&hint(of, debate))?;
    }
    check_outcome(&read_model)
}

/// Names the command that shows both readings of the talk.
fn hint(of: DebateId, anew: DebateId) -> String {
    format!("\n  Both readings of the talk: faultline compare {of} --with {anew}\n")
}

/// Returns the limits, with those that are set.
fn set_limits(set: Value) -> Result<DebateLimits, CliError> {
    match set {
        Value::Null => Ok(DebateLimits::default()),
        set => serde_json::from_value(set).map_err(|error| CliError::Usage(format!("--set limits: {error}"))),
    }
}

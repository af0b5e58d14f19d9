//! `faultline fork`: forks a debate, runs the fork and shows it.

use serde_json::Value;

use crate::app::equipped_app::EquippedApp;
use crate::cli::args::debates::ForkArgs;
use crate::cli::catch_up::find;
use crate::cli::debates::debate::{
    KEPT, check_limit_names, check_outcome, ingest_corpora, parse_models, parse_settings, print_setup_remark,
    print_verdict,
};
use crate::cli::output::exit::CliError;
use crate::cli::output::interrupts::interruptible;
use crate::cli::output::terminal;
use crate::cli::output::terminal::OutputMode;
use crate::config::Config;
use faultline_core::events::lifecycle::DebateLimits;
use faultline_service::catalog::SHARED_CORPUS;
use faultline_service::derived::fork::ForkRequest;

/// Forks a debate, runs the fork, and shows it from the fork point on.
///
/// # Errors
/// [`CliError`] if the debate or the version does not exist, a change is refused, or the service fails.
pub async fn run(config: &Config, args: ForkArgs) -> Result<(), CliError> {
    let (options, limits) = parse_settings(&args.set)?;
    check_limit_names(&limits)?;
    let mut app = EquippedApp::open(config, &terminal::progress_reporter()).await?;
    let done = interruptible(fork(&mut app, config, &args, options, limits), KEPT).await;
    app.close().await;
    done
}

async fn fork(
    app: &mut EquippedApp,
    config: &Config,
    args: &ForkArgs,
    options: Value,
    limits: Value,
) -> Result<(), CliError> {
    let show = if args.json { OutputMode::Json } else { OutputMode::People };
    let origin = find(app.opened_mut(), &args.id).await?;
    let before = app.service().read_model(origin, args.at).await?.summary;
    let request = ForkRequest {
        personas: args.personas.clone(),
        options,
        limits: changed(&before.limits, limits)?,
        seed: args.seed,
        provider: args.provider.clone(),
        models: if args.model.is_empty() { None } else { Some(parse_models(&args.model)?) },
        id: None,
    };
    print_setup_remark(app);
    let personas = args.personas.as_deref().unwrap_or_default();
    if !personas.is_empty() || request.options.get(SHARED_CORPUS).is_some() {
        ingest_corpora(app, personas, &request.options).await?;
    }
    let forked = app.service().fork(origin, args.at, request).await?.summary;
    let Some(debate) = forked.debate else {
        return Err(CliError::Fault("the fork was opened without an id".to_owned()));
    };
    app.start_workers(config);
    let shared = forked.origin.map_or(0, |origin| origin.at);
    let read_model = terminal::follow(app.opened(), debate, shared, show, None).await?;
    print_verdict(app.opened(), &read_model, debate, show).await?;
    check_outcome(&read_model)
}

/// Merges changed limits into the previous ones; `None` if nothing changes.
fn changed(before: &DebateLimits, set: Value) -> Result<Option<DebateLimits>, CliError> {
    let Value::Object(set) = set else { return Ok(None) };
    let mut limits = serde_json::to_value(before).map_err(|error| CliError::Fault(error.to_string()))?;
    if let Some(limits) = limits.as_object_mut() {
        limits.extend(set);
    }
    serde_json::from_value(limits).map(Some).map_err(|error| CliError::Usage(format!("--set limits: {error}")))
}

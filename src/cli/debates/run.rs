//! `faultline run`: drives a debate that has no runner, until it ends.

use crate::app::equipped_app::EquippedApp;
use crate::cli::args::debates::RunArgs;
use crate::cli::catch_up::find;
use crate::cli::debates::debate::{KEPT, check_outcome, ingest_corpora, print_setup_remark, print_verdict};
use crate::cli::output::exit::CliError;
use crate::cli::output::interrupts::interruptible;
use crate::cli::output::terminal;
use crate::cli::output::terminal::OutputMode;
use crate::config::Config;
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::ids::DebateId;
use faultline_core::kernel::engine::is_external;
use faultline_core::projections::summary::{Status, Summary};

/// Drives a debate from where it stands, and shows it with its verdict. Other open debates that have no runner are
/// driven meanwhile too, as by a service.
///
/// # Errors
/// [`CliError::Refused`] if the debate does not exist, does not run, or is not driven by runners; [`CliError`] if the
/// service fails.
pub async fn run(config: &Config, args: RunArgs) -> Result<(), CliError> {
    let mut app = EquippedApp::open(config, &terminal::progress_reporter()).await?;
    let driven = interruptible(drive(&mut app, config, &args), KEPT).await;
    app.close().await;
    driven
}

async fn drive(app: &mut EquippedApp, config: &Config, args: &RunArgs) -> Result<(), CliError> {
    let show = if args.json { OutputMode::Json } else { OutputMode::People };
    let debate = find(app.opened_mut(), &args.id).await?;
    let summary = app.service().read_model(debate, None).await?.summary;
    check_runnable(app, debate, &summary)?;
    print_setup_remark(app);
    let participants: Vec<String> = summary.participants.iter().map(|member| member.persona.to_string()).collect();
    let opening = app.store().log.opening_for_version(debate, summary.version).await?;
    ingest_corpora(app, &participants, &opening.map(|opening| opening.options).unwrap_or_default()).await?;
    app.start_workers(config);
    let read_model = terminal::follow(app.opened(), debate, summary.version, show, None).await?;
    print_verdict(app.opened(), &read_model, debate, show).await?;
    check_outcome(&read_model)
}

/// Refuses a debate that no runner could drive here.
fn check_runnable(app: &EquippedApp, debate: DebateId, summary: &Summary) -> Result<(), CliError> {
    let provider = &summary.provider;
    let is_provided = app.service().catalog().providers.iter().any(|known| known.name == *provider);
    let reason = match summary.status {
        Status::Paused => format!("debate {debate} is paused; continue it with `faultline resume {debate}` first"),
        Status::Running if is_external(ENGINES, &summary.engine) => {
            format!("debate {debate} is driven by an external program, which appends its events")
        }
        Status::Running if !is_provided => {
            format!(
                "debate {debate} uses the provider {provider}, which is not configured here; see `faultline doctor`"
            )
        }
        Status::Running => return Ok(()),
        _ => format!("debate {debate} has ended; show it with `faultline show {debate}`"),
    };
    Err(CliError::Refused(reason))
}

//! `faultline probe`: has a debate that has ended probed, and shows what the probes measure.

use crate::app::equipped_app::EquippedApp;
use crate::cli::analysis::measures::measures_json;
use crate::cli::args::statistics::ProbeArgs;
use crate::cli::catch_up::find;
use crate::cli::debates::audit::REQUESTED;
use crate::cli::output::exit::CliError;
use crate::cli::output::interrupts::interruptible;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::cli::output::terminal::OutputMode;
use crate::config::Config;
use faultline_core::measures::measure::Measured;
use faultline_core::measures::probe_measures::PROBE_MEASURES;
use faultline_core::measures::registry::measures;
use faultline_service::audit::Actor;
use faultline_terminal::tables::measures::measured;

/// Requests probes, carries them out, and shows the measures that rest on them, with the turns behind them.
///
/// # Errors
/// [`CliError::Refused`] if the debate does not exist, has not ended or is being audited, or the provider is unknown.
pub async fn run(config: &Config, args: ProbeArgs) -> Result<(), CliError> {
    let mut app = EquippedApp::open(config, &terminal::progress_reporter()).await?;
    let done = interruptible(probe(&mut app, config, &args), REQUESTED).await;
    app.close().await;
    done
}

async fn probe(app: &mut EquippedApp, config: &Config, args: &ProbeArgs) -> Result<(), CliError> {
    let show = if args.json { OutputMode::Json } else { OutputMode::People };
    let debate = find(app.opened_mut(), &args.id).await?;
    let service = app.service().acting_as(&Actor::command_line());
    let before = service.version(debate, None).await?;
    service.probe(debate, args.provider.as_deref()).await?;
    app.start_workers(config);
    let read_model = terminal::follow(app.opened(), debate, before, show, None).await?;
    let all = measures(&read_model, &read_model.verdict()).into_iter();
    let found: Vec<Measured> = all.filter(|it| PROBE_MEASURES.contains(&it.definition.key)).collect();
    match show {
        OutputMode::People => print(&measured(&read_model.summary, &found, true, terminal::terminal_style())),
        OutputMode::Json => json_line(&measures_json(&read_model.summary, &found)),
    }
}

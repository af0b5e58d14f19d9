//! `faultline audit`: has the words of a debate that has ended read once more, and shows the verdict.

use crate::app::equipped_app::EquippedApp;
use crate::cli::args::debates::AuditArgs;
use crate::cli::catch_up::find;
use crate::cli::debates::debate::print_verdict;
use crate::cli::output::exit::CliError;
use crate::cli::output::interrupts::interruptible;
use crate::cli::output::terminal;
use crate::cli::output::terminal::OutputMode;
use crate::config::Config;
use faultline_service::audit::Actor;

/// Hint for somebody who interrupts what follows a request about a debate that has ended.
pub const REQUESTED: &str = "interrupted; a request that was recorded is carried out when `faultline serve` runs";

/// Requests an audit, carries it out, and shows the verdict after it.
///
/// # Errors
/// [`CliError::Refused`] if the debate does not exist or has not ended, or the provider is unknown.
pub async fn run(config: &Config, args: AuditArgs) -> Result<(), CliError> {
    let mut app = EquippedApp::open(config, &terminal::progress_reporter()).await?;
    let done = interruptible(audit(&mut app, config, &args), REQUESTED).await;
    app.close().await;
    done
}

async fn audit(app: &mut EquippedApp, config: &Config, args: &AuditArgs) -> Result<(), CliError> {
    let show = if args.json { OutputMode::Json } else { OutputMode::People };
    let debate = find(app.opened_mut(), &args.id).await?;
    let service = app.service().acting_as(&Actor::command_line());
    let before = service.version(debate, None).await?;
    service.audit(debate, args.provider.as_deref()).await?;
    app.start_workers(config);
    let read_model = terminal::follow(app.opened(), debate, before, show, None).await?;
    print_verdict(app.opened(), &read_model, debate, show).await
}

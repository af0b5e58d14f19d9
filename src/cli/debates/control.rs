//! `faultline pause`, `resume` and `cancel`: control a debate.

use serde_json::json;

use crate::app::open_app::OpenApp;
use crate::cli::args::debates::ControlArgs;
use crate::cli::catch_up::find;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::ids::DebateId;
use faultline_core::kernel::command::Command;
use faultline_core::kernel::engine::is_external;
use faultline_core::projections::summary::{Status, Summary};
use faultline_service::audit::Actor;

/// Carries out a command on a debate and prints its new status and version.
///
/// # Errors
/// [`CliError::Refused`] if the debate does not exist or has ended.
pub async fn run(config: &Config, args: ControlArgs, command: Command) -> Result<(), CliError> {
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let done = async {
        let debate = find(&mut app, &args.id).await?;
        let read_model = app.service().acting_as(&Actor::command_line()).command(debate, command).await?;
        let (status, version) = (read_model.summary.status.name(), read_model.summary.version);
        match args.json {
            true => json_line(&json!({ "id": debate, "status": status.to_uppercase(), "version": version })),
            false => {
                print(&format!("{debate} is {status} at version {version}{}\n", hint(debate, &read_model.summary)))
            }
        }
    };
    let done = done.await;
    app.close().await;
    done
}

/// Command that drives a running debate: this one only changes its state.
fn hint(debate: DebateId, summary: &Summary) -> String {
    if summary.status != Status::Running || is_external(ENGINES, &summary.engine) {
        return String::new();
    }
    format!("; if no service drives it, `faultline run {debate}` does")
}

//! `faultline watch`: follows a debate.

use crate::app::open_app::OpenApp;
use crate::cli::args::debates::WatchArgs;
use crate::cli::catch_up::find;
use crate::cli::output::exit::CliError;
use crate::cli::output::terminal;
use crate::cli::output::terminal::OutputMode;
use crate::config::Config;
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::ids::DebateId;
use faultline_core::kernel::engine::is_external;
use faultline_core::projections::summary::{Status, Summary};

/// Follows a debate until it ends. A remark on stderr tells if nothing drives it.
///
/// # Errors
/// [`CliError::Refused`] if the debate does not exist, or `--after` is greater than its latest version.
pub async fn run(config: &Config, args: WatchArgs) -> Result<(), CliError> {
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let watched = async {
        let debate = find(&mut app, &args.id).await?;
        let summary = app.service().read_model(debate, None).await?.summary;
        let head = summary.version;
        if args.after > head {
            return Err(CliError::Refused(format!(
                "--after {} is greater than the latest version ({head}) of debate {debate}",
                args.after
            )));
        }
        if let Some(remark) = remark_on_driver(&app, debate, &summary).await? {
            eprintln!("faultline: {remark}");
        }
        let show = if args.json { OutputMode::Json } else { OutputMode::People };
        terminal::follow(&app, debate, args.after, show, None).await.map(drop)
    };
    let watched = watched.await;
    app.close().await;
    watched
}

/// Returns a remark if the debate does not go on by itself at the moment.
async fn remark_on_driver(app: &OpenApp, debate: DebateId, summary: &Summary) -> Result<Option<String>, CliError> {
    Ok(match summary.status {
        Status::Paused => Some(format!("the debate is paused: faultline resume {debate}")),
        Status::Running if is_external(ENGINES, &summary.engine) => {
            Some("an external orchestrator drives this debate; new events appear when it appends them".to_owned())
        }
        Status::Running if app.service().driven(&[debate]).await?.is_empty() => Some(format!(
            "no runner drives this debate: start `faultline serve`, or `faultline run {debate}`, with the provider {}",
            summary.provider
        )),
        _ => None,
    })
}

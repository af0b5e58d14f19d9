//! `faultline watch`: follows a debate.

use crate::app::open_app::OpenApp;
use crate::cli::args::debates::WatchArgs;
use crate::cli::catch_up::find;
use crate::cli::output::exit::CliError;
use crate::cli::output::terminal;
use crate::cli::output::terminal::OutputMode;
use crate::config::Config;

/// Follows a debate until it ends.
///
/// # Errors
/// [`CliError::Refused`] if the debate does not exist, or `--after` is greater than its latest version.
pub async fn run(config: &Config, args: WatchArgs) -> Result<(), CliError> {
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let watched = async {
        let debate = find(&mut app, &args.id).await?;
        let head = app.service().read_model(debate, None).await?.summary.version;
        if args.after > head {
            return Err(CliError::Refused(format!(
                "--after {} is greater than the latest version ({head}) of debate {debate}",
                args.after
            )));
        }
        let show = if args.json { OutputMode::Json } else { OutputMode::People };
        terminal::follow(&app, debate, args.after, show, None).await.map(drop)
    };
    let watched = watched.await;
    app.close().await;
    watched
}

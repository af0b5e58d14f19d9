//! `faultline pause`, `resume` and `cancel`.

use crate::app::app::App;
use crate::cli::catch_up::find;
use crate::cli::exit::CliError;
use crate::cli::out::print;
use crate::cli::screen;
use crate::config::Config;
use crate::desk::audit::Actor;
use crate::kernel::command::Command;

/// Carries a command out on a debate, and says where it is now.
///
/// # Errors
/// Where there is no such debate, or it is over.
pub async fn run(config: &Config, id: &str, command: Command) -> Result<(), CliError> {
    let mut app = App::open(config, &screen::tell()).await?;
    let done = async {
        let debate = find(&mut app, id).await?;
        let board = app.desk().acting_as(&Actor::command_line()).command(debate, command).await?;
        print(&format!("{debate} is {} at version {}\n", board.summary.status.name(), board.summary.version))
    };
    let done = done.await;
    app.close().await;
    done
}

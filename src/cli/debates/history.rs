//! `faultline history`: prints a debate's events.

use chrono::SecondsFormat;

use crate::app::open_app::OpenApp;
use crate::cli::args::debates::HistoryArgs;
use crate::cli::catch_up::find;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::pager;
use crate::cli::output::pager::page;
use crate::cli::output::records::{is_piped, record};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::events::event::Recorded;
use faultline_core::events::wire::to_event_json;
use faultline_terminal::tables::history::line;

/// Number of events per page.
const PAGE: i64 = 500;

/// Prints a debate's events.
///
/// # Errors
/// [`CliError::Refused`] if the debate does not exist.
pub async fn run(config: &Config, args: HistoryArgs) -> Result<(), CliError> {
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let done = print_events(&mut app, &args).await;
    app.close().await;
    page(&done?)
}

/// Prints the events, or returns their lines for the pager.
async fn print_events(app: &mut OpenApp, args: &HistoryArgs) -> Result<String, CliError> {
    let debate = find(app, &args.id).await?;
    let reads = app.read_router(None);
    let readers = reads.now().await;
    let style = terminal::terminal_style();
    let mut paged = String::new();
    let mut after = 0;
    loop {
        let events = readers.service.events(debate, after, PAGE).await?;
        for recorded in &events {
            after = recorded.version;
            match (args.json, is_piped()) {
                (true, _) => json_line(&to_event_json(recorded))?,
                (false, true) => print(&as_record(recorded))?,
                (false, false) if pager::is_wanted() => paged += &line(recorded, style),
                (false, false) => print(&line(recorded, style))?,
            }
        }
        if after == 0 {
            return Err(CliError::Refused(format!("there is no debate {debate}")));
        }
        if (events.len() as i64) < PAGE {
            return Ok(paged);
        }
    }
}

fn as_record(recorded: &Recorded) -> String {
    let at = recorded.at.to_rfc3339_opts(SecondsFormat::Millis, true);
    record([&recorded.version.to_string(), &at, recorded.event.kind(), &recorded.event.summary()])
}

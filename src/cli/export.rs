//! `faultline export`: a debate as a file of another kind.

use std::path::Path;

use std::io::IsTerminal;

use crate::app::app::App;
use crate::cli::args::Export;
use crate::cli::catch_up::find as find_debate;
use crate::cli::exit::CliError;
use crate::cli::out::{print_plain, shown};
use crate::cli::screen;
use crate::config::Config;
use crate::events::event::Recorded;
use crate::export::registry::{EXPORTERS, Exporter, find};
use crate::verdicts::board::Board;

/// Events read at once.
const PAGE: i64 = 500;

/// Writes a debate.
///
/// # Errors
/// Where there is no such debate, no format is named, or the file cannot be written.
pub async fn run(config: &Config, args: Export) -> Result<(), CliError> {
    let exporter = exporter(args.format.as_deref(), args.output.as_deref())?;
    let mut app = App::open(config, &screen::tell()).await?;
    let events = recorded(&mut app, &args).await;
    app.close().await;
    let events = events?;
    let text = (exporter.write)(&Board::of(&events), &events);
    match &args.output {
        // Files hold texts as they were said; a terminal is shown none that it would act upon.
        None if exporter.media_type.contains("json") && std::io::stdout().is_terminal() => print_plain(&shown(&text)),
        None => print_plain(&text),
        Some(path) => std::fs::write(path, text)
            .map_err(|it| CliError::Refused(format!("{} cannot be written: {it}", path.display()))),
    }
}

/// All events of the debate, up to the version that is asked for.
async fn recorded(app: &mut App, args: &Export) -> Result<Vec<Recorded>, CliError> {
    let debate = find_debate(app, &args.id).await?;
    let reads = app.reads();
    let readers = reads.now().await;
    let last = args.at.unwrap_or(i64::MAX);
    let mut events: Vec<Recorded> = Vec::new();
    loop {
        let after = events.last().map_or(0, |it| it.version);
        let page = readers.desk.events(debate, after, PAGE).await?;
        let is_last = (page.len() as i64) < PAGE || page.last().is_some_and(|it| it.version >= last);
        events.extend(page.into_iter().filter(|it| it.version <= last));
        if is_last {
            break;
        }
    }
    if events.is_empty() {
        return Err(CliError::Refused(format!("there is no debate {debate}")));
    }
    Ok(events)
}

/// The format that is named, or that the file's name ends in.
fn exporter(format: Option<&str>, output: Option<&Path>) -> Result<&'static Exporter, CliError> {
    let extension = output.and_then(Path::extension).and_then(|it| it.to_str());
    format.or(extension).and_then(find).ok_or_else(|| {
        let names: Vec<&str> = EXPORTERS.iter().map(|it| it.name).collect();
        CliError::Usage(format!("name the format with --format: {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_named_or_shown_by_the_file() {
        let check = |format: Option<&str>, output: Option<&str>, expected: Option<&str>| {
            let found = exporter(format, output.map(Path::new)).ok().map(|it| it.name);
            assert_eq!(found, expected, "{format:?} {output:?}");
        };
        check(Some("svg"), None, Some("svg"));
        check(Some("dot"), Some("map.svg"), Some("dot"));
        check(None, Some("map.svg"), Some("svg"));
        check(None, Some("map.txt"), None);
        check(None, Some("map"), None);
        check(None, None, None);
        for exporter in EXPORTERS {
            check(Some(exporter.name), None, Some(exporter.name));
        }
    }
}

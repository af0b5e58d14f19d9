//! `faultline export`: exports a debate to another file format.

use std::path::Path;

use std::io::IsTerminal;

use crate::app::open_app::OpenApp;
use crate::cli::args::debates::ExportArgs;
use crate::cli::catch_up::find as find_debate;
use crate::cli::debates::export_table;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{escape_for_terminal, print_plain};
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::events::event::Recorded;
use faultline_core::export::registry::{EXPORTERS, Exporter, find};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_service::scans::event_scan::EventScan;

/// Exports a debate, or a table, to a file or to standard output.
///
/// # Errors
/// [`CliError::Usage`] if the format is unknown; [`CliError::Refused`] if the debate does not exist, has no such
/// version, or the file cannot be written.
pub async fn run(config: &Config, args: ExportArgs) -> Result<(), CliError> {
    if args.tables.table.is_some() {
        return export_table::run(config, args).await;
    }
    if let Some(option) = args.tables.filter.first_given() {
        return Err(CliError::Usage(format!("{option} selects the debates of a table; choose one with --table")));
    }
    let exporter = exporter(args.format.as_deref(), args.output.as_deref())?;
    let mut app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let events = recorded(&mut app, &args).await;
    app.close().await;
    let events = events?;
    let text = (exporter.write)(&DebateReadModel::of(&events), &events);
    match &args.output {
        // Files contain the text unchanged; for a terminal, control characters are escaped.
        None if exporter.media_type.contains("json") && std::io::stdout().is_terminal() => {
            print_plain(&escape_for_terminal(&text))
        }
        None => print_plain(&text),
        Some(path) => std::fs::write(path, text)
            .map_err(|error| CliError::Refused(format!("{} could not be written: {error}", path.display()))),
    }
}

/// Reads the events of the debate, up to the requested version.
async fn recorded(app: &mut OpenApp, args: &ExportArgs) -> Result<Vec<Recorded>, CliError> {
    let debate = find_debate(app, args.id.as_deref().unwrap_or_default()).await?;
    let reads = app.read_router(None);
    let scan = EventScan::open(&reads.now().await.service, debate, args.at).await?;
    Ok(scan.collect().await?)
}

/// Chooses the exporter by name, or by the extension of the output file.
fn exporter(format: Option<&str>, output: Option<&Path>) -> Result<&'static Exporter, CliError> {
    let extension = output.and_then(Path::extension).and_then(|extension| extension.to_str());
    let name = format.or(extension);
    name.and_then(find).ok_or_else(|| {
        if let Some(name) = name.filter(|name| ["csv", "parquet"].contains(name)) {
            return CliError::Usage(format!(
                "{name} is a format of tables; choose one with --table, such as --table turns"
            ));
        }
        let names: Vec<&str> = EXPORTERS.iter().map(|exporter| exporter.name).collect();
        CliError::Usage(format!("choose a format with --format: {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_is_chosen_by_option_or_file_extension() {
        let check = |format: Option<&str>, output: Option<&str>, expected: Option<&str>| {
            let name = exporter(format, output.map(Path::new)).ok().map(|exporter| exporter.name);
            assert_eq!(name, expected, "{format:?} {output:?}");
        };
        check(Some("svg"), None, Some("svg"));
        check(Some("dot"), Some("map.svg"), Some("dot"));
        check(None, Some("map.svg"), Some("svg"));
        check(None, Some("map.txt"), Some("txt"));
        check(None, Some("map.png"), None);
        check(Some("csv"), None, None);
        check(None, Some("turns.parquet"), None);
        check(None, Some("map"), None);
        check(None, None, None);
        for exporter in EXPORTERS {
            check(Some(exporter.name), None, Some(exporter.name));
        }
    }
}

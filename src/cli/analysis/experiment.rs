//! `faultline experiment`: runs the debates of an experiment, and writes its report.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use crate::cli::analysis::experiment_run::{measured, run_missing};
use crate::cli::args::statistics::{ExperimentArgs, ExperimentCommand, ExperimentFileArgs};
use crate::cli::output::csv_text::csv_text;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print_plain};
use crate::config::Config;
use faultline_core::experiments::experiment::Experiment;
use faultline_core::experiments::html_report::html_report;
use faultline_core::experiments::markdown_report::markdown_report;
use faultline_core::experiments::parse::{EXAMPLE, parse_experiment};
use faultline_core::experiments::results::CellResult;

/// Runs an experiment, reports on it, or prints an example.
///
/// # Errors
/// [`CliError::Refused`] if the file cannot be read or the folder cannot be written, if the file has faults, all of which
/// are listed, or a debate is refused; [`CliError::Fault`] if the service fails.
pub async fn run(config: &Config, args: ExperimentArgs) -> Result<(), CliError> {
    match args.command {
        ExperimentCommand::Example => print_plain(EXAMPLE),
        ExperimentCommand::Run(args) => {
            let experiment = read(&args.file)?;
            let results = run_missing(config, &experiment).await?;
            report(&experiment, &results, &args)
        }
        ExperimentCommand::Report(args) => {
            let experiment = read(&args.file)?;
            let results = measured(config, &experiment).await?;
            report(&experiment, &results, &args)
        }
    }
}

fn read(file: &Path) -> Result<Experiment, CliError> {
    let text = fs::read_to_string(file)
        .map_err(|error| CliError::Refused(format!("cannot read the experiment {}: {error}", file.display())))?;
    parse_experiment(&text).map_err(|faults| CliError::Refused(format!("{}:\n{}", file.display(), faults.join("\n"))))
}

fn report(experiment: &Experiment, results: &[CellResult], args: &ExperimentFileArgs) -> Result<(), CliError> {
    if let Some(folder) = &args.out {
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::write(&path, text)
                .map_err(|error| CliError::Refused(format!("cannot write {}: {error}", path.display())))
        };
        fs::create_dir_all(folder)
            .map_err(|error| CliError::Refused(format!("cannot create {}: {error}", folder.display())))?;
        write("report.md", &markdown_report(experiment, results))?;
        write("report.html", &html_report(experiment, results))?;
        write("results.csv", &results_csv(experiment, results)?)?;
        eprintln!("faultline: wrote report.md, report.html and results.csv to {}", folder.display());
    }
    match (args.json, &args.out) {
        (true, _) => json_line(&results),
        (false, None) => print_plain(&markdown_report(experiment, results)),
        (false, Some(_)) => Ok(()),
    }
}

/// Writes a line for each debate and figure.
fn results_csv(experiment: &Experiment, results: &[CellResult]) -> Result<String, CliError> {
    const HEADER: [&str; 8] = ["topic", "arm", "seed", "debate_id", "outcome", "regime", "figure", "value"];
    let lines = results.iter().flat_map(|it| {
        let topic = experiment.topics.get(it.topic).map_or("", |topic| topic.topic.as_str());
        it.values.iter().map(move |(figure, value)| {
            vec![
                Cow::Borrowed(topic),
                Cow::Borrowed(it.arm.as_str()),
                Cow::Owned(it.seed.to_string()),
                Cow::Owned(it.debate_id.to_string()),
                Cow::Borrowed(it.outcome.as_str()),
                Cow::Borrowed(it.regime.as_str()),
                Cow::Borrowed(figure.as_str()),
                Cow::Owned(value.to_string()),
            ]
        })
    });
    csv_text(std::iter::once(HEADER.map(Cow::Borrowed).to_vec()).chain(lines))
}

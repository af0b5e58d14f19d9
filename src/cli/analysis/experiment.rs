//! `faultline experiment`: runs the debates of an experiment, and writes its report.

use std::fs;
use std::path::Path;

use crate::cli::analysis::experiment_run::{measured, run_missing};
use crate::cli::args::statistics::{ExperimentArgs, ExperimentCommand, ExperimentFileArgs};
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
        write("results.csv", &results_csv(experiment, results))?;
        eprintln!("faultline: wrote report.md, report.html and results.csv to {}", folder.display());
    }
    match (args.json, &args.out) {
        (true, _) => json_line(&results),
        (false, None) => print_plain(&markdown_report(experiment, results)),
        (false, Some(_)) => Ok(()),
    }
}

/// Writes a line for each debate and figure, by RFC 4180.
fn results_csv(experiment: &Experiment, results: &[CellResult]) -> String {
    let mut lines = vec!["topic,arm,seed,debate_id,outcome,regime,figure,value".to_owned()];
    for it in results {
        let topic = experiment.topics.get(it.topic).map_or("", |topic| topic.topic.as_str());
        let (topic, arm) = (quoted(topic), quoted(&it.arm));
        for (figure, value) in &it.values {
            let CellResult { seed, debate_id, outcome, regime, .. } = it;
            lines.push(format!("{topic},{arm},{seed},{debate_id},{outcome},{regime},{figure},{value}"));
        }
    }
    lines.join("\r\n") + "\r\n"
}

/// Quotes a value of a CSV table if it must be quoted.
pub fn quoted(value: &str) -> String {
    match value.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", value.replace('"', "\"\"")),
        false => value.to_owned(),
    }
}

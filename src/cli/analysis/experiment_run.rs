//! Debates of an experiment: those that are missing are run, several at once, and those that have ended are measured.

use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::Value;

use crate::app::equipped_app::EquippedApp;
use crate::app::open_app::OpenApp;
use crate::cli::debates::debate::{check_offline_topic_of, ingest_corpora, print_setup_remark};
use crate::cli::output::exit::CliError;
use crate::cli::output::interrupts::interruptible;
use crate::cli::output::terminal;
use crate::config::Config;
use faultline_core::experiments::experiment::{Experiment, ExperimentCell};
use faultline_core::experiments::results::CellResult;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_service::service::{DebateService, OpenDebate};
use faultline_store::follow::follower::Follower;
use faultline_store::open::Store;

/// Runs the debates that are missing, and returns all with their measures. A debate that runs already, because an earlier run
/// was interrupted, is continued.
///
/// # Errors
/// [`CliError::Refused`] if a debate is refused, before any is run; [`CliError::Interrupted`] by Ctrl-C; [`CliError::Fault`] if the
/// service fails.
pub async fn run_missing(config: &Config, experiment: &Experiment) -> Result<Vec<CellResult>, CliError> {
    for cell in experiment.cells() {
        check_offline_topic_of(config, &request(experiment, &cell)?)?;
    }
    let mut app = EquippedApp::open(config, &terminal::progress_reporter()).await?;
    let hint = "interrupted; run the same command again to continue";
    let done = interruptible(run_cells(&mut app, config, experiment), hint).await;
    app.close().await;
    done
}

async fn run_cells(
    app: &mut EquippedApp,
    config: &Config,
    experiment: &Experiment,
) -> Result<Vec<CellResult>, CliError> {
    let cells = experiment.cells();
    for cell in &cells {
        app.service().opening_events(request(experiment, cell)?)?;
    }
    print_setup_remark(app);
    for arm in &experiment.arms {
        for topic in &experiment.topics {
            let personas: Vec<String> = topic.personas.iter().map(ToString::to_string).collect();
            ingest_corpora(app, &personas, &options(&arm.options)?).await?;
        }
    }
    app.start_workers(config);
    let bar = terminal::bar("debates");
    bar.set_length(cells.len() as u64);
    let (service, store) = (app.service().clone(), app.store());
    let runs = stream::iter(&cells).map(|cell| {
        let (service, bar) = (&service, &bar);
        async move {
            let result = run_cell(service, store, experiment, cell).await;
            bar.inc(1);
            result
        }
    });
    let results = runs.buffered(experiment.at_once).try_collect().await;
    bar.finish_and_clear();
    results
}

async fn run_cell(
    service: &DebateService,
    store: &Store,
    experiment: &Experiment,
    cell: &ExperimentCell<'_>,
) -> Result<CellResult, CliError> {
    if store.log.head(cell.debate).await? == 0 {
        service.open(request(experiment, cell)?).await?;
    }
    let mut follower = Follower::of_debate(&store.log, &store.tail, cell.debate, 0);
    let mut read_model = DebateReadModel::default();
    while !read_model.summary.status.is_final() || read_model.summary.is_being_audited {
        for recorded in follower.next().await? {
            read_model.apply(&recorded);
        }
    }
    Ok(CellResult::of(experiment, cell, &read_model))
}

/// Measures the debates of an experiment that have ended.
///
/// # Errors
/// [`CliError::Fault`] if a debate cannot be read.
pub async fn measured(config: &Config, experiment: &Experiment) -> Result<Vec<CellResult>, CliError> {
    let app = OpenApp::open(config, &terminal::progress_reporter()).await?;
    let read = async {
        let mut results = Vec::new();
        for cell in experiment.cells() {
            if app.store().log.head(cell.debate).await? == 0 {
                continue;
            }
            let read_model = app.service().read_model(cell.debate, None).await?;
            if read_model.summary.status.is_final() {
                results.push(CellResult::of(experiment, &cell, &read_model));
            }
        }
        Ok(results)
    };
    let read = read.await;
    app.close().await;
    read
}

fn request(experiment: &Experiment, cell: &ExperimentCell<'_>) -> Result<OpenDebate, CliError> {
    Ok(OpenDebate {
        topic: cell.topic.topic.clone(),
        engine: cell.arm.engine.clone(),
        personas: cell.topic.personas.iter().map(ToString::to_string).collect(),
        options: options(&cell.arm.options)?,
        limits: experiment.limits.clone(),
        seed: Some(cell.seed),
        provider: Some(cell.arm.provider.clone()),
        models: cell.arm.models.iter().map(|(persona, model)| (persona.to_string(), model.clone())).collect(),
        id: Some(cell.debate),
    })
}

fn options(given: &std::collections::BTreeMap<String, serde_json::Value>) -> Result<Value, CliError> {
    serde_json::to_value(given).map_err(|error| CliError::Refused(format!("an option is no JSON value: {error}")))
}

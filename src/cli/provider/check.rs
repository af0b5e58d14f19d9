//! `faultline provider check`: checks the connection to providers, and measures how well their models read words.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::app::equipped_app::EquippedApp;
use crate::cli::output::exit::CliError;
use crate::cli::output::interrupts::interruptible;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::cli::provider::args::ProviderCheckArgs;
use crate::cli::provider::connection::{Connection, probe};
use crate::config::Config;
use faultline_core::events::receipt::Failure;
use faultline_core::kernel::closing::audit_request::AUDIT_REVISION;
use faultline_core::kernel::closing::calibration::{self, CalibrationResult, LabelledSentence, MIN_PRECISION};
use faultline_providers::ports::Model;
use faultline_runtime::auditor_calibration::{Calibration, calibrate, result, row};
use faultline_store::providers::auditors::{Auditors, MeasuredAuditor};

/// Result of checking one provider.
struct Finding {
    provider: String,
    connection: Connection,
    /// Reading of the labelled sentences, if it was requested and the provider answers.
    reading: Option<Result<Calibration, Failure>>,
    /// Measurement of the model, if there is one.
    measured: Option<MeasuredAuditor>,
    by_annotations: bool,
}

/// Checks providers and prints the results.
///
/// # Errors
/// [`CliError::Refused`] if a provider does not answer, or if a measured model is not qualified.
pub async fn run(config: &Config, args: ProviderCheckArgs) -> Result<(), CliError> {
    let app = EquippedApp::open_without_personas(config, &terminal::progress_reporter()).await?;
    let done = interruptible(check(&app, &args), "interrupted").await;
    app.close().await;
    done
}

async fn check(app: &EquippedApp, args: &ProviderCheckArgs) -> Result<(), CliError> {
    let auditors = Auditors::new(app.store().log.pool().clone());
    let set = sentences(args)?;
    let mut findings = Vec::new();
    for model in selected(app, args)? {
        findings.push(find(model.as_ref(), args, &set, &auditors).await?);
    }
    if args.json {
        json_line(&findings.iter().map(Finding::json).collect::<Vec<Value>>())?;
    } else {
        findings.iter().try_for_each(|finding| print(&finding.text()))?;
    }
    match findings.iter().filter(|finding| !finding.passed(args.audit)).count() {
        0 => Ok(()),
        failed => Err(CliError::Refused(format!("{failed} of {} checks failed", findings.len()))),
    }
}

/// Returns the sentences to read: those of the file if one is named.
fn sentences(args: &ProviderCheckArgs) -> Result<Vec<LabelledSentence>, CliError> {
    let Some(path) = &args.sentences else { return Ok(calibration::sentences()) };
    let file = path.display();
    let refused = |why: String| CliError::Refused(format!("cannot read labelled sentences from {file}: {why}"));
    let lines = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    let set = calibration::read(&lines);
    if set.is_empty() {
        return Err(refused(
            "no line has the columns id, question, statement_yes, statement_no, before, words, after, side, separated \
             by tabs, below a line of names"
                .to_owned(),
        ));
    }
    Ok(set)
}

/// Returns the named provider; otherwise the default auditor for a measurement, and all for a check.
fn selected(app: &EquippedApp, args: &ProviderCheckArgs) -> Result<Vec<Arc<dyn Model>>, CliError> {
    let catalog = app.service().catalog();
    let named = |name: Option<&str>| -> Result<Vec<Arc<dyn Model>>, CliError> {
        let name = &catalog.auditor(name).map_err(|refusal| CliError::Refused(refusal.to_string()))?.name;
        Ok(app.models_and_auditors().filter(|model| model.name() == name).cloned().collect())
    };
    match (&args.provider, args.audit) {
        (Some(name), _) => named(Some(name)),
        (None, true) => named(None),
        (None, false) => Ok(app.models_and_auditors().cloned().collect()),
    }
}

async fn find(
    model: &dyn Model,
    args: &ProviderCheckArgs,
    set: &[LabelledSentence],
    auditors: &Auditors,
) -> Result<Finding, CliError> {
    let (provider, by_annotations) = (model.name().to_owned(), model.reads_by_annotations());
    let connection = probe(model).await;
    let reading = if args.audit && connection.answers() { Some(read(model, set).await) } else { None };
    let measured = match &reading {
        Some(Ok(calibration)) if args.sentences.is_some() => Some(row(&provider, calibration)),
        Some(Ok(calibration)) => {
            if !by_annotations {
                auditors.record(&row(&provider, calibration)).await?;
            }
            auditors.find(&provider, &calibration.model, AUDIT_REVISION).await?
        }
        Some(Err(_)) => None,
        None => auditors.find(&provider, connection.model(), AUDIT_REVISION).await?,
    };
    Ok(Finding { provider, connection, reading, measured, by_annotations })
}

async fn read(model: &dyn Model, set: &[LabelledSentence]) -> Result<Calibration, Failure> {
    let bar = terminal::bar("reading sentences");
    let report = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let calibration = calibrate(model, set, &report).await;
    bar.finish_and_clear();
    calibration
}

impl Finding {
    fn passed(&self, measured: bool) -> bool {
        let is_qualified = self.by_annotations || self.result().is_some_and(|result| result.is_qualified());
        let is_read = !matches!(self.reading, Some(Err(_)));
        self.connection.answers() && is_read && (!measured || is_qualified)
    }

    fn result(&self) -> Option<CalibrationResult> {
        self.measured.as_ref().map(result)
    }

    fn text(&self) -> String {
        let connection = self.connection.text();
        if !self.connection.answers() {
            return connection;
        }
        let given_up = match &self.reading {
            Some(Ok(calibration)) => {
                calibration.failures.iter().map(|failure| format!("     given up: {failure}\n")).collect()
            }
            Some(Err(failure)) => format!("     reading failed: {failure}\n"),
            None => String::new(),
        };
        format!("{connection}{given_up}     {}\n", self.qualification())
    }

    fn qualification(&self) -> String {
        let provider = &self.provider;
        if self.by_annotations {
            return "auditor: reads annotated words only, and is qualified for these".to_owned();
        }
        let Some(result) = self.result() else {
            return format!(
                "auditor: not qualified yet; measure it with `faultline provider check --audit --provider {provider}`"
            );
        };
        let CalibrationResult { sentences, read, taken, right, opposite, .. } = result;
        let verdict = if result.is_qualified() {
            "qualified".to_owned()
        } else {
            format!("not qualified, a precision of {MIN_PRECISION} is required; its readings are shown and not counted")
        };
        let precision = result.precision().map_or("none".to_owned(), |precision| format!("{precision:.2}"));
        format!(
            "auditor: {verdict}\n     precision {precision} ({right} of {taken} sides right, {opposite} opposite), recall \
             {:.2}, {read} of {sentences} sentences read",
            result.recall()
        )
    }

    fn json(&self) -> Value {
        let result = self.result();
        let mut json = self.connection.json();
        json["auditor"] = json!({
            "revision": AUDIT_REVISION,
            "byAnnotations": self.by_annotations,
            "qualified": self.by_annotations || result.is_some_and(|result| result.is_qualified()),
            "failure": self.reading.as_ref().and_then(|reading| reading.as_ref().err()).map(ToString::to_string),
            "precision": result.and_then(|result| result.precision()),
            "recall": result.map(|result| result.recall()),
            "sentences": result.map(|result| result.sentences),
            "read": result.map(|result| result.read),
            "opposite": result.map(|result| result.opposite),
        });
        json
    }
}

//! `faultline provider check`: asks providers a question, and measures how well their models read words.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::app::equipped_app::EquippedApp;
use crate::cli::debates::debate::interruptible;
use crate::cli::output::exit::CliError;
use crate::cli::output::output::{json_line, print};
use crate::cli::output::terminal;
use crate::cli::provider::args::ProviderCheckArgs;
use crate::config::Config;
use crate::runtime::auditor_calibration::{Calibration, calibrate, result, row};
use faultline_core::events::receipt::Failure;
use faultline_core::kernel::closing::audit_request::AUDIT_REVISION;
use faultline_core::kernel::closing::calibration::{self, CalibrationResult, LabelledSentence, MIN_PRECISION};
use faultline_providers::ports::Model;
use faultline_store::auditors::{Auditors, MeasuredAuditor};

/// Number of sentences that a check without a measurement asks about.
const PROBE: usize = 1;

/// Result of checking one provider.
struct Finding {
    provider: String,
    answered: Result<Option<Calibration>, Failure>,
    /// Measurement of the model, if there is one.
    measured: Option<MeasuredAuditor>,
    by_annotations: bool,
}

/// Checks providers and prints the results.
///
/// # Errors
/// [`CliError::Refused`] if a provider does not answer, or if a measured model is not qualified.
pub async fn run(config: &Config, args: ProviderCheckArgs) -> Result<(), CliError> {
    let app = EquippedApp::open(config, &terminal::progress_reporter()).await?;
    let done = interruptible(check(&app, &args)).await;
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

/// Returns the sentences to read: those of the file if one is named, a single one if nothing is measured.
fn sentences(args: &ProviderCheckArgs) -> Result<Vec<LabelledSentence>, CliError> {
    let Some(path) = &args.sentences else {
        let mut set = calibration::sentences();
        set.truncate(if args.audit { set.len() } else { PROBE });
        return Ok(set);
    };
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

/// Returns the named provider; otherwise the preferred one for a measurement, and all for a check.
fn selected(app: &EquippedApp, args: &ProviderCheckArgs) -> Result<Vec<Arc<dyn Model>>, CliError> {
    let catalog = app.service().catalog();
    let named = |name: Option<&str>| -> Result<Vec<Arc<dyn Model>>, CliError> {
        let name = &catalog.provider(name).map_err(|refusal| CliError::Refused(refusal.to_string()))?.name;
        Ok(app.models().iter().filter(|model| model.name() == name).cloned().collect())
    };
    match (&args.provider, args.audit) {
        (Some(name), _) => named(Some(name)),
        (None, true) => named(None),
        (None, false) => Ok(app.models().to_vec()),
    }
}

async fn find(
    model: &dyn Model,
    args: &ProviderCheckArgs,
    set: &[LabelledSentence],
    auditors: &Auditors,
) -> Result<Finding, CliError> {
    let (provider, by_annotations) = (model.name().to_owned(), model.reads_by_annotations());
    let bar = terminal::bar("reading sentences");
    let report = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let answered = calibrate(model, set, &report).await;
    bar.finish_and_clear();
    let answered = match answered {
        Ok(calibration) => calibration,
        Err(failure) => return Ok(Finding { provider, answered: Err(failure), measured: None, by_annotations }),
    };
    let measured = match &args.sentences {
        Some(_) => Some(row(&provider, &answered)),
        None => {
            if args.audit && !by_annotations {
                auditors.record(&row(&provider, &answered)).await?;
            }
            auditors.find(&provider, &answered.model, AUDIT_REVISION).await?
        }
    };
    Ok(Finding { provider, answered: Ok(Some(answered)), measured, by_annotations })
}

impl Finding {
    fn passed(&self, measured: bool) -> bool {
        let is_qualified = self.by_annotations || self.result().is_some_and(|result| result.is_qualified());
        self.answered.is_ok() && (!measured || is_qualified)
    }

    fn result(&self) -> Option<CalibrationResult> {
        self.measured.as_ref().map(result)
    }

    fn model(&self) -> Option<&str> {
        self.answered.as_ref().ok()?.as_ref().map(|calibration| calibration.model.as_str())
    }

    fn text(&self) -> String {
        let Finding { provider, answered, .. } = self;
        match answered {
            Err(failure) => format!("FAIL {provider}: {failure}\n"),
            Ok(calibration) => {
                let model = self.model().unwrap_or_default();
                let failures = calibration.iter().flat_map(|calibration| &calibration.failures);
                let failures: String = failures.map(|failure| format!("     given up: {failure}\n")).collect();
                format!("ok   {provider}: {model} answers\n{failures}     {}\n", self.qualification())
            }
        }
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
        json!({
            "provider": self.provider,
            "model": self.model(),
            "failure": self.answered.as_ref().err().map(ToString::to_string),
            "auditor": {
                "revision": AUDIT_REVISION,
                "byAnnotations": self.by_annotations,
                "qualified": self.by_annotations || result.is_some_and(|result| result.is_qualified()),
                "precision": result.and_then(|result| result.precision()),
                "recall": result.map(|result| result.recall()),
                "sentences": result.map(|result| result.sentences),
                "read": result.map(|result| result.read),
                "opposite": result.map(|result| result.opposite),
            },
        })
    }
}

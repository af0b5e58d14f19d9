//! Calibration of an auditor: a model reads labelled sentences, and the result is recorded.

use std::collections::BTreeMap;

use faultline_core::events::audit::Reading;
use faultline_core::events::receipt::{Failure, FailureKind, Tier, Usage};
use faultline_core::kernel::closing::audit_request::{AUDIT_REVISION, readings};
use faultline_core::kernel::closing::calibration::{CalibrationResult, LabelledSentence, measure, requests};
use faultline_core::kernel::effect::{EffectAttempt, effect_key};
use faultline_core::projections::audits::AUDIT_PURPOSE;
use faultline_providers::ports::Model;
use faultline_store::providers::auditors::MeasuredAuditor;

/// Maximum number of attempts at one request.
const MAX_ATTEMPTS: u32 = 3;

/// Result of reading labelled sentences.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Provider and model, as named by the provider.
    pub model: String,
    /// Comparison with the labels.
    pub result: CalibrationResult,
    /// Tokens and cost of all calls.
    pub usage: Usage,
    /// Requests that were given up, each with the reason. Their sentences count as not read.
    pub failures: Vec<String>,
}

/// Asks a model to read labelled sentences. `report` is called after each request with the numbers of requests made and
/// of all requests.
///
/// # Errors
/// [`Failure`] if no request was answered.
pub async fn calibrate(
    model: &dyn Model,
    sentences: &[LabelledSentence],
    report: &(dyn Fn(usize, usize) + Sync),
) -> Result<Calibration, Failure> {
    let requests = requests(sentences);
    let (all, mut found) = (requests.len(), BTreeMap::new());
    let (mut by, mut usage, mut failures, mut last) = (None, Usage::default(), Vec::new(), None);
    for (number, (prompt, aliases)) in (0..).zip(requests) {
        let ask = EffectAttempt {
            key: effect_key(AUDIT_PURPOSE, "calibration", number),
            attempt: 1,
            tier: Tier::Quick,
            model: None,
            is_after_repetition: false,
            prompt,
            grounds: Vec::new(),
            search: None,
            auditor: None,
        };
        match read(model, ask, &aliases, &mut usage).await {
            Ok((answered_by, readings)) => {
                by = Some(answered_by);
                found.extend(readings);
            }
            Err(failure) => {
                failures.push(failure.message.clone());
                let is_hopeless = failure.kind == FailureKind::Hopeless;
                last = Some(failure);
                if is_hopeless {
                    break;
                }
            }
        }
        report(number as usize + 1, all);
    }
    match (by, last) {
        (Some(model), _) => Ok(Calibration { model, result: measure(sentences, &found), usage, failures }),
        (None, Some(failure)) => Err(failure),
        (None, None) => Err(Failure::new(FailureKind::Hopeless, "there are no sentences to read")),
    }
}

type Found = (String, Vec<(String, Reading)>);

/// Makes one request, again after an unreadable reply or a passing fault.
async fn read(
    model: &dyn Model,
    mut ask: EffectAttempt,
    aliases: &[String],
    usage: &mut Usage,
) -> Result<Found, Failure> {
    loop {
        let failure = match model.complete(&ask).await {
            Ok(answer) => {
                add(usage, &answer.usage);
                match readings(&answer.text, aliases) {
                    Ok(found) => return Ok((answer.by, found.readings)),
                    Err(unreadable) => unreadable.failure(),
                }
            }
            Err(failure) => {
                failure.answer.iter().for_each(|answer| add(usage, &answer.usage));
                failure
            }
        };
        if failure.kind == FailureKind::Hopeless || ask.attempt >= MAX_ATTEMPTS {
            return Err(failure);
        }
        ask.attempt += 1;
    }
}

fn add(sum: &mut Usage, more: &Usage) {
    sum.input_tokens += more.input_tokens;
    sum.cache_read_tokens += more.cache_read_tokens;
    sum.cache_write_tokens += more.cache_write_tokens;
    sum.output_tokens += more.output_tokens;
    sum.cost_micros += more.cost_micros;
}

/// Converts a result into a row of the measurements.
pub fn row(provider: &str, calibration: &Calibration) -> MeasuredAuditor {
    let CalibrationResult { sentences, read, sides, taken, right, opposite } = calibration.result;
    let number = |count: u32| i32::try_from(count).unwrap_or(i32::MAX);
    MeasuredAuditor {
        provider: provider.to_owned(),
        model: calibration.model.clone(),
        revision: AUDIT_REVISION,
        sentences: number(sentences),
        read: number(read),
        sides: number(sides),
        taken: number(taken),
        right_sides: number(right),
        opposite: number(opposite),
        measured_at: chrono::Utc::now(),
    }
}

/// Converts a row of the measurements into a result.
pub fn result(row: &MeasuredAuditor) -> CalibrationResult {
    let number = |count: i32| u32::try_from(count).unwrap_or_default();
    CalibrationResult {
        sentences: number(row.sentences),
        read: number(row.read),
        sides: number(row.sides),
        taken: number(row.taken),
        right: number(row.right_sides),
        opposite: number(row.opposite),
    }
}

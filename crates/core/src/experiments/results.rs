//! Results of an experiment: the measured debates, and summaries of its arms.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::events::ids::DebateId;
use crate::experiments::experiment::{Experiment, ExperimentCell};
use crate::measures::interval::mean_interval;
use crate::measures::measure::MeasureUnit;
use crate::measures::registry::{measure, measures};
use crate::verdicts::read_model::DebateReadModel;

/// Measured debate of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CellResult {
    /// Index of the topic in the experiment, from 0.
    pub topic: usize,
    /// Name of the arm.
    pub arm: String,
    /// The seed.
    pub seed: u64,
    /// The debate.
    pub debate_id: DebateId,
    /// Kind of its outcome, or its status if it has none.
    pub outcome: String,
    /// Regime of its verdict.
    pub regime: String,
    /// Values of the experiment's measures that the debate has, and `turns`, `tokens` and `calls`.
    pub values: BTreeMap<String, f64>,
    /// Questions of its open cruxes, in the order of their rank.
    pub cruxes: Vec<String>,
}

/// Figures that every experiment compares besides its measures.
pub const FIGURES: [&str; 3] = ["turns", "calls", "tokens"];

impl CellResult {
    /// Measures a debate that has ended.
    pub fn of(experiment: &Experiment, cell: &ExperimentCell<'_>, read_model: &DebateReadModel) -> CellResult {
        let verdict = read_model.verdict();
        let summary = &read_model.summary;
        let measured = measures(read_model, &verdict).into_iter();
        let wanted = measured.filter(|it| experiment.measures.iter().any(|key| key == it.definition.key));
        let mut values: BTreeMap<String, f64> =
            wanted.filter_map(|it| Some((it.definition.key.to_owned(), it.measurement.value?))).collect();
        let total = summary.usage.total;
        let counts =
            [f64::from(summary.n_turns), f64::from(total.calls), (total.input_tokens + total.output_tokens) as f64];
        values.extend(FIGURES.iter().map(|figure| (*figure).to_owned()).zip(counts));
        let outcome = summary.outcome.as_ref().map_or(summary.status.name(), |outcome| outcome.kind());
        CellResult {
            topic: experiment.topics.iter().position(|topic| topic == cell.topic).unwrap_or(0),
            arm: cell.arm.name.clone(),
            seed: cell.seed,
            debate_id: cell.debate,
            outcome: outcome.to_owned(),
            regime: verdict.regime.kind.name().to_owned(),
            values,
            cruxes: verdict.cruxes.into_iter().map(|crux| crux.question).collect(),
        }
    }
}

/// Figures of an experiment in the order in which they are reported: its measures, then [`FIGURES`].
pub fn figures(experiment: &Experiment) -> impl Iterator<Item = &str> {
    experiment.measures.iter().map(String::as_str).chain(FIGURES)
}

/// Mean of a figure over the debates of an arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmMean {
    /// Number of debates that have a value.
    pub n: usize,
    /// Mean; `None` without values.
    pub mean: Option<f64>,
    /// Interval of the mean with a confidence of 95 %.
    pub interval: Option<(f64, f64)>,
}

/// Computes the mean of a figure over the debates of an arm.
pub fn arm_mean(results: &[CellResult], arm: &str, figure: &str) -> ArmMean {
    let own = results.iter().filter(|it| it.arm == arm);
    let values: Vec<f64> = own.filter_map(|it| it.values.get(figure).copied()).collect();
    let n = values.len();
    let mean = (n > 0).then(|| values.iter().sum::<f64>() / n as f64);
    let deviation = mean
        .filter(|_| n > 1)
        .map(|mean| (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1) as f64).sqrt());
    let interval = mean
        .zip(deviation)
        .and_then(|(mean, it)| mean_interval(i64::try_from(n).unwrap_or(0), mean, it, is_share(figure)));
    ArmMean { n, mean, interval }
}

fn is_share(figure: &str) -> bool {
    measure(figure).is_some_and(|definition| definition.unit == MeasureUnit::Share)
}

/// Counts the debates of an arm by some name, such as regime or outcome.
pub fn counts<'a>(
    results: &'a [CellResult],
    arm: &str,
    name: impl Fn(&'a CellResult) -> &'a str,
) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for it in results.iter().filter(|it| it.arm == arm) {
        *counts.entry(name(it)).or_default() += 1;
    }
    counts
}

//! Charts of an experiment as SVG: the values of each arm as points, with mean and interval.

use crate::experiments::experiment::Experiment;
use crate::experiments::markdown_report::{name, number};
use crate::experiments::results::{CellResult, arm_mean};
use crate::export::drawing::chart_canvas::{ChartCanvas, TextAnchor};
use crate::measures::measure::MeasureUnit;
use crate::measures::registry::measure;

const WIDTH: f64 = 640.0;
const LABEL: f64 = 170.0;
const ROW: f64 = 30.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 24.0;
const EDGE: f64 = 24.0;

/// Draws a figure: a row for each arm. Empty if no debate has a value.
pub fn chart(experiment: &Experiment, results: &[CellResult], figure: &str) -> String {
    let values: Vec<f64> = results.iter().filter_map(|it| it.values.get(figure).copied()).collect();
    if values.is_empty() {
        return String::new();
    }
    let (low, high) = range(&values, figure);
    let place = |value: f64| LABEL + (value - low) / (high - low) * (WIDTH - LABEL - EDGE);
    let height = TOP + ROW * experiment.arms.len() as f64 + BOTTOM;
    let title = name(figure);
    let about = "Each point is a debate; the vertical line is the mean of its arm, the horizontal one its interval.";
    let mut canvas = ChartCanvas::new(&format!("chart-{figure}"), (WIDTH, height), &format!("{title} by arm"), about);
    canvas.text("title", (0.0, 16.0), TextAnchor::Start, &title);
    for (arm, row) in experiment.arms.iter().zip(0_u32..) {
        let y = TOP + ROW * (f64::from(row) + 0.5);
        canvas.text("arm", (0.0, y + 4.0), TextAnchor::Start, &arm.name);
        canvas.line("axis", (LABEL, y), (WIDTH - EDGE, y));
        for it in results.iter().filter(|it| it.arm == arm.name) {
            if let Some(value) = it.values.get(figure) {
                canvas.dot("debate", (place(*value), y), 4.0);
            }
        }
        let found = arm_mean(results, &arm.name, figure);
        if let Some((from, to)) = found.interval {
            canvas.line("interval", (place(from.max(low)), y), (place(to.min(high)), y));
        }
        if let Some(mean) = found.mean {
            canvas.line("mean", (place(mean), y - 8.0), (place(mean), y + 8.0));
        }
    }
    for (value, anchor) in [(low, TextAnchor::Start), (high, TextAnchor::End)] {
        canvas.text("tick", (place(value), height - 6.0), anchor, &number(value, figure));
    }
    canvas.finish()
}

fn range(values: &[f64], figure: &str) -> (f64, f64) {
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), it| (low.min(*it), high.max(*it)));
    match measure(figure).map(|it| it.unit) {
        Some(MeasureUnit::Share) => (0.0, high.max(1.0)),
        _ => (low.min(0.0), if high > low.min(0.0) { high } else { low.min(0.0) + 1.0 }),
    }
}

//! Charts of an experiment as SVG: the values of each arm as points, with mean and interval.

use crate::experiments::experiment::Experiment;
use crate::experiments::markdown_report::{name, number};
use crate::experiments::results::{CellResult, arm_mean};
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
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title} by arm\" \
         xmlns=\"http://www.w3.org/2000/svg\"><text class=\"title\" x=\"0\" y=\"16\">{title}</text>"
    );
    for (arm, row) in experiment.arms.iter().zip(0_u32..) {
        let y = TOP + ROW * (f64::from(row) + 0.5);
        svg += &format!("<text x=\"0\" y=\"{:.1}\">{}</text>", y + 4.0, escaped(&arm.name));
        svg += &format!("<line class=\"axis\" x1=\"{LABEL}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>", WIDTH - EDGE);
        for it in results.iter().filter(|it| it.arm == arm.name) {
            if let Some(value) = it.values.get(figure) {
                svg += &format!("<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\"/>", place(*value));
            }
        }
        let found = arm_mean(results, &arm.name, figure);
        if let Some((from, to)) = found.interval {
            let (from, to) = (place(from.max(low)), place(to.min(high)));
            svg += &format!("<line class=\"interval\" x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>");
        }
        if let Some(mean) = found.mean {
            let (x, from, to) = (place(mean), y - 8.0, y + 8.0);
            svg += &format!("<line class=\"mean\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{from:.1}\" y2=\"{to:.1}\"/>");
        }
    }
    for (value, anchor) in [(low, "start"), (high, "end")] {
        let (x, y) = (place(value), height - 6.0);
        svg += &format!(
            "<text class=\"tick\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
            number(value, figure)
        );
    }
    svg + "</svg>"
}

fn range(values: &[f64], figure: &str) -> (f64, f64) {
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), it| (low.min(*it), high.max(*it)));
    match measure(figure).map(|it| it.unit) {
        Some(MeasureUnit::Share) => (0.0, high.max(1.0)),
        _ => (low.min(0.0), if high > low.min(0.0) { high } else { low.min(0.0) + 1.0 }),
    }
}

/// Text for HTML and SVG.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

//! Statistics across debates as text.

use crate::text::page::TextPage;
use crate::text::span::{trusted, untrusted};
use crate::text::style::{TerminalStyle, Tone};
use faultline_core::measures::measure::MeasureUnit;
use faultline_core::measures::measure_text::number;
use faultline_core::measures::registry::measure;

/// Width of the column of names.
const NAME: usize = 24;

/// Group of debates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupRow {
    /// Values that the debates have in common; empty for all debates.
    pub values: Vec<String>,
    /// Number of debates.
    pub n_debates: i64,
    /// Number of those that have ended.
    pub n_ended: i64,
    /// Number of debates by regime.
    pub regimes: Vec<(String, i64)>,
    /// Figures that have a value.
    pub figures: Vec<FigureRow>,
}

/// Figure of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureRow {
    /// Name of the figure, or key of the measure.
    pub name: String,
    /// Mean.
    pub mean: f64,
    /// Interval of the mean.
    pub interval: Option<(f64, f64)>,
    /// Number of values.
    pub n: i64,
}

/// Renders groups: the number of debates, their regimes, and each figure with its mean and interval.
pub fn debate_stats(groups: &[GroupRow], look: TerminalStyle) -> String {
    let mut page = TextPage::new(look);
    if groups.is_empty() {
        page.text(&[trusted(Tone::Quiet, "No debate matches.")]);
    }
    for (place, group) in groups.iter().enumerate() {
        if place > 0 {
            page.blank();
        }
        let name = if group.values.is_empty() { "All debates".to_owned() } else { group.values.join(" · ") };
        page.text(&[untrusted(Tone::Strong, &name)]);
        let line = |page: &mut TextPage, label: &str, text: &str| {
            page.hang(&[], &[trusted(Tone::Quiet, format!("  {label}"))], NAME, &[trusted(Tone::Plain, text)]);
        };
        line(&mut page, "debates", &format!("{} ({} ended)", group.n_debates, group.n_ended));
        let regimes: Vec<String> = group.regimes.iter().map(|(name, count)| format!("{count} {name}")).collect();
        if !regimes.is_empty() {
            line(&mut page, "verdicts", &regimes.join(", "));
        }
        for FigureRow { name, mean, interval, n } in &group.figures {
            let unit = unit(name);
            let interval =
                interval.map(|(low, high)| format!("  (95 %: {} to {}; n = {n})", bare(low, unit), bare(high, unit)));
            let interval = interval.unwrap_or_else(|| format!("  (n = {n})"));
            line(&mut page, &label(name), &format!("{}{interval}", number(*mean, unit)));
        }
    }
    page.print()
}

/// Value without its unit.
fn bare(value: f64, unit: MeasureUnit) -> String {
    let text = number(value, unit);
    text.split(' ').next().unwrap_or_default().to_owned()
}

fn label(name: &str) -> String {
    match name {
        "seconds" => "duration".to_owned(),
        other => measure(other).map_or_else(|| other.replace('_', " "), |it| it.name.to_lowercase()),
    }
}

fn unit(name: &str) -> MeasureUnit {
    match name {
        "turns" => MeasureUnit::Turns,
        "tokens" => MeasureUnit::Tokens,
        "cost" => MeasureUnit::UsDollars,
        "seconds" => MeasureUnit::Seconds,
        key => measure(key).map_or(MeasureUnit::Number, |it| it.unit),
    }
}

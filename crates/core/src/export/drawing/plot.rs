//! Plot over a numbered axis: scales, axes, steps, lines, and labels beside the ends of series.

use crate::export::drawing::chart_canvas::{ChartCanvas, TextAnchor};
use crate::export::drawing::svg_parts::number;

/// Width and height of a plot with its margins.
pub const PLOT_SIZE: (f64, f64) = (720.0, 230.0);
/// Room on the left for the values of the axis.
const LEFT: f64 = 44.0;
/// Room on the right for the labels of the series.
const RIGHT: f64 = 160.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 28.0;
/// Least distance between the baselines of two labels.
const LABEL_GAP: f64 = 17.0;
/// Distance of a text from what it labels.
const PAD: f64 = 8.0;
/// Distance from the middle of a line of text to its baseline.
const MIDDLE: f64 = 4.5;

/// Scales of a plot: numbers from `first` to `last` along the axis, and values from 0 to `top` above it. `top` is greater
/// than 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plot {
    /// Number at the left end of the axis.
    pub first: f64,
    /// Number at the right end of the axis.
    pub last: f64,
    /// Value at the upper end.
    pub top: f64,
}

/// Label beside the right end of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotLabel {
    /// Class of the series.
    pub class: &'static str,
    /// Value at the end of the series.
    pub value: f64,
    /// Text of the label.
    pub text: String,
}

impl Plot {
    /// Returns the horizontal place of a number.
    pub fn x(&self, at: f64) -> f64 {
        let span = if self.last > self.first { self.last - self.first } else { 1.0 };
        LEFT + (at - self.first) / span * (PLOT_SIZE.0 - LEFT - RIGHT)
    }

    /// Returns the vertical place of a value.
    pub fn y(&self, value: f64) -> f64 {
        PLOT_SIZE.1 - BOTTOM - value / self.top * (PLOT_SIZE.1 - TOP - BOTTOM)
    }

    /// Draws a line across the plot at each value, with its text, and the texts at the two ends of the axis.
    pub fn axes(&self, canvas: &mut ChartCanvas, values: &[(f64, String)], [first, last]: [&str; 2]) {
        let (left, right) = (self.x(self.first), self.x(self.last));
        for (value, text) in values {
            let y = self.y(*value);
            canvas.line("axis", (left, y), (right, y));
            canvas.text("tick", (left - PAD, y + MIDDLE), TextAnchor::End, text);
        }
        let below = PLOT_SIZE.1 - PAD;
        canvas.text("tick", (left, below), TextAnchor::Start, first);
        canvas.text("tick", (right, below), TextAnchor::End, last);
    }

    /// Returns the path of values each of which holds from its number until the next one, the last one until the end of the
    /// axis. Empty without points.
    pub fn steps(&self, points: &[(f64, f64)]) -> String {
        let Some(((at, value), later)) = points.split_first() else { return String::new() };
        let mut path = format!("M{},{}", number(self.x(*at)), number(self.y(*value)));
        for (at, value) in later {
            path += &format!("H{}V{}", number(self.x(*at)), number(self.y(*value)));
        }
        path + &format!("H{}", number(self.x(self.last)))
    }

    /// Returns the outline of a band between two values, its lower and its upper end, which hold as in [`Plot::steps`]. Empty
    /// without points.
    pub fn band(&self, points: &[(f64, f64, f64)]) -> String {
        let upper: Vec<(f64, f64)> = points.iter().map(|(at, _, upper)| (*at, *upper)).collect();
        let mut path = self.steps(&upper);
        for (place, (at, lower, _)) in points.iter().enumerate().rev() {
            path += &format!("V{}H{}", number(self.y(*lower)), number(self.x(*at)));
            if place == 0 {
                path.push('Z');
            }
        }
        path
    }

    /// Returns the path of a line through points. Empty without points.
    pub fn line(&self, points: &[(f64, f64)]) -> String {
        let mut path = String::new();
        for (at, value) in points {
            let to = if path.is_empty() { 'M' } else { 'L' };
            path += &format!("{to}{},{}", number(self.x(*at)), number(self.y(*value)));
        }
        path
    }

    /// Draws labels beside the right ends of their series, none over another, each with a line from the end of its series.
    pub fn labels(&self, canvas: &mut ChartCanvas, labels: &[PlotLabel]) {
        let ends: Vec<f64> = labels.iter().map(|label| self.y(label.value)).collect();
        let x = self.x(self.last);
        for ((label, end), y) in labels.iter().zip(&ends).zip(spread(&ends)) {
            canvas.line("leader", (x + 2.0, *end), (x + 2.0 * PAD - 2.0, y));
            canvas.text(label.class, (x + 2.0 * PAD, y + MIDDLE), TextAnchor::Start, &label.text);
        }
    }
}

/// Moves vertical places apart, so that labels there do not overlap, within the height of the plot.
fn spread(wanted: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|one, other| wanted[*one].total_cmp(&wanted[*other]));
    let mut places = wanted.to_vec();
    let mut least = TOP;
    for at in &order {
        places[*at] = places[*at].max(least);
        least = places[*at] + LABEL_GAP;
    }
    let mut most = PLOT_SIZE.1 - BOTTOM;
    for at in order.iter().rev() {
        places[*at] = places[*at].min(most);
        most = places[*at] - LABEL_GAP;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLOT: Plot = Plot { first: 1.0, last: 517.0, top: 188.0 };

    #[test]
    fn a_value_holds_until_the_next_one() {
        assert_eq!(PLOT.steps(&[(1.0, 0.0), (101.0, 10.0)]), "M44,202H144V192H560");
        assert_eq!(PLOT.steps(&[]), "");
    }

    #[test]
    fn a_band_returns_along_its_lower_end() {
        let band = PLOT.band(&[(1.0, 0.0, 10.0), (101.0, 20.0, 40.0)]);
        assert_eq!(band, "M44,192H144V162H560V182H144V202H44Z");
        assert_eq!(PLOT.band(&[]), "");
    }

    #[test]
    fn a_line_goes_through_its_points() {
        assert_eq!(PLOT.line(&[(1.0, 0.0), (101.0, 88.0), (517.0, 188.0)]), "M44,202L144,114L560,14");
    }

    #[test]
    fn labels_keep_their_order_and_their_distance() {
        let check = |wanted: &[f64], expected: &[f64]| assert_eq!(spread(wanted), expected, "{wanted:?}");
        check(&[100.0, 50.0], &[100.0, 50.0]);
        check(&[100.0, 100.0, 90.0], &[107.0, 124.0, 90.0]);
        check(&[202.0, 202.0], &[185.0, 202.0]);
        check(&[14.0, 0.0], &[31.0, 14.0]);
        check(&[], &[]);
    }

    #[test]
    fn an_axis_of_one_number_has_a_place_for_it() {
        let plot = Plot { first: 3.0, last: 3.0, top: 1.0 };
        assert_eq!((plot.x(3.0), plot.y(0.0), plot.y(1.0)), (44.0, 202.0, 14.0));
    }
}

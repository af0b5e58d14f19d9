//! Charts of a debate's course: counts as steps, and labels of arguments as stacked steps.

use crate::export::drawing::chart_canvas::ChartCanvas;
use crate::export::drawing::plot::{PLOT_SIZE, Plot, PlotLabel};
use crate::export::report::figures::course::{CourseCounts, DebateCourse};
use crate::export::report::figures::report_chart::{ReportChart, counted};
use crate::verdicts::crux_card::crux_text::listed;

/// Name and class of each label, from the foot of the stack: its place in [`CourseCounts::labels`].
const BANDS: [(usize, &str, &str); 3] = [(0, "IN", "in"), (2, "UNDEC", "undec"), (1, "OUT", "out")];

/// Sentence about counts that were not taken at every version.
const THINNED: &str = " Counts were taken after some of the events only.";

/// Series of counts.
struct CountSeries {
    noun: &'static str,
    class: &'static str,
    points: Vec<(f64, f64)>,
    last: usize,
}

/// Draws turns, arguments and attacks (or questions and stances), and open cruxes; those that stay 0 are left out. `None`
/// if fewer than two points are known.
pub fn counts_chart(course: &DebateCourse) -> Option<ReportChart> {
    let all = series(course);
    let most = all.iter().flat_map(|it| it.points.iter().map(|(_, value)| *value)).fold(0.0, f64::max);
    if course.counts.len() < 2 || most < 1.0 {
        return None;
    }
    let plot = plot(course, most);
    let title = "Counts by event";
    let mut canvas = ChartCanvas::new("chart-counts", PLOT_SIZE, title, &description(course));
    axes(&plot, &mut canvas, course);
    for it in &all {
        canvas.path(it.class, &plot.steps(&it.points));
    }
    let label =
        |it: &CountSeries| PlotLabel { class: it.class, value: it.last as f64, text: counted(it.last, it.noun) };
    plot.labels(&mut canvas, &all.iter().map(label).collect::<Vec<_>>());
    let caption = counts_caption(course, &all);
    Some(ReportChart { title, svg: canvas.finish(), caption })
}

fn series(course: &DebateCourse) -> Vec<CountSeries> {
    let counts = |noun, class, value: fn(&CourseCounts) -> usize| CountSeries {
        noun,
        class,
        points: course.counts.iter().map(|(version, it)| (*version as f64, value(it) as f64)).collect(),
        last: course.counts.last().map_or(0, |(_, it)| value(it)),
    };
    let nouns = if course.has_arguments { ["argument", "valid attack"] } else { ["question", "stance"] };
    let cruxes = CountSeries {
        noun: "open crux",
        class: "series-4",
        points: course.cruxes.iter().map(|(version, n_open)| (*version as f64, *n_open as f64)).collect(),
        last: course.cruxes.last().map_or(0, |(_, n_open)| *n_open),
    };
    let all = [
        counts("turn", "series-1", |it| it.turns),
        counts(nouns[0], "series-2", |it| it.claims),
        counts(nouns[1], "series-3", |it| it.relations),
        cruxes,
    ];
    all.into_iter().filter(|it| it.points.iter().any(|(_, value)| *value > 0.0)).collect()
}

fn counts_caption(course: &DebateCourse, all: &[CountSeries]) -> String {
    let at_end: Vec<String> = all.iter().map(|it| counted(it.last, it.noun)).collect();
    let mut caption = format!("After {}: {}.", events(course.last), listed(&at_end));
    let most = course.cruxes.iter().rev().max_by_key(|(_, n_open)| *n_open).copied();
    match most {
        Some((_, 0)) => caption += " No open crux was found.",
        Some((version, n_open)) if course.cruxes.last().is_some_and(|(_, last)| *last < n_open) => {
            caption += &format!(" The most open cruxes at a time were {n_open}, first counted after event {version}.");
        }
        _ => {}
    }
    if course.has_arguments {
        caption += " Arguments that were withdrawn or do not count are left out.";
    }
    if course.is_thinned {
        caption += THINNED;
    }
    if course.is_sampled {
        caption += " Open cruxes were counted after some of the events only.";
    }
    caption
}

/// Draws the live arguments by their grounded labels, stacked. `None` without arguments, or if fewer than two points are
/// known.
pub fn labels_chart(course: &DebateCourse) -> Option<ReportChart> {
    let (_, last) = course.counts.last()?;
    let total = |counts: &CourseCounts| counts.labels.iter().sum::<usize>();
    let most = course.counts.iter().map(|(_, counts)| total(counts)).max()?;
    if !course.has_arguments || course.counts.len() < 2 || most == 0 {
        return None;
    }
    let plot = plot(course, most as f64);
    let title = "Labels of the arguments by event";
    let mut canvas = ChartCanvas::new("chart-labels", PLOT_SIZE, title, &description(course));
    axes(&plot, &mut canvas, course);
    let mut labels = Vec::new();
    for (place, &(label, name, class)) in BANDS.iter().enumerate() {
        let below = |counts: &CourseCounts| BANDS[..place].iter().map(|(it, ..)| counts.labels[*it]).sum::<usize>();
        let band = course.counts.iter().map(|(version, counts)| {
            let lower = below(counts);
            (*version as f64, lower as f64, (lower + counts.labels[label]) as f64)
        });
        canvas.path(class, &plot.band(&band.collect::<Vec<_>>()));
        let n_labelled = last.labels[label];
        let value = below(last) as f64 + n_labelled as f64 / 2.0;
        labels.push(PlotLabel { class, value, text: format!("{n_labelled} {name}") });
    }
    plot.labels(&mut canvas, &labels);
    let [accepted, rejected, undecided] = last.labels;
    let thinned = if course.is_thinned { THINNED } else { "" };
    let caption = format!(
        "Arguments by their grounded labels. After {}, {accepted} are accepted (IN), {rejected} rejected (OUT) and {undecided} \
         undecided (UNDEC).{thinned}",
        events(course.last)
    );
    Some(ReportChart { title, svg: canvas.finish(), caption })
}

fn plot(course: &DebateCourse, top: f64) -> Plot {
    Plot { first: course.first as f64, last: course.last as f64, top }
}

fn axes(plot: &Plot, canvas: &mut ChartCanvas, course: &DebateCourse) {
    let mut values = vec![(0.0, "0".to_owned()), (plot.top, format!("{}", plot.top))];
    let half = (plot.top / 2.0).floor();
    if half > 0.0 {
        values.push((half, format!("{half}")));
    }
    plot.axes(canvas, &values, [&format!("event {}", course.first), &format!("event {}", course.last)]);
}

fn description(course: &DebateCourse) -> String {
    format!("Steps from event {} to event {}; the text below states the numbers.", course.first, course.last)
}

fn events(last: i64) -> String {
    if last == 1 { "1 event".to_owned() } else { format!("{last} events") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(version: i64, turns: usize, relations: usize, labels: [usize; 3]) -> (i64, CourseCounts) {
        (version, CourseCounts { turns, claims: labels.iter().sum(), relations, labels })
    }

    fn course(counts: Vec<(i64, CourseCounts)>, cruxes: Vec<(i64, usize)>) -> DebateCourse {
        DebateCourse { has_arguments: true, first: 1, last: 20, counts, cruxes, is_thinned: false, is_sampled: false }
    }

    fn argued() -> DebateCourse {
        let counts = vec![point(1, 0, 0, [0; 3]), point(5, 1, 0, [1, 0, 0]), point(12, 2, 1, [1, 1, 0])];
        course(counts, vec![(1, 0), (8, 2), (12, 1)])
    }

    #[test]
    fn counts_are_steps_with_a_label_at_each_end() {
        let chart = counts_chart(&argued()).unwrap();
        assert_eq!(chart.svg.matches("<path").count(), 4);
        for label in [">2 turns<", ">2 arguments<", ">1 valid attack<", ">1 open crux<", ">event 20<"] {
            assert!(chart.svg.contains(label), "{label}\n{}", chart.svg);
        }
        let expected = "After 20 events: 2 turns, 2 arguments, 1 valid attack and 1 open crux. The most open cruxes at \
                        a time were 2, first counted after event 8. Arguments that were withdrawn or do not count are left out.";
        assert_eq!(chart.caption, expected);
    }

    #[test]
    fn a_series_that_stays_zero_is_left_out() {
        let counts = vec![point(1, 0, 0, [0; 3]), point(5, 3, 0, [0; 3])];
        let questions =
            DebateCourse { has_arguments: false, is_thinned: true, is_sampled: true, ..course(counts, vec![(1, 0)]) };
        let chart = counts_chart(&questions).unwrap();
        assert_eq!(chart.svg.matches("<path").count(), 1);
        let expected = "After 20 events: 3 turns. No open crux was found. Counts were taken after some of the events only. Open cruxes \
                        were counted after some of the events only.";
        assert_eq!(chart.caption, expected);
        assert_eq!(labels_chart(&questions), None);
    }

    #[test]
    fn labels_are_stacked_from_accepted_to_rejected() {
        let chart = labels_chart(&argued()).unwrap();
        let classes = ["class=\"in\" d=", "class=\"undec\" d=", "class=\"out\" d="];
        let places: Vec<usize> = classes.iter().map(|class| chart.svg.find(class).unwrap()).collect();
        assert!(places.is_sorted(), "{}", chart.svg);
        for label in [">1 IN<", ">0 UNDEC<", ">1 OUT<"] {
            assert!(chart.svg.contains(label), "{label}\n{}", chart.svg);
        }
        assert!(
            chart.caption.contains("1 are accepted (IN), 1 rejected (OUT) and 0 undecided (UNDEC)"),
            "{}",
            chart.caption
        );
    }

    #[test]
    fn a_debate_without_changes_has_no_charts() {
        for counts in [Vec::new(), vec![point(1, 0, 0, [0; 3])]] {
            let course = course(counts, Vec::new());
            assert_eq!((counts_chart(&course), labels_chart(&course)), (None, None));
        }
    }
}

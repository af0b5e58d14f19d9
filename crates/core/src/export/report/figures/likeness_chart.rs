//! Chart of novelty and circling: the likeness of each turn to earlier ones.

use crate::export::drawing::chart_canvas::ChartCanvas;
use crate::export::drawing::plot::{PLOT_SIZE, Plot, PlotLabel};
use crate::export::report::figures::report_chart::{ReportChart, counted};
use crate::measures::concession_measures::SAME_CLAIM;
use crate::measures::turn_likeness::{MAX_LIKENED, TurnLikeness};

/// Draws the likeness of turns to earlier ones, of anybody and of their own speaker. `None` if fewer than two turns have
/// an earlier one.
pub fn likeness_chart(turns: &[TurnLikeness]) -> Option<ReportChart> {
    let [first, .., last] = turns else { return None };
    let plot = Plot { first: 0.0, last: (turns.len() - 1) as f64, top: 1.0 };
    let title = "Novelty and circling by turn";
    let description =
        format!("Lines from turn {} to turn {}; the text below states the numbers.", first.turn, last.turn);
    let mut canvas = ChartCanvas::new("chart-likeness", PLOT_SIZE, title, &description);
    let values = [0.0, SAME_CLAIM, 1.0].map(|value| (value, format!("{value}")));
    plot.axes(&mut canvas, &values, [&first.turn.to_string(), &last.turn.to_string()]);

    let to_any: Vec<(f64, f64)> = turns.iter().enumerate().map(|(at, it)| (at as f64, it.to_any)).collect();
    let own = turns.iter().enumerate().filter_map(|(at, it)| Some((at as f64, it.to_own?)));
    let to_own: Vec<(f64, f64)> = own.collect();
    let drawn = [("series-2", "turns of anybody", &to_any), ("series-3", "own turns", &to_own)];
    let mut labels = Vec::new();
    for (class, name, points) in drawn {
        let Some((_, value)) = points.last() else { continue };
        canvas.path(class, &plot.line(points));
        for (at, likeness) in points {
            canvas.dot(class, (plot.x(*at), plot.y(*likeness)), 2.0);
        }
        labels.push(PlotLabel { class, value: *value, text: name.to_owned() });
    }
    plot.labels(&mut canvas, &labels);
    Some(ReportChart { title, svg: canvas.finish(), caption: caption(turns) })
}

fn caption(turns: &[TurnLikeness]) -> String {
    let n_new = turns.iter().filter(|it| it.to_any < SAME_CLAIM).count();
    let mut caption = format!(
        "Greatest likeness of each turn to an earlier one, from 0 to 1. {n_new} of {} are new: below {SAME_CLAIM}.",
        counted(turns.len(), "turn")
    );
    let nearest = turns.iter().max_by(|one, other| one.to_any.total_cmp(&other.to_any));
    if let Some(nearest) = nearest {
        caption += &format!(" The greatest likeness is {:.2}, of {}.", nearest.to_any, nearest.turn);
    }
    let own: Vec<f64> = turns.iter().filter_map(|it| it.to_own).collect();
    if !own.is_empty() {
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        caption += &format!(" To an earlier turn of the same speaker it is {mean:.2} on average.");
    }
    if turns.len() + 1 == MAX_LIKENED {
        caption += &format!(" Only the first {MAX_LIKENED} turns are compared.");
    }
    caption
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::ids::TurnId;

    fn turn(number: u32, to_any: f64, to_own: Option<f64>) -> TurnLikeness {
        TurnLikeness { turn: TurnId(number), to_any, to_own }
    }

    #[test]
    fn a_line_for_all_turns_and_one_for_those_of_the_same_speaker() {
        let chart = likeness_chart(&[turn(2, 0.25, None), turn(3, 0.6, Some(0.2)), turn(5, 0.5, Some(0.5))]).unwrap();
        assert_eq!((chart.svg.matches("<path").count(), chart.svg.matches("<circle").count()), (2, 5));
        for label in [">t2<", ">t5<", ">0.6<", ">turns of anybody<", ">own turns<"] {
            assert!(chart.svg.contains(label), "{label}\n{}", chart.svg);
        }
        let expected = "Greatest likeness of each turn to an earlier one, from 0 to 1. 2 of 3 turns are new: below 0.6. The \
                        greatest likeness is 0.60, of t3. To an earlier turn of the same speaker it is 0.35 on average.";
        assert_eq!(chart.caption, expected);
    }

    #[test]
    fn without_a_second_turn_of_anybody_there_is_one_line() {
        let chart = likeness_chart(&[turn(2, 0.1, None), turn(3, 0.2, None)]).unwrap();
        assert_eq!(chart.svg.matches("<path").count(), 1);
        assert!(!chart.caption.contains("same speaker"), "{}", chart.caption);
    }

    #[test]
    fn one_turn_is_no_line() {
        assert_eq!(likeness_chart(&[turn(2, 0.1, None)]), None);
        assert_eq!(likeness_chart(&[]), None);
    }
}

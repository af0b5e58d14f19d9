//! Charts of reports: they show what the read models of the versions contain.

use faultline_core::events::event::Recorded;
use faultline_core::export::report::figures::agreement::agreement;
use faultline_core::export::report::figures::course::{MAX_POINTS, MAX_VERDICTS, course};
use faultline_core::export::report::figures::debate_charts::debate_charts;
use faultline_core::verdicts::read_model::DebateReadModel;

use crate::laws::support::debates;

fn at(events: &[Recorded], version: i64) -> DebateReadModel {
    DebateReadModel::of(events.iter().take_while(|recorded| recorded.version <= version))
}

#[test]
fn the_course_of_a_debate_is_that_of_its_read_models() {
    let (mut n_labelled, mut n_open) = (0, 0);
    for (name, log) in debates() {
        let (events, whole) = (&log.0, DebateReadModel::of(&log.0));
        let found = course(&whole, events);
        assert!(found.counts.len() <= MAX_POINTS && found.cruxes.len() <= MAX_VERDICTS, "{name}");
        for (version, counts) in &found.counts {
            let read_model = at(events, *version);
            let turns = read_model.transcript.turns.iter().filter(|turn| turn.speaker.is_some()).count();
            assert_eq!(counts.turns, turns, "{name} at {version}");
            if found.has_arguments {
                assert_eq!(counts.claims, read_model.arguments.live().count(), "{name} at {version}");
                assert_eq!(counts.claims, counts.labels.iter().sum::<usize>(), "{name} at {version}");
            } else {
                assert_eq!(counts.claims, read_model.disputes.not_retired().count(), "{name} at {version}");
            }
            n_labelled += counts.labels[0];
        }
        for (version, n_cruxes) in &found.cruxes {
            assert_eq!(*n_cruxes, at(events, *version).verdict().cruxes.len(), "{name} at {version}");
            n_open += n_cruxes;
        }
        let verdict = whole.verdict();
        if verdict.regime.exact {
            assert_eq!(found.cruxes.last().map(|(_, n_cruxes)| *n_cruxes), Some(verdict.cruxes.len()), "{name}");
        }
    }
    assert!(n_labelled > 0 && n_open > 0, "no debate has accepted arguments, or none has open cruxes");
}

#[test]
fn charts_are_the_same_each_time_and_have_a_caption() {
    let mut n_charts = 0;
    for (name, log) in debates() {
        let read_model = DebateReadModel::of(&log.0);
        let charts = debate_charts(&read_model, &log.0);
        assert_eq!(charts, debate_charts(&read_model, &log.0), "{name}");
        for chart in &charts {
            assert!(chart.svg.starts_with("<svg ") && chart.svg.ends_with("</svg>"), "{name}: {}", chart.title);
            assert!(chart.caption.ends_with('.') && !chart.svg.contains("NaN"), "{name}: {}", chart.caption);
        }
        n_charts += charts.len();
    }
    assert!(n_charts > 0, "no debate has charts");
}

#[test]
fn agreement_is_symmetric() {
    let mut n_pairs = 0;
    for (name, log) in debates() {
        let Some(matrix) = agreement(&DebateReadModel::of(&log.0)) else { continue };
        for (one, row) in matrix.rows.iter().enumerate() {
            for (other, pair) in row.iter().enumerate() {
                assert_eq!(*pair, matrix.rows[other][one], "{name}");
                assert!(pair.agreed <= pair.questions && (one != other || pair.questions == 0), "{name}");
                n_pairs += usize::from(pair.questions > 0);
            }
        }
    }
    assert!(n_pairs > 0, "no debate has a question on which two participants hold a side");
}

//! Charts of a debate, in the order of a report.

use crate::events::event::Recorded;
use crate::export::report::figures::course::course;
use crate::export::report::figures::course_charts::{counts_chart, labels_chart};
use crate::export::report::figures::likeness_chart::likeness_chart;
use crate::export::report::figures::report_chart::ReportChart;
use crate::measures::turn_likeness::turn_likeness;
use crate::verdicts::read_model::DebateReadModel;

/// Draws the charts of a debate; those that would show nothing are left out. Cost: that of [`course`] and [`turn_likeness`].
pub fn debate_charts(read_model: &DebateReadModel, events: &[Recorded]) -> Vec<ReportChart> {
    let course = course(read_model, events);
    let likeness = likeness_chart(&turn_likeness(&read_model.transcript));
    [counts_chart(&course), labels_chart(&course), likeness].into_iter().flatten().collect()
}

//! Figures of a report: measures, how well speech is grounded in cited passages, and charts of the debate's course.

pub mod agreement;
pub mod course;
pub mod course_charts;
pub mod debate_charts;
pub mod grounding;
pub mod likeness_chart;
pub mod measures;
pub mod report_chart;

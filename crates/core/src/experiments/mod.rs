//! Experiments: debates over topics, arms and seeds, compared by their measures with intervals.

pub mod bootstrap;
pub mod chart;
pub mod comparison;
pub mod experiment;
pub mod html_report;
pub mod markdown_report;
pub mod parse;
pub mod results;
pub mod stability;

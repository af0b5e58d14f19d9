//! Laws that hold for every debate, whatever is said in it.

mod adversaries;
mod commands;
mod consistency;
mod engine_options;
mod fairness;
mod folds;
mod inspection;
mod invalid_replies;
mod limits;
mod prompts;
mod replay;
mod replies;
mod report_charts;
mod retries;
mod room_faults;
mod sessions;
pub mod support;
mod timelines;

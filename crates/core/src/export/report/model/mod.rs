//! Model of a report: all that it tells, before it is rendered.

pub mod report_model;
pub mod room_models;
pub mod statement;

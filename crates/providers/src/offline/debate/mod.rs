//! The debate as the offline provider sees it in a task: arguments, turns and the history of a speaker.

pub mod debate;
pub mod history;
pub mod reading;
pub mod turns;

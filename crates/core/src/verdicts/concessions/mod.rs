//! Changes of mind: concessions, statements that participants grant each other, and shifts from one side to another.

pub mod concessions;
pub mod granted;
pub mod shifts;

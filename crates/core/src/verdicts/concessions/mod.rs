//! Changes of mind: concessions, statements that participants grant each other, the guard of common ground, and shifts from
//! one side to another.

pub mod concessions;
pub mod granted;
pub mod guard;
pub mod shifts;

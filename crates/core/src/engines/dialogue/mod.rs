//! The engine `dialogue`: four phases of talk, distilled into arguments and attacks.

pub mod dialogue;

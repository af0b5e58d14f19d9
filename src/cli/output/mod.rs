//! Output of commands: terminal or pipe, JSON or text, exit codes.

pub mod exit;
pub mod output;
pub mod reading_pace;
pub mod terminal;

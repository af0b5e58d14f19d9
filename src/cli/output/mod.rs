//! Output of commands: terminal or pipe, JSON or text, exit codes.

pub mod exit;
pub mod output;
pub mod progress_lines;
pub mod reading_pace;
pub mod terminal;

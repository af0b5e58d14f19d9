//! Output of commands: terminal, pager or pipe, JSON or text, exit codes.

pub mod api_json;
pub mod csv_text;
pub mod exit;
pub mod interrupts;
pub mod output;
pub mod pager;
pub mod progress_lines;
pub mod reading_pace;
pub mod records;
pub mod terminal;

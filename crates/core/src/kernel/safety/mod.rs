//! Foreign text beside prompts: sanitized, and scanned for attempts at prompt injection.

pub mod foreign_text;
pub mod injection_scan;
pub mod sanitize;

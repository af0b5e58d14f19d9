//! Foreign text beside prompts: sanitized, and scanned for attempts at prompt injection.

pub mod injection_scan;
pub mod sanitize;

//! The HTTP API: queries, pages, errors, tokens, observability, and what a request costs.

mod analysis_page;
mod analyst_dashboard;
mod brief_equals_full;
mod connections;
mod debate_export;
mod documented_commands;
mod engine_options;
mod error_codes;
mod hostile_requests;
mod http_features;
mod log_jsonl;
mod node_ids;
mod observability;
mod recipe_page;
mod rust_client;
mod secrets_in_logs;
mod statement_counts;
mod table_export;
mod tokens;

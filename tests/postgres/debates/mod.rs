//! Whole debates: driven by the service, by an external engine or from an import, and read back.

mod command_output;
mod commands;
mod comparisons;
mod debate_queries;
mod drivers;
mod external_engine;
mod grounding;
mod imports;
mod inference_audits;
mod personas;
mod position_drafts;
mod probes;
mod redistilled;
mod reproducibility;
mod rooms;
mod service;
mod suggested_questions;
mod talk_views;

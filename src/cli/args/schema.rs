//! Arguments of `schema`.

use clap::{Args, ValueEnum};

/// Arguments of `schema`.
#[derive(Args)]
pub struct SchemaArgs {
    /// Print the reference of event kinds instead: fields, recorders, JSON Schemas.
    #[arg(long)]
    pub events: bool,
    /// Format of the reference of event kinds.
    #[arg(long, value_enum, default_value_t = ReferenceFormat::Json, requires = "events")]
    pub format: ReferenceFormat,
}

/// Formats of the reference of event kinds.
#[derive(Clone, Copy, ValueEnum)]
pub enum ReferenceFormat {
    /// One JSON document with a JSON Schema of each body.
    Json,
    /// The page docs/events.md.
    Markdown,
}

//! Arguments of `export --table`.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use crate::cli::args::debate_filter::DebateFilterArgs;
use faultline_core::export::tables::registry::TABLES;

/// Table to export, and the debates in it.
#[derive(Args)]
pub struct TableArgs {
    /// Export a table over many debates instead of one debate: as csv, parquet or jsonl.
    #[arg(long, value_name = "TABLE", value_parser = tables())]
    pub table: Option<String>,
    /// Conditions on the debates of the table.
    #[command(flatten)]
    pub filter: DebateFilterArgs,
}

fn tables() -> PossibleValuesParser {
    PossibleValuesParser::new(TABLES.iter().map(|table| PossibleValue::new(table.name).help(table.about)))
}

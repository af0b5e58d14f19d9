//! Arguments of `export --table`.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use faultline_core::export::tables::registry::TABLES;

/// Table to export, and the debates in it.
#[derive(Args)]
pub struct TableArgs {
    /// Export a table over many debates instead of one debate: as csv, parquet or jsonl.
    #[arg(long, value_name = "TABLE", value_parser = tables())]
    pub table: Option<String>,
    /// Only debates with this status: running, paused, concluded or cancelled.
    #[arg(long, requires = "table", conflicts_with = "id")]
    pub status: Option<String>,
    /// Only debates run by this engine.
    #[arg(long, requires = "table", conflicts_with = "id")]
    pub engine: Option<String>,
    /// Only debates with this provider.
    #[arg(long, requires = "table", conflicts_with = "id")]
    pub provider: Option<String>,
    /// Only debates in this regime: consensus, polarized, partial or undetermined.
    #[arg(long, requires = "table", conflicts_with = "id")]
    pub regime: Option<String>,
    /// Only debates in which this persona takes part.
    #[arg(long, requires = "table", conflicts_with = "id")]
    pub persona: Option<String>,
    /// Only debates whose topic contains this text.
    #[arg(long, requires = "table", conflicts_with = "id")]
    pub search: Option<String>,
    /// Only debates that ended so: settled, exhausted, limit, stalled, failed or cancelled.
    #[arg(long, requires = "table", conflicts_with = "id")]
    pub outcome: Option<String>,
    /// Only debates in which this model answered.
    #[arg(long, requires = "table", conflicts_with = "id")]
    pub model: Option<String>,
    /// Only debates opened on this day or later: a date (2026-03-01) or a time (2026-03-01T12:00:00Z), in UTC.
    #[arg(long, requires = "table", conflicts_with = "id", value_name = "DATE")]
    pub since: Option<String>,
    /// Only debates opened before this day or time.
    #[arg(long, requires = "table", conflicts_with = "id", value_name = "DATE")]
    pub until: Option<String>,
}

impl TableArgs {
    /// Returns the given filters: the option, the name of the filter, and its value.
    pub fn filters(&self) -> impl Iterator<Item = (&'static str, &'static str, &str)> {
        let filters = [
            ("--status", "status", &self.status),
            ("--engine", "engine", &self.engine),
            ("--provider", "provider", &self.provider),
            ("--regime", "regime", &self.regime),
            ("--persona", "persona", &self.persona),
            ("--search", "search", &self.search),
            ("--outcome", "outcome", &self.outcome),
            ("--model", "model", &self.model),
            ("--since", "openedAfter", &self.since),
            ("--until", "openedBefore", &self.until),
        ];
        filters.into_iter().filter_map(|(option, name, value)| Some((option, name, value.as_deref()?)))
    }
}

fn tables() -> PossibleValuesParser {
    PossibleValuesParser::new(TABLES.iter().map(|table| PossibleValue::new(table.name).help(table.about)))
}

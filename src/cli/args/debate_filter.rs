//! Arguments that select debates, shared by all commands over many debates.

use clap::Args;

use crate::cli::output::exit::CliError;
use faultline_service::scans::debate_filter::add_condition;
use faultline_store::views::debates::DebateQuery;

/// Option, name of the condition, and the value if it is given.
type Condition<'a> = (&'static str, &'static str, Option<&'a str>);

/// Filter of debates; all given conditions must hold.
#[derive(Args, Clone, Debug, Default)]
pub struct DebateFilterArgs {
    /// Only debates with this status: running, paused, concluded or cancelled.
    #[arg(long)]
    pub status: Option<String>,
    /// Only debates in which this persona takes part.
    #[arg(long)]
    pub persona: Option<String>,
    /// Only debates whose topic contains this text.
    #[arg(long)]
    pub search: Option<String>,
    /// Conditions on how the debates were run, and ended.
    #[command(flatten)]
    pub origin: DebateOriginArgs,
}

/// Conditions on how debates were run, and ended.
#[derive(Args, Clone, Debug, Default)]
pub struct DebateOriginArgs {
    /// Only of debates run by this engine.
    #[arg(long)]
    pub engine: Option<String>,
    /// Only of debates with this verdict: consensus, partial, polarized or undetermined.
    #[arg(long)]
    pub regime: Option<String>,
    /// Only of debates that ended so: settled, exhausted, limit, stalled, failed or cancelled.
    #[arg(long)]
    pub outcome: Option<String>,
    /// Only of debates with this provider.
    #[arg(long)]
    pub provider: Option<String>,
    /// Only of debates in which this model answered.
    #[arg(long)]
    pub model: Option<String>,
    /// Only of debates opened on this day or later: a day (2027-01-31), or a time with its offset (2027-01-31T12:00:00Z).
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Only of debates opened before this day or time.
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
}

impl DebateFilterArgs {
    /// Returns the filter of the stored list.
    ///
    /// # Errors
    /// [`CliError::Usage`] if a value is none of those of its condition.
    pub fn query(&self) -> Result<DebateQuery, CliError> {
        query(self.conditions())
    }

    /// Returns the first option that is given.
    pub fn first_given(&self) -> Option<&'static str> {
        self.conditions().find_map(|(option, _, value)| value.map(|_| option))
    }

    fn conditions(&self) -> impl Iterator<Item = Condition<'_>> {
        let own = [
            ("--status", "status", self.status.as_deref()),
            ("--persona", "persona", self.persona.as_deref()),
            ("--search", "search", self.search.as_deref()),
        ];
        own.into_iter().chain(self.origin.conditions())
    }
}

impl DebateOriginArgs {
    /// Returns the filter of the stored list; `None` if no condition is given.
    ///
    /// # Errors
    /// [`CliError::Usage`] if a value is none of those of its condition.
    pub fn query(&self) -> Result<Option<DebateQuery>, CliError> {
        Ok(Some(query(self.conditions())?).filter(|query| *query != DebateQuery::default()))
    }

    fn conditions(&self) -> impl Iterator<Item = Condition<'_>> {
        [
            ("--engine", "engine", self.engine.as_deref()),
            ("--regime", "regime", self.regime.as_deref()),
            ("--outcome", "outcome", self.outcome.as_deref()),
            ("--provider", "provider", self.provider.as_deref()),
            ("--model", "model", self.model.as_deref()),
            ("--since", "openedAfter", self.since.as_deref()),
            ("--until", "openedBefore", self.until.as_deref()),
        ]
        .into_iter()
    }
}

fn query<'a>(conditions: impl Iterator<Item = Condition<'a>>) -> Result<DebateQuery, CliError> {
    let mut query = DebateQuery::default();
    for (option, name, value) in conditions {
        if let Some(value) = value {
            add_condition(&mut query, name, value).map_err(|reason| CliError::Usage(format!("{option}: {reason}")))?;
        }
    }
    Ok(query)
}

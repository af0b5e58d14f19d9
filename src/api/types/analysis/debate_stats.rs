//! GraphQL types of statistics across debates.

use async_graphql::{Enum, ID, SimpleObject};

use crate::api::types::scalars::RegimeKind;
use faultline_core::measures::interval::mean_interval;
use faultline_core::measures::measure::rounded;
use faultline_store::views::debate_stats;
use faultline_store::views::debate_stats::Figure;

/// Properties by which debates are grouped.
#[derive(Enum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[graphql(remote = "faultline_store::views::debate_stats::GroupBy")]
pub enum DebateGrouping {
    /// Engine.
    Engine,
    /// Overall state.
    Regime,
    /// Kind of the outcome; null while the debate goes on.
    Outcome,
    /// Status.
    Status,
    /// Participant. A debate counts once for each of its participants.
    Persona,
    /// Model provider.
    Provider,
    /// Model that answered. A debate counts once for each of its models.
    Model,
    /// Topic.
    Topic,
    /// Month of the opening, in UTC: `2026-03`.
    Month,
}

/// Statistics across debates.
#[derive(SimpleObject)]
pub struct DebateStats {
    /// Groups, the one with the most debates first, then by their values; at most 500.
    groups: Vec<DebateGroup>,
    /// True if there are more than 500 groups, so that some are missing.
    has_more_groups: bool,
}

/// Debates with the same properties.
#[derive(SimpleObject)]
pub struct DebateGroup {
    /// Properties that the debates have in common, in the order of the request.
    properties: Vec<GroupProperty>,
    /// Number of debates.
    debate_count: i64,
    /// Number of those that have ended.
    ended_count: i64,
    /// Number of debates by overall state; states without debates are omitted.
    regimes: Vec<RegimeCount>,
    /// Summaries of the figures: `turns`, `tokens`, `cost` in US dollars, `seconds` from opening to end; those of the
    /// participant, such as `own_words` and `own_concessions`, if debates are grouped by it; and the requested measures.
    figures: Vec<FigureSummary>,
}

/// A property that the debates of a group have in common.
#[derive(SimpleObject)]
pub struct GroupProperty {
    /// The property.
    by: DebateGrouping,
    /// Its value; null if the debates have none.
    value: Option<String>,
    /// The value as an id, if the property is the participant.
    persona_id: Option<ID>,
}

/// Number of debates with an overall state.
#[derive(SimpleObject)]
pub struct RegimeCount {
    /// The state.
    regime: RegimeKind,
    /// Number of debates.
    count: i64,
}

/// Summary of a figure over the debates of a group.
#[derive(SimpleObject)]
pub struct FigureSummary {
    /// Name of the figure, or key of the measure.
    key: String,
    /// Number of debates that have a value. A measure has one only in debates that have ended.
    count: i64,
    /// Sum of the values.
    sum: f64,
    /// Mean; null without values.
    mean: Option<f64>,
    /// Standard deviation of the sample; null with fewer than two values.
    deviation: Option<f64>,
    /// Lower end of the interval that contains the mean of all such debates with a confidence of 95 % (Student's t); null
    /// with fewer than two values.
    low: Option<f64>,
    /// Upper end of the interval.
    high: Option<f64>,
    /// Smallest value.
    minimum: Option<f64>,
    /// Median.
    median: Option<f64>,
    /// Greatest value.
    maximum: Option<f64>,
}

impl DebateStats {
    /// Converts statistics by these properties, with these figures.
    pub fn new(found: debate_stats::DebateStats, by: &[DebateGrouping], figures: &[Figure]) -> DebateStats {
        let groups = found.groups.into_iter().map(|group| DebateGroup::new(group, by, figures)).collect();
        DebateStats { groups, has_more_groups: found.more }
    }
}

impl DebateGroup {
    fn new(group: debate_stats::DebateGroup, by: &[DebateGrouping], figures: &[Figure]) -> DebateGroup {
        let property = |(by, value): (&DebateGrouping, String)| {
            let value = Some(value).filter(|value| !value.is_empty());
            let persona_id = value.clone().filter(|_| *by == DebateGrouping::Persona).map(ID);
            GroupProperty { by: *by, value, persona_id }
        };
        let regimes = group
            .regimes
            .iter()
            .filter_map(|(name, count)| regime_named(name).map(|regime| RegimeCount { regime, count: *count }));
        DebateGroup {
            properties: by.iter().zip(group.values).map(property).collect(),
            debate_count: group.n_debates,
            ended_count: group.n_ended,
            regimes: regimes.collect(),
            figures: figures.iter().zip(&group.figures).map(|(figure, it)| FigureSummary::new(figure, *it)).collect(),
        }
    }
}

impl FigureSummary {
    fn new(figure: &Figure, spread: debate_stats::Spread) -> FigureSummary {
        let interval = spread
            .mean
            .zip(spread.deviation)
            .and_then(|(mean, it)| mean_interval(spread.n, mean, it, figure.is_share()));
        FigureSummary {
            key: figure.name().to_owned(),
            count: spread.n,
            sum: rounded(spread.sum),
            mean: spread.mean.map(rounded),
            deviation: spread.deviation.map(rounded),
            low: interval.map(|(low, _)| rounded(low)),
            high: interval.map(|(_, high)| rounded(high)),
            minimum: spread.least.map(rounded),
            median: spread.median.map(rounded),
            maximum: spread.greatest.map(rounded),
        }
    }
}

fn regime_named(name: &str) -> Option<RegimeKind> {
    let all = [RegimeKind::Undetermined, RegimeKind::Consensus, RegimeKind::Polarized, RegimeKind::Partial];
    all.into_iter().find(|regime| regime.name() == name)
}

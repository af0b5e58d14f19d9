//! GraphQL queries of statistics across debates.

use async_graphql::futures_util::FutureExt;
use async_graphql::{Context, Object, Result};

use crate::api::complexity::SEARCH_COMPLEXITY;
use crate::api::error::field_limit;
use crate::api::pages::debate_pages::store_filter;
use crate::api::pinned_generation;
use crate::api::types::analysis::debate_stats::{DebateGrouping, DebateStats};
use crate::api::types::analysis::measure::{MeasureDefinition, known_measures};
use crate::api::types::debate::debate_list::DebateFilter;
use faultline_core::measures::registry::MEASURES;
use faultline_store::views::debate_stats::DebateStatsQuery;
use faultline_store::views::views::Views;

/// Maximum number of properties by which debates are grouped.
const MAX_PROPERTIES: usize = 3;

/// Queries of statistics.
#[derive(Default)]
pub struct StatisticsQuery;

/// Queries of statistics across debates.
#[Object]
impl StatisticsQuery {
    /// Summarizes debates, in groups with the same properties: how many there are, their overall states, and figures with
    /// mean, deviation and an interval. Eventually consistent, like the list of debates.
    #[graphql(complexity = "SEARCH_COMPLEXITY + child_complexity")]
    async fn debate_stats(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "Properties by which debates are grouped, at most three; none for one group of all.",
            default
        )]
        by: Vec<DebateGrouping>,
        #[graphql(desc = "Only debates that match all conditions.")] filter: Option<DebateFilter>,
        #[graphql(desc = "Keys of measures to summarize, as `measureDefinitions` lists them.", default)] measures: Vec<
            String,
        >,
    ) -> Result<DebateStats> {
        if by.len() > MAX_PROPERTIES {
            let reason = format!("too many properties: at most {MAX_PROPERTIES}");
            return Err(field_limit(&reason, "stats_properties", MAX_PROPERTIES, by.len()));
        }
        let known = known_measures(&measures)?;
        let filter = store_filter(filter.unwrap_or_default())?;
        let request = DebateStatsQuery::new(by.iter().map(|it| (*it).into()).collect(), filter, &known);
        let (views, request) = (context.data::<Views>()?, &request);
        let read = |generation| {
            let read = async move {
                let found = views.debate_stats(generation, request).await?;
                Ok((found.generation, found))
            };
            read.boxed()
        };
        let found = pinned_generation::read(context, read).await?;
        Ok(DebateStats::new(found, &by, &request.figures))
    }

    /// Lists all measures with their formulas, in the order in which they are shown.
    async fn measure_definitions(&self) -> Vec<MeasureDefinition> {
        MEASURES.iter().map(MeasureDefinition::from).collect()
    }
}

//! GraphQL queries of statistics across debates.

use async_graphql::futures_util::FutureExt;
use async_graphql::{Context, Object, Result};

use crate::api::complexity::{SEARCH_COMPLEXITY, assumed_page_size};
use crate::api::error::{field_limit, from_fault, invalid};
use crate::api::pages::debate_pages::store_filter;
use crate::api::pinned_generation;
use crate::api::types::analysis::debate_stats::{DebateGrouping, DebateStats};
use crate::api::types::analysis::measure::MeasureDefinition;
use crate::api::types::analysis::persona_agreement::PersonaAgreement;
use crate::api::types::debate::debate_list::DebateFilter;
use faultline_core::measures::registry::{MEASURES, summarized_measure};
use faultline_service::service::DebateService;
use faultline_store::views::debate_stats::DebateStatsQuery;
use faultline_store::views::persona_agreements::MAX_PAIRS;
use faultline_store::views::views::Views;

/// Maximum number of properties by which debates are grouped.
const MAX_PROPERTIES: usize = 3;
/// Number of pairs of personas unless another one is requested.
const DEFAULT_PAIRS: i32 = 100;

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
        let known = measures.iter().map(|key| summarized_measure(key).map_err(|reason| invalid(&reason)));
        let known = known.collect::<Result<Vec<_>>>()?;
        let filter = store_filter(filter.unwrap_or_default())?;
        let with_medians = context.look_ahead().field("groups").field("figures").field("median").exists();
        let by_properties = by.iter().map(|it| (*it).into()).collect();
        let request = DebateStatsQuery { with_medians, ..DebateStatsQuery::new(by_properties, filter, &known) };
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

    /// Compares the present sides of all pairs of personas that debated with each other: on how many questions both hold a
    /// side, and on how many it is the same, the pair with the most questions first. Eventually consistent, like the list
    /// of debates.
    #[graphql(complexity = "SEARCH_COMPLEXITY + assumed_page_size(first) * child_complexity")]
    async fn persona_agreements(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Only debates that match all conditions.")] debates: Option<DebateFilter>,
        #[graphql(desc = "Maximum number of pairs: 1 to 1,000; by default 100.")] first: Option<i32>,
    ) -> Result<Vec<PersonaAgreement>> {
        let limit = i64::from(first.unwrap_or(DEFAULT_PAIRS));
        if !(1..=MAX_PAIRS).contains(&limit) {
            return Err(invalid(&format!("`first` must be between 1 and {MAX_PAIRS}")));
        }
        let filter = store_filter(debates.unwrap_or_default())?;
        let generation = pinned_generation::generation(context).await?;
        let found = context.data::<Views>()?.persona_agreements(generation, &filter, limit).await;
        let catalog = context.data::<DebateService>()?.catalog();
        let found = found.map_err(|error| from_fault(&error))?.into_iter();
        Ok(found.map(|it| PersonaAgreement::new(it, catalog)).collect())
    }

    /// Lists all measures with their formulas, in the order in which they are shown.
    async fn measure_definitions(&self) -> Vec<MeasureDefinition> {
        MEASURES.iter().map(MeasureDefinition::from).collect()
    }
}

//! The GraphQL schema and its SDL text.

use std::sync::{Arc, LazyLock};

use async_graphql::extensions::Analyzer;
use async_graphql::{SDLExportOptions, Schema, SchemaBuilder};
use chrono::{DateTime, NaiveDate, Utc};

use crate::api::admission::cost_limits::CostLimits;
use crate::api::execution::response_order::FieldTypes;
use crate::api::loading::library_loader::LibraryLoader;
use crate::api::loading::timelines::Timelines;
use crate::api::schema::mutation::Mutation;
use crate::api::schema::query::Query;
use crate::api::schema::subscription::Subscription;
use crate::api::types::debate::driver::Runners;
use crate::api::types::persona::shared_corpus::SharedCorpora;
use crate::limits::ApiLimits;
use faultline_service::cross_debate_search::CrossDebateSearch;
use faultline_service::drafts::draft_board::DraftBoard;
use faultline_service::feeds::event_feeds::EventFeeds;
use faultline_service::service::DebateService;
use faultline_store::views::views::Views;

/// Maximum number of directives on one field.
pub const MAX_DIRECTIVES: usize = 8;

/// Schema of the service.
pub type Api = Schema<Query, Mutation, Subscription>;

/// Services that resolvers use.
#[derive(Clone)]
pub struct SchemaServices {
    /// Application service: executes commands and reads debates.
    pub service: DebateService,
    /// Stored views.
    pub views: Views,
    /// Search across debates.
    pub inquiry: CrossDebateSearch,
    /// Event feeds for subscriptions.
    pub feeds: EventFeeds,
    /// Drafts of debates that this process drives.
    pub drafts: DraftBoard,
}

/// Builds the schema over these services, with these limits.
pub fn schema(sources: SchemaServices, limits: &ApiLimits) -> Api {
    over(builder(limits), sources)
}

/// Builds the schema variant that reports the cost of each request.
pub fn costing_schema(sources: SchemaServices, limits: &ApiLimits) -> Api {
    over(unlimited(limits).extension(CostLimits::from(limits)).extension(Analyzer), sources)
}

fn over(builder: SchemaBuilder<Query, Mutation, Subscription>, sources: SchemaServices) -> Api {
    let SchemaServices { service, views, inquiry, feeds, drafts } = sources;
    let (library, runners) = (LibraryLoader::loader(service.clone()), Runners::loader(service.clone()));
    let corpora = SharedCorpora::loader(service.clone());
    let builder = builder.data(service).data(library).data(corpora).data(runners);
    builder.data(views).data(inquiry).data(feeds).data(drafts).data(Timelines::default()).finish()
}

/// Returns the SDL text. It has no description of the schema itself, which several clients cannot parse: `__schema { description }`
/// returns it.
pub fn sdl() -> String {
    let options = SDLExportOptions::new()
        .include_specified_by()
        .sorted_fields()
        .sorted_arguments()
        .sorted_enum_items()
        .prefer_single_line_descriptions();
    let mut text = builder(&ApiLimits::default()).finish().sdl_with_options(options);
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// Returns the types of all fields. They are the same for all services of a process, and are read from the SDL once.
pub fn field_types() -> Arc<FieldTypes> {
    static FIELD_TYPES: LazyLock<Arc<FieldTypes>> = LazyLock::new(|| Arc::new(FieldTypes::new(&sdl())));
    Arc::clone(&FIELD_TYPES)
}

fn builder(limits: &ApiLimits) -> SchemaBuilder<Query, Mutation, Subscription> {
    unlimited(limits).limit_depth(limits.depth).limit_complexity(limits.cost)
}

/// Returns a builder without limits on cost and depth. Errors suggest names unless introspection is disabled: they would
/// reveal the schema.
fn unlimited(limits: &ApiLimits) -> SchemaBuilder<Query, Mutation, Subscription> {
    let builder = Schema::build(Query::default(), Mutation, Subscription)
        .limit_directives(MAX_DIRECTIVES)
        .override_output_type_description::<DateTime<Utc>>(
            "Time in UTC as RFC 3339 text with microseconds: `2026-03-01T12:30:00.123456+00:00`.",
        )
        .override_output_type_description::<NaiveDate>("Date without a time, as in ISO 8601: `2026-03-01`.");
    if limits.introspection == 0 { builder.disable_suggestions() } else { builder }
}

//! The schema, and its text.

use async_graphql::extensions::Analyzer;
use async_graphql::{SDLExportOptions, Schema, SchemaBuilder};

use crate::api::mutation::Mutation;
use crate::api::query::Query;
use crate::api::subscription::Subscription;
use crate::api::types::grounding::Passages;
use crate::desk::desk::Desk;
use crate::desk::feeds::Feeds;
use crate::desk::inquiry::Inquiry;
use crate::limits::Limits;
use crate::store::views::Views;

/// How many directives one field may bear.
pub const MAX_DIRECTIVES: usize = 8;

/// The schema of the service.
pub type Api = Schema<Query, Mutation, Subscription>;

/// What fields ask.
#[derive(Clone)]
pub struct Sources {
    /// Where commands are granted or refused, and debates read.
    pub desk: Desk,
    /// The stored views.
    pub views: Views,
    /// Whoever asks across debates.
    pub inquiry: Inquiry,
    /// Whoever reads the log for those who follow it.
    pub feeds: Feeds,
}

/// The schema over these sources, within these limits.
pub fn schema(sources: Sources, limits: &Limits) -> Api {
    over(builder(limits), sources)
}

/// The same, which says with each response what the request cost.
pub fn costing_schema(sources: Sources, limits: &Limits) -> Api {
    over(builder(limits).extension(Analyzer), sources)
}

fn over(builder: SchemaBuilder<Query, Mutation, Subscription>, sources: Sources) -> Api {
    let Sources { desk, views, inquiry, feeds } = sources;
    let passages = Passages::loader(desk.clone());
    builder.data(desk).data(passages).data(views).data(inquiry).data(feeds).finish()
}

/// The schema's text, as it is committed.
pub fn sdl() -> String {
    let options = SDLExportOptions::new()
        .include_specified_by()
        .sorted_fields()
        .sorted_arguments()
        .sorted_enum_items()
        .prefer_single_line_descriptions();
    let mut text = builder(&Limits::default()).finish().sdl_with_options(options);
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn builder(limits: &Limits) -> SchemaBuilder<Query, Mutation, Subscription> {
    Schema::build(Query, Mutation, Subscription)
        .limit_depth(limits.depth)
        .limit_complexity(limits.cost)
        .limit_directives(MAX_DIRECTIVES)
        .disable_suggestions()
}

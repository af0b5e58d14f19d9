//! The schema, and its text.

use async_graphql::extensions::Analyzer;
use async_graphql::futures_util::FutureExt;
use async_graphql::{SDLExportOptions, Schema, SchemaBuilder};

use crate::api::exceeded::CostLimits;
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
    over(unlimited().extension(CostLimits::from(limits)).extension(Analyzer), sources)
}

fn over(builder: SchemaBuilder<Query, Mutation, Subscription>, sources: Sources) -> Api {
    let Sources { desk, views, inquiry, feeds } = sources;
    let passages = Passages::loader(desk.clone());
    builder.data(desk).data(passages).data(views).data(inquiry).data(feeds).finish()
}

/// The schema's text, as it is committed: with what the service says of the schema as a whole. The library answers that to
/// whoever asks for `__schema { description }`, but neither writes it nor reads it where it is written.
pub fn described() -> String {
    // What is asked of the schema itself waits for nothing.
    let asked = builder(&Limits::default()).finish().execute("{ __schema { description } }").now_or_never();
    let told = asked.and_then(|it| it.data.into_json().ok()).unwrap_or_default();
    let about = &told["__schema"]["description"];
    let text = sdl();
    match text.rsplit_once("\nschema {") {
        // A text of JSON is one of GraphQL, marks and escapes included.
        Some((types, roots)) if about.is_string() => format!("{types}\n{about}\nschema {{{roots}"),
        _ => text,
    }
}

/// The schema's text, as the library writes and reads it.
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
    unlimited().limit_depth(limits.depth).limit_complexity(limits.cost)
}

/// Without limits on cost and depth.
fn unlimited() -> SchemaBuilder<Query, Mutation, Subscription> {
    Schema::build(Query, Mutation, Subscription).limit_directives(MAX_DIRECTIVES).disable_suggestions()
}

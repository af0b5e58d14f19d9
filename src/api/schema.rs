//! The schema, and its text.

use async_graphql::{SDLExportOptions, Schema, SchemaBuilder};

use crate::api::mutation::Mutation;
use crate::api::query::Query;
use crate::api::subscription::Subscription;
use crate::api::types::grounding::Passages;
use crate::desk::desk::Desk;
use crate::desk::inquiry::Inquiry;
use crate::store::tail::Tail;
use crate::store::views::Views;

/// How deep fields may nest.
pub const MAX_DEPTH: usize = 16;
/// How much a request may ask for: fields, those of lists as often as the list may be long, those that have to be folded
/// for more than one.
pub const MAX_COMPLEXITY: usize = 20_000;
/// How many directives one field may bear.
pub const MAX_DIRECTIVES: usize = 8;

/// The schema of the service.
pub type Api = Schema<Query, Mutation, Subscription>;

/// The schema over a desk.
pub fn schema(desk: Desk, views: Views, inquiry: Inquiry, tail: Tail) -> Api {
    let passages = Passages::loader(desk.clone());
    builder().data(desk).data(passages).data(views).data(inquiry).data(tail).finish()
}

/// The schema's text, as it is committed.
pub fn sdl() -> String {
    let options = SDLExportOptions::new()
        .include_specified_by()
        .sorted_fields()
        .sorted_arguments()
        .sorted_enum_items()
        .prefer_single_line_descriptions();
    let mut text = builder().finish().sdl_with_options(options);
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn builder() -> SchemaBuilder<Query, Mutation, Subscription> {
    Schema::build(Query, Mutation, Subscription)
        .limit_depth(MAX_DEPTH)
        .limit_complexity(MAX_COMPLEXITY)
        .limit_directives(MAX_DIRECTIVES)
        .disable_suggestions()
}

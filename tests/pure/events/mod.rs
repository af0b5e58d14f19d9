//! Events: their stored form, and the reference of their kinds.

mod body_schema;
mod contents;
mod reference;
mod wire;

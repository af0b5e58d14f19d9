//! Direct JSON: writes common answers without building a GraphQL value for each field first.

pub mod direct_json;
pub mod response_json;

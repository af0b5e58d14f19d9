//! The GraphQL schema: queries, mutations, subscriptions, and the parts that make one schema of them.
//!
//! Knows the types and the pages; knows no transport.

pub mod mutation;
pub mod permissions;
pub mod query;
pub mod schema;
pub mod statistics_query;
pub mod subscription;

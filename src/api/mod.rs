//! How it is seen.
//!
//! GraphQL over HTTP and WebSocket ([`router`]), behind a guard that refuses what would harm the parser ([`guard`]).
//! Queries and mutations ask the desk; subscriptions follow the log. The API never calls a runner.
//!
//! Imports everything below; the only folder that knows GraphQL. [`types`] holds the counterparts of events and views,
//! which derive no GraphQL traits themselves.

pub mod error;
pub mod types;
pub mod query;
pub mod mutation;
pub mod subscription;
pub mod schema;
pub mod guard;
pub mod origin;
pub mod http;
pub mod router;

//! How it is seen.
//!
//! GraphQL over HTTP ([`http`]) and WebSocket ([`socket`]), behind a guard that refuses what would do harm ([`guard`]).
//! Queries and mutations ask the desk; subscriptions follow the log. The API never calls a runner.
//!
//! Imports everything below; the only folder that knows GraphQL. [`types`] holds the counterparts of events and views,
//! which derive no GraphQL traits themselves.

pub mod error;
pub mod frames;
pub mod graphiql;
pub mod guard;
pub mod http;
pub mod mutation;
pub mod origin;
pub mod query;
pub mod request;
pub mod router;
pub mod scan;
pub mod schema;
pub mod shape;
pub mod socket;
pub mod subscription;
pub mod types;
pub mod weigh;

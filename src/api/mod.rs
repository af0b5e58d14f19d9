//! The API: GraphQL over HTTP ([`http`](transport::http)) and WebSocket ([`socket`](transport::socket)), and a few plain HTTP endpoints.
//!
//! Requests pass admission control ([`admission`](execution::admission)); connections are counted and have timeouts
//! ([`serving`](transport::serving)). Queries and mutations call the application service; subscriptions follow the log.
//! The API never calls a runner.
//!
//! May import every other folder; no other folder knows GraphQL. [`types`] contains the GraphQL counterparts of events
//! and views, which themselves derive no GraphQL traits; [`resolvers`] contains their fields that are computed on
//! demand.

pub mod admission;
pub mod batching;
pub mod complexity;
pub mod error;
pub mod execution;
pub mod ids;
pub mod json;
pub mod loading;
pub mod local;
pub mod pages;
pub mod paging;
pub mod pinned_generation;
pub mod resolvers;
pub mod role;
pub mod router;
pub mod schema;
pub mod streams;
pub mod telemetry;
pub mod transport;
pub mod types;

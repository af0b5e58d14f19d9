//! The API: GraphQL over HTTP ([`http`]) and WebSocket ([`socket`]), and a few plain HTTP endpoints.
//!
//! Requests pass admission control ([`guard`]); connections are counted and have timeouts ([`serving`]). Queries and
//! mutations call the application service; subscriptions follow the log. The API never calls a runner.
//!
//! May import every other folder; no other folder knows GraphQL. [`types`] contains the GraphQL counterparts of events
//! and views, which themselves derive no GraphQL traits.

pub mod admission;
pub mod error;
pub mod execution;
pub mod json;
pub mod pages;
pub mod paging;
pub mod pinned_generation;
pub mod role;
pub mod router;
pub mod schema;
pub mod streams;
pub mod telemetry;
pub mod transport;
pub mod types;

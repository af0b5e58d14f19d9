//! The API: GraphQL over HTTP ([`http`]) and WebSocket ([`socket`]), and a few plain HTTP endpoints.
//!
//! Requests pass admission control ([`guard`]); connections are counted and have timeouts ([`serving`]). Queries and
//! mutations call the application service; subscriptions follow the log. The API never calls a runner.
//!
//! May import every other folder; no other folder knows GraphQL. [`types`] contains the GraphQL counterparts of events
//! and views, which themselves derive no GraphQL traits.

pub mod error;
pub mod role;
pub mod token_file;
pub mod tokens;
pub mod plain;
pub mod written;
pub mod folds;
pub mod types;
pub mod paging;
pub mod crux_pages;
pub mod debate_pages;
pub mod dispute_pages;
pub mod stream_pages;
pub mod log_pages;
pub mod query;
pub mod mutation;
pub mod subscription;
pub mod exceeded;
pub mod schema;
pub mod scan;
pub mod weigh;
pub mod documents;
pub mod shape;
pub mod shown;
pub mod seen;
pub mod reading;
pub mod request_id;
pub mod rate;
pub mod persisted;
pub mod guard;
pub mod origin;
pub mod observe;
pub mod receive_meter;
pub mod request;
pub mod etag;
pub mod answer;
pub mod http;
pub mod streams;
pub mod frames;
pub mod socket;
pub mod feed;
pub mod log_lines;
pub mod graphiql;
pub mod readiness;
pub mod router;
pub mod serving;

//! How it is seen.
//!
//! GraphQL over HTTP ([`http`]) and WebSocket ([`socket`]), behind a guard that refuses what would do harm ([`guard`]),
//! over connections that are counted and timed ([`serving`]).
//! Queries and mutations ask the desk; subscriptions follow the log. The API never calls a runner.
//!
//! Imports everything below; the only folder that knows GraphQL. [`types`] holds the counterparts of events and views,
//! which derive no GraphQL traits themselves.

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

//! Transports: HTTP, WebSocket and Server-Sent Events, the files of `GraphiQL`, and the probes of the service.
//!
//! Everything that reads or writes sockets is here. Execution is elsewhere; a transport hands it requests and writes its answers.

pub mod debate_export;
pub mod debate_path;
pub mod debate_sse;
pub mod graphiql;
pub mod http;
pub mod http_response;
pub mod log_jsonl;
pub mod readiness;
pub mod receive_meter;
pub mod request;
pub mod serving;
pub mod single_connection;
pub mod socket;
pub mod sse;
pub mod start_sse;
pub mod studio;
pub mod table_export;
pub mod web_libraries;
pub mod ws_messages;

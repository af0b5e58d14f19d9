//! Request ids, and the spans and metrics of requests and operations.

pub mod instrumentation;
pub mod request_id;
pub mod request_scope;

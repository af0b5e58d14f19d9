//! Execution of operations: admission, document cache, replica routing, session consistency, `ETag`s and the order of fields.

pub mod admission;
pub mod document_cache;
pub mod etag;
pub mod field_hints;
pub mod replica_executor;
pub mod response_order;
pub mod session_consistency;

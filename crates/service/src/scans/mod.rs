//! Scans of stored events, page by page: the whole log, or one debate.

pub mod event_scan;
pub mod log_scan;
pub mod page_size;

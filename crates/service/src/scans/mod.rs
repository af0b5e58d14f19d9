//! Scans, page by page: the whole log, the events of one debate, its timeline, or the rows of a
//! table over many debates.

pub mod debate_filter;
pub mod event_scan;
pub mod log_scan;
pub mod page_size;
pub mod table_batch;
pub mod table_export;
pub mod table_scan;
pub mod timeline_scan;

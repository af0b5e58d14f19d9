//! The database: connections, transactions, migrations, free space, how rows are read, indexes of vectors,
//! the check for erased debates, pauses between attempts, the turns of clean-ups, and copies of rows.

pub mod disk_guard;
pub mod migrations;
pub mod pool;
pub mod rows;
pub mod transaction;

pub(crate) mod backoff;
pub(crate) mod erased;
pub(crate) mod row_copy;
pub(crate) mod scrub_queue;
pub(crate) mod vector_index;

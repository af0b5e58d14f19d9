//! The database: connections, transactions, migrations, free space, how rows are read, indexes of vectors, and
//! compression of long values.

pub mod disk_guard;
pub mod migrations;
pub mod pool;
pub mod rows;
pub mod transaction;

pub(crate) mod compression;
pub(crate) mod vector_index;

//! The database: connections, transactions, migrations, free space, and how rows are read.

pub mod disk_guard;
pub mod migrations;
pub mod pool;
pub mod rows;
pub mod transaction;

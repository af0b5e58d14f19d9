//! The database: connections, transactions, migrations, and how rows are read.

pub mod migrations;
pub mod pool;
pub mod rows;
pub mod transaction;

//! The database: connections, transactions, migrations, and how rows are read.

#[macro_use]
pub(crate) mod rows;

pub mod migrations;
pub mod pool;
pub mod transaction;

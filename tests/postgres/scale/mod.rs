//! Beyond one server: failover of a highly available PostgreSQL.

mod database_cluster;
mod failover;

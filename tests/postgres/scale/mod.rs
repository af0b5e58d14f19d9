//! Beyond one server: failover of a highly available Postgres.

mod database_cluster;
mod failover;

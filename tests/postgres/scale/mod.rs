//! Beyond one server: failover of a highly available Postgres, and edges that receive events over NATS.

mod database_cluster;
mod edges;
mod failover;
mod nats_server;

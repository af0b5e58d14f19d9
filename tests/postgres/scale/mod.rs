//! Beyond one server: lanes, corpora and vectors of questions on several, failover of a highly available Postgres, edges that receive events over
//! NATS, and a host whose cable is pulled.

mod corpora;
mod database_cluster;
mod edges;
mod failover;
mod lane_moves;
mod nats_server;
mod network_namespace;
mod questions;
mod shards;
mod unplugged;

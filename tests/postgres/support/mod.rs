//! Test support: databases, servers, clients and builders that the tests share.

pub mod client;
pub mod database;
pub mod database_servers;
pub mod debate_builder;
pub mod embeddings_server;
pub mod statement_counter;
pub mod test_server;

//! Test support: databases, servers, clients and builders that the tests share.

pub mod client;
pub mod corpus_folders;
pub mod database;
pub mod database_servers;
pub mod debate_builder;
pub mod model_servers;
pub mod environment;
pub mod event_inputs;
pub mod example_debates;
pub mod log_reads;
pub mod minilm_model;
pub mod phase_events;
pub mod process_stats;
pub mod random;
pub mod schema_fields;
pub mod service_process;
pub mod small_disk;
pub mod statement_counter;
pub mod test_home;
pub mod test_library;
pub mod test_server;
pub mod view_waits;
pub mod waiting;
pub mod websocket_client;

//! What needs a real Postgres, real sockets, real processes: each test has a database of its own.

mod support;
mod client;
mod house;
mod told;
mod endpoint;
mod servers;

mod embedded;
mod pool;
mod log;
mod race;
mod follower;
mod outage;
mod leases;
mod views;
mod cruxes;
mod asked;
mod talked;
mod grounded;
mod verify;
mod erasure;
mod library;
mod ingest;
mod sources;
mod personas;
mod minilm;
mod embeddings;
mod reembed;
#[path = "../retrieval/set.rs"]
#[expect(dead_code, reason = "the bench tells more than the test asks")]
mod set;
mod retrieval;
mod searches;
mod providers;
mod questions;
mod recurring;
mod service;
mod commands;
mod forks;
mod feed;
mod tokens;
mod import;
mod chaos;
mod rebuild;
mod letters;
mod opaque;
mod tamper;
mod layout;
mod replica;
mod backup;
mod rolling;
mod olden;
mod stocking;

//! Regression tests of security and durability holes: one file per hole, each with a real server and real sockets.

mod clients;
mod documents;
mod ledger;

mod all_at_once;
mod cancellation;
mod durable_keys;
mod erasure_coverage;
mod full_disk;
mod hostile_text;
mod kills;
mod parser_limits;
mod program_integrity;
mod query_cost;
mod request_guards;
mod secret_scrubbing;
mod socket_limits;
mod stalled_subscribers;
mod token_checks;

//! The database itself: connections, the private server, schema upgrades, backups and replicas.

mod backups;
mod connecting;
mod empty_folder;
mod layout;
mod private_server;
mod replica;
mod schema_upgrades;

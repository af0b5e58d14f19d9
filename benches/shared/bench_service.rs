//! Service under measurement, as a process of its own.

use std::path::PathBuf;
use std::process::Stdio;

use sqlx::ConnectOptions;
use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// Starts the service on a database, with further variables. Returns it with its address, such as `127.0.0.1:40123`. It
/// needs no embedder from elsewhere and has no rate limit, because all clients share one address.
pub async fn start_service(database: &PgConnectOptions, variables: &[(&str, PathBuf)]) -> (Child, String) {
    let mut service = Command::new(env!("CARGO_BIN_EXE_faultline"))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .env("DATABASE_URL", database.to_url_lossy().as_str())
        .env("FAULTLINE_EMBEDDER", "hashing")
        .env("FAULTLINE_LIMITS", "rate_address=0")
        .env("FAULTLINE_LOG", "warn")
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the service");
    let mut lines = BufReader::new(service.stdout.take().expect("a pipe")).lines();
    let first = lines.next_line().await.expect("read").expect("a line");
    let address = first.strip_prefix("serving on http://").unwrap_or_else(|| panic!("not an address: {first}"));
    let address = address.trim_end_matches('/').to_owned();
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    (service, address)
}

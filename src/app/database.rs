//! Finds Postgres: the one that `DATABASE_URL` names, or a private one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::app::error::AppError;
use crate::config::{Config, DEFAULT_HOME};
use crate::store::embedded::cluster::{Cluster, Tell, open};
use crate::store::embedded::place::Place;
use crate::store::embedded::refuge;
use crate::store::open::Store;
use crate::store::pool::Settings;

/// How long to wait for a server that is named and does not answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The store, and the private cluster that it is in, if it is.
///
/// # Errors
/// Where no Postgres can be reached or started: each says what to do about it.
pub async fn store(config: &Config, tell: Tell<'_>) -> Result<(Store, Option<Cluster>), AppError> {
    let settings = Settings { application: "faultline".to_owned(), connections: config.pool, patience: PATIENCE };
    if let Some(url) = &config.database_url {
        return Ok((Store::at(url, &settings).await?, None));
    }
    let cluster = open(&place(config), tell).await?;
    match Store::within(&cluster, &settings).await {
        Ok(store) => Ok((store, Some(cluster))),
        Err(fault) => {
            cluster.stop().await?;
            Err(fault.into())
        }
    }
}

/// Where the private cluster of this configuration lives.
pub fn place(config: &Config) -> Place {
    Place { bin: config.pg_bin.clone(), ..Place::under(&home(config)) }
}

/// Where the private server and the embedder's weights are kept. A home that was named stays where it was named; the
/// usual one moves where the server's user could not enter it.
pub fn home(config: &Config) -> PathBuf {
    if config.home == Path::new(DEFAULT_HOME) { refuge::home(&config.home) } else { config.home.clone() }
}

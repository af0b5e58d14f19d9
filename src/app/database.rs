//! Opens Postgres: the server at `DATABASE_URL`, or a private one.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::app::error::AppError;
use crate::config::{Config, DEFAULT_HOME};
use faultline_store::cipher::{EncryptionSettings, MasterKey};
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::embedded::cluster::{OnProgress, PrivatePostgres, open};
use faultline_store::embedded::fallback_dir;
use faultline_store::embedded::layout::ClusterLayout;
use faultline_store::open::Store;
use faultline_store::shard::ShardAddress;

/// Maximum time to wait for a configured server that does not answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Opens the store, and the private cluster that contains it, if any.
///
/// # Errors
/// [`AppError::Store`] or [`AppError::Embedded`] if no Postgres can be reached or started; [`AppError::Configuration`]
/// or [`AppError::Refused`] if a setting cannot be used. Each message contains the remedy.
pub async fn store(config: &Config, report: OnProgress<'_>) -> Result<(Store, Option<PrivatePostgres>), AppError> {
    let key = |name, path: &Option<PathBuf>| path.as_deref().map(|path| master_key(name, path)).transpose();
    let sealing = EncryptionSettings {
        encrypts_new: config.encrypts_new,
        master: key("FAULTLINE_MASTER_KEY", &config.master_key)?,
        also: key("FAULTLINE_MASTER_KEY_ALSO", &config.master_key_also)?,
    };
    let application = "faultline".to_owned();
    let min_free_bytes = config.min_free_bytes;
    let settings = ConnectionSettings {
        application,
        connections: config.pool,
        connect_limit: CONNECT_TIMEOUT,
        sealing,
        min_free_bytes,
        // Postgres wakes every listener for every notification; an edge learns of events on the bus.
        listens: !(config.is_edge && config.nats_url.is_some()),
        shards: config.shards.iter().map(|(name, url)| ShardAddress { name: name.clone(), url: url.clone() }).collect(),
    };
    if let Some(url) = &config.database_url {
        let store = Store::open_url(url, &settings).await?;
        let store = match &config.read_url {
            Some(url) => store.with_replica(url, &settings, config.read_lag)?,
            None => store,
        };
        return Ok((store, None));
    }
    if config.is_edge {
        let reason = "an edge serves the debates of other processes, but DATABASE_URL is not set, and no other process \
                       uses the private PostgreSQL. Set DATABASE_URL to the database of the others, or serve without \
                       --edge";
        return Err(AppError::Refused(reason.to_owned()));
    }
    if config.read_url.is_some() {
        let reason = "FAULTLINE_READ_URL names a replica, but DATABASE_URL is not set, and the private PostgreSQL has \
                       no replica. Set DATABASE_URL to the primary, or unset FAULTLINE_READ_URL";
        return Err(AppError::Configuration(reason.to_owned()));
    }
    let cluster = open(&cluster_layout(config), report).await?;
    match Store::open_private(&cluster, &settings).await {
        Ok(store) => Ok((store, Some(cluster))),
        Err(fault) => {
            cluster.stop().await?;
            Err(fault.into())
        }
    }
}

/// Reads the master key from the file that an environment variable names.
fn master_key(name: &str, path: &Path) -> Result<MasterKey, AppError> {
    let refuse = |why: &dyn Display| {
        let path = path.display();
        AppError::Refused(format!(
            "{name} names {path}, {why}. It must contain 64 hexadecimal digits: openssl rand -hex 32 > {path}"
        ))
    };
    let text = std::fs::read_to_string(path).map_err(|error| refuse(&format!("which cannot be read ({error})")))?;
    MasterKey::read(&text).ok_or_else(|| refuse(&"which contains something else"))
}

/// Returns the directories of this configuration's private cluster.
pub fn cluster_layout(config: &Config) -> ClusterLayout {
    ClusterLayout { bin: config.pg_bin.clone(), ..ClusterLayout::under(&home(config)) }
}

/// Returns the home directory of the private server and the embedder's weights. A configured home is used as it is; the
/// default one moves if the server's user could not enter it.
pub fn home(config: &Config) -> PathBuf {
    if config.home == Path::new(DEFAULT_HOME) { fallback_dir::home(&config.home) } else { config.home.clone() }
}

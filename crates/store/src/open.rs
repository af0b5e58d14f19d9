//! Opens the whole store, from an address or a private cluster.

use std::collections::BTreeSet;
use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, PgPool};

use crate::database::disk_guard::DiskGuard;
use crate::database::migrations::MIGRATOR;
use crate::database::pool::{ConnectionSettings, connect};
use crate::embedded::cluster::PrivatePostgres;
use crate::error::StoreError;
use crate::follow::log_tail::{POLL, Tail};
use crate::generations::generations::GenerationState;
use crate::leases::Leases;
use crate::library::open::Library;
use crate::log::log::Log;
use crate::replica::replica::Replica;
use crate::shards::attach::attach;
use crate::views::views::Views;

/// Name of the store's database in a private cluster.
const DATABASE: &str = "faultline";

/// The whole store, over one pool of connections.
#[derive(Clone, Debug)]
pub struct Store {
    /// The event log.
    pub log: Log,
    /// The listener that wakes followers of the log.
    pub tail: Tail,
    /// The stored views.
    pub views: Views,
    /// The leases: which process holds which debate.
    pub leases: Leases,
    /// The library: personas and their writings.
    pub library: Library,
    /// The read replica, if one is configured.
    pub replica: Option<Replica>,
    pool: PgPool,
}

impl Store {
    /// Opens the store at a `DATABASE_URL`.
    ///
    /// # Errors
    /// [`StoreError::Address`] if the URL cannot be parsed; otherwise as [`connect`].
    pub async fn open_url(url: &str, settings: &ConnectionSettings) -> Result<Store, StoreError> {
        let options =
            PgConnectOptions::from_str(url).map_err(|error| StoreError::Address { reason: error.to_string() })?;
        Store::open(options, settings).await
    }

    /// Opens the store in a private cluster; creates its database if it does not exist.
    ///
    /// # Errors
    /// As [`connect`].
    pub async fn open_private(cluster: &PrivatePostgres, settings: &ConnectionSettings) -> Result<Store, StoreError> {
        create_database(cluster).await?;
        let disk_guard = DiskGuard::new(cluster.state(), settings.min_free_bytes);
        Store::with_room(cluster.options(DATABASE), settings, Some(disk_guard)).await
    }

    /// Opens the store that these options address.
    ///
    /// # Errors
    /// As [`connect`].
    pub async fn open(options: PgConnectOptions, settings: &ConnectionSettings) -> Result<Store, StoreError> {
        Store::with_room(options, settings, None).await
    }

    async fn with_room(
        options: PgConnectOptions,
        settings: &ConnectionSettings,
        disk_guard: Option<DiskGuard>,
    ) -> Result<Store, StoreError> {
        let pool = connect(options, settings).await?;
        let shards = attach(pool.clone(), &settings.shards, settings).await?;
        let log = Log::start_on_shards(shards, settings.sealing.clone()).await?.with_disk_guard(disk_guard);
        let tail = match settings.listens {
            true => Tail::start(&log),
            false => Tail::start_without_listening(&log, POLL),
        };
        Ok(Store {
            tail,
            views: Views::on(log.shards().clone()),
            leases: Leases::on(log.shards().clone()),
            library: Library::on(log.shards().clone()),
            log,
            replica: None,
            pool,
        })
    }

    /// Returns the same store with a read replica that may lag at most `lag` behind.
    ///
    /// # Errors
    /// [`StoreError::ReadAddress`] if the URL cannot be parsed. A replica that cannot be reached is not an error.
    pub fn with_replica(self, url: &str, settings: &ConnectionSettings, lag: Duration) -> Result<Store, StoreError> {
        let replica = Replica::start(url, &self.log, settings, lag)?;
        Ok(Store { replica: Some(replica), ..self })
    }

    /// Returns the versions of the server and of pgvector, as text.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn server_version(&self) -> Result<String, StoreError> {
        let told: (String, String) = sqlx::query_as(
            "select current_setting('server_version'), extversion
            from pg_extension
            where extname = 'vector'",
        )
        .fetch_one(&self.pool)
        .await
        .map_err(StoreError::database("read the server's version"))?;
        Ok(format!("PostgreSQL {} with pgvector {}", told.0, told.1))
    }

    /// Returns the number of this program's migrations that are applied on every server, and the versions of the others.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn migrations(&self) -> Result<(usize, Vec<i64>), StoreError> {
        let mut missing: BTreeSet<i64> = BTreeSet::new();
        for pool in self.log.shards().pools() {
            let applied: Vec<i64> = sqlx::query_scalar(
                "select version
                from _sqlx_migrations
                where success",
            )
            .fetch_all(pool)
            .await
            .map_err(StoreError::database("list the applied migrations"))?;
            missing.extend(MIGRATOR.iter().map(|it| it.version).filter(|version| !applied.contains(version)));
        }
        let missing: Vec<i64> = missing.into_iter().collect();
        Ok((MIGRATOR.iter().count() - missing.len(), missing))
    }

    /// Returns the number of events by which the stored views lag behind the log. If no generation is served, or the
    /// served one was built by an older revision than `revision`, that is the number of all events, because all have to
    /// be read again.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses a statement.
    pub async fn lag(&self, revision: i32) -> Result<i64, StoreError> {
        let heads = self.log.heads().await?;
        let generations = self.views.generations().existing().await?;
        match generations.iter().find(|generation| generation.state == GenerationState::Served) {
            Some(it) if it.revision >= revision => self.views.behind(it.id, &heads).await,
            _ => Ok(heads.iter().sum()),
        }
    }

    /// Closes all connections.
    pub async fn close(&self) {
        if let Some(replica) = &self.replica {
            replica.close().await;
        }
        self.log.shards().close().await;
    }
}

async fn create_database(cluster: &PrivatePostgres) -> Result<(), StoreError> {
    const DUPLICATE_DATABASE: &str = "42P04";
    let attempt = StoreError::database("create the database in the private cluster");
    let mut connection = cluster.options("postgres").connect().await.map_err(&attempt)?;
    let there: Option<i32> = sqlx::query_scalar("select 1 from pg_database where datname = $1")
        .bind(DATABASE)
        .fetch_optional(&mut connection)
        .await
        .map_err(&attempt)?;
    if there.is_some() {
        return Ok(());
    }
    match sqlx::query("create database faultline").execute(&mut connection).await {
        Ok(_) => Ok(()),
        // Another process created it first.
        Err(sqlx::Error::Database(it)) if it.code().as_deref() == Some(DUPLICATE_DATABASE) => Ok(()),
        Err(error) => Err(attempt(error)),
    }
}

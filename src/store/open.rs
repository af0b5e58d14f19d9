//! From an address to the whole store.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, PgPool};

use crate::store::embedded::cluster::Cluster;
use crate::store::fault::Fault;
use crate::store::generations::GenerationState;
use crate::store::leases::Leases;
use crate::store::library::open::Library;
use crate::store::log::Log;
use crate::store::pool::{MIGRATOR, Settings, connect};
use crate::store::replica::Replica;
use crate::store::room::Room;
use crate::store::tail::Tail;
use crate::store::views::Views;

/// The database of a private cluster that holds the store.
const DATABASE: &str = "faultline";

/// Everything that is kept, over one pool of connections.
#[derive(Clone, Debug)]
pub struct Store {
    /// The log.
    pub log: Log,
    /// What wakes those who follow it.
    pub tail: Tail,
    /// The stored views.
    pub views: Views,
    /// Which runner holds which debate.
    pub leases: Leases,
    /// Personas and what they wrote.
    pub library: Library,
    /// A server that may be read instead, where one is named.
    pub replica: Option<Replica>,
    pool: PgPool,
}

impl Store {
    /// The store at a `DATABASE_URL`.
    ///
    /// # Errors
    /// [`Fault::Address`] where the URL is none; else as [`connect`].
    pub async fn at(url: &str, settings: &Settings) -> Result<Store, Fault> {
        let options = PgConnectOptions::from_str(url).map_err(|it| Fault::Address { reason: it.to_string() })?;
        Store::over(options, settings).await
    }

    /// The store in a private cluster; its database is made if it is not there.
    ///
    /// # Errors
    /// As [`connect`].
    pub async fn within(cluster: &Cluster, settings: &Settings) -> Result<Store, Fault> {
        create_database(cluster).await?;
        let room = Room::new(cluster.state(), settings.kept_free);
        Store::with_room(cluster.options(DATABASE), settings, Some(room)).await
    }

    /// The store behind these options.
    ///
    /// # Errors
    /// As [`connect`].
    pub async fn over(options: PgConnectOptions, settings: &Settings) -> Result<Store, Fault> {
        Store::with_room(options, settings, None).await
    }

    async fn with_room(options: PgConnectOptions, settings: &Settings, room: Option<Room>) -> Result<Store, Fault> {
        let pool = connect(options, settings).await?;
        let log = Log::sealing(pool.clone(), settings.sealing.clone()).await?.within(room);
        let tail = Tail::start(&log);
        Ok(Store {
            tail,
            views: Views::new(pool.clone()),
            leases: Leases::new(pool.clone()),
            library: Library::new(pool.clone()),
            log,
            replica: None,
            pool,
        })
    }

    /// The same store, some of which may be read from a replica that is at most so far behind.
    ///
    /// # Errors
    /// [`Fault::ReadAddress`] where the URL is none. A replica that is not there is none.
    pub fn with_replica(self, url: &str, settings: &Settings, lag: Duration) -> Result<Store, Fault> {
        let replica = Replica::start(url, &self.log, settings, lag)?;
        Ok(Store { replica: Some(replica), ..self })
    }

    /// What the server says of itself.
    ///
    /// # Errors
    /// The database's.
    pub async fn server(&self) -> Result<String, Fault> {
        let told: (String, String) = sqlx::query_as(
            "select current_setting('server_version'), extversion
            from pg_extension
            where extname = 'vector'",
        )
        .fetch_one(&self.pool)
        .await
        .map_err(Fault::database("ask the server for its version"))?;
        Ok(format!("PostgreSQL {} with pgvector {}", told.0, told.1))
    }

    /// How many migrations of this program are applied, and the numbers of those that are not.
    ///
    /// # Errors
    /// The database's.
    pub async fn migrations(&self) -> Result<(usize, Vec<i64>), Fault> {
        let applied: Vec<i64> = sqlx::query_scalar(
            "select version
            from _sqlx_migrations
            where success",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(Fault::database("ask for the migrations that are applied"))?;
        let (done, missing): (Vec<i64>, Vec<i64>) =
            MIGRATOR.iter().map(|it| it.version).partition(|it| applied.contains(it));
        Ok((done.len(), missing))
    }

    /// How many events the stored views are behind the log. Where those served are of an older fold than `revision`, or
    /// none are, all events still have to be read.
    ///
    /// # Errors
    /// The database's.
    pub async fn lag(&self, revision: i32) -> Result<i64, Fault> {
        let heads = self.log.heads().await?;
        let generations = self.views.generations().standing().await?;
        match generations.iter().find(|it| it.state == GenerationState::Served) {
            Some(it) if it.revision >= revision => self.views.behind(it.id, &heads).await,
            _ => Ok(heads.iter().sum()),
        }
    }

    /// Closes all connections.
    pub async fn close(&self) {
        if let Some(replica) = &self.replica {
            replica.close().await;
        }
        self.pool.close().await;
    }
}

async fn create_database(cluster: &Cluster) -> Result<(), Fault> {
    const DUPLICATE_DATABASE: &str = "42P04";
    let attempt = Fault::database("create the database in the private cluster");
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
        // Another process was quicker.
        Err(sqlx::Error::Database(it)) if it.code().as_deref() == Some(DUPLICATE_DATABASE) => Ok(()),
        Err(error) => Err(attempt(error)),
    }
}

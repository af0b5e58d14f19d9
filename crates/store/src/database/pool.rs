//! Connections: the pool, session settings, server requirements and migrations.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migration};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, Executor, PgPool};
use tokio::time::{Instant, sleep, timeout};

use crate::cipher::EncryptionSettings;
use crate::database::backoff::Backoff;
use crate::database::migrations::MIGRATOR;
use crate::error::{StoreError, is_tls_error, is_transient_error};
use crate::shard::ShardAddress;

/// Oldest supported major version of Postgres.
const OLDEST_SERVER: i32 = 16;
/// Oldest supported version of pgvector: the first with `halfvec`.
const OLDEST_VECTOR: (u32, u32) = (0, 7);
/// Oldest supported version of pgvector, as text for messages.
const OLDEST_VECTOR_TEXT: &str = "0.7";
/// Timeout of one attempt to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout for acquiring a connection from the pool.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout for acquiring a connection to a replica, which the primary can replace.
const READ_TIMEOUT: Duration = Duration::from_secs(1);
/// Idle time after which a connection is pinged before it is used.
const IDLE_TRUSTED: Duration = Duration::from_secs(1);

/// Settings of every session. Set by statement and not at start-up, because poolers such as `PgBouncer` refuse start-up
/// options.
const SESSION: &str = "
    set jit = off;
    set random_page_cost = 1.1;
    set statement_timeout = '30s';
    set idle_in_transaction_session_timeout = '60s'
";

/// Connection settings.
#[derive(Clone, Debug)]
pub struct ConnectionSettings {
    /// Application name under which the server lists this program's sessions.
    pub application: String,
    /// Maximum number of connections in the pool. In addition the log uses two for its writers, and the tail and the
    /// projector's membership one each.
    pub connections: u32,
    /// Maximum time to wait for a server that is down or still starting.
    pub connect_limit: Duration,
    /// Encryption settings for the bodies of debates.
    pub sealing: EncryptionSettings,
    /// Free bytes required on the disk of a private cluster: with less, appends are refused.
    pub min_free_bytes: u64,
    /// True to learn of the growth of the log by notifications of the server; false to poll alone, for a process with
    /// a message bus.
    pub listens: bool,
    /// Servers that hold lanes of the log, besides the one that is connected to.
    pub shards: Vec<ShardAddress>,
}

impl Default for ConnectionSettings {
    fn default() -> Self {
        let (application, sealing) = ("faultline".to_owned(), EncryptionSettings::default());
        ConnectionSettings {
            application,
            connections: 10,
            connect_limit: Duration::from_secs(30),
            sealing,
            min_free_bytes: 0,
            listens: true,
            shards: Vec::new(),
        }
    }
}

/// Connects, checks the server and runs the migrations.
///
/// # Errors
/// [`StoreError::Unreachable`], [`StoreError::TlsFailed`], [`StoreError::Refused`], [`StoreError::NoSession`],
/// [`StoreError::OldServer`], [`StoreError::NoVector`] or [`StoreError::Migration`], each with a remedy; any other
/// [`StoreError`] if a statement fails.
pub async fn connect(options: PgConnectOptions, settings: &ConnectionSettings) -> Result<PgPool, StoreError> {
    // Poolers refuse this startup parameter, and every supported server prints numbers exactly without it.
    let options = options.application_name(&settings.application).extra_float_digits(None);
    let place = place(&options);
    let mut connection = reach(&options, &place, settings.connect_limit).await?;
    check_server(&mut connection, &place).await?;
    provide_vector(&mut connection, &place).await?;
    migrate(&mut connection, &place).await?;
    // The connection is no longer needed, so an error while closing it does not matter.
    let _farewell = connection.close().await;
    Ok(pool(options, settings))
}

/// Opens a connection outside the pool, with the same session settings. The role is appended to the application name.
///
/// # Errors
/// [`StoreError::Timeout`] after 10 s; any other [`StoreError`] if the server cannot be reached or refuses the
/// connection.
pub async fn dedicated(pool: &PgPool, role: &str) -> Result<PgConnection, StoreError> {
    const ATTEMPT: &str = "connect to the database";
    let opened = timeout(CONNECT_TIMEOUT, async {
        let mut connection = options_for(pool, role).connect().await?;
        connection.execute(SESSION).await?;
        Ok(connection)
    });
    let opened = opened.await.map_err(|_| StoreError::Timeout { attempt: ATTEMPT, limit: CONNECT_TIMEOUT })?;
    opened.map_err(StoreError::database(ATTEMPT))
}

/// Closes a dedicated connection, whose advisory locks are released before this returns: the server notices the end of a
/// connection a little later.
///
/// # Errors
/// An error of the driver if the server cannot be reached. The locks are released all the same.
pub(crate) async fn close_unlocked(mut connection: PgConnection) -> Result<(), sqlx::Error> {
    connection.execute("select pg_advisory_unlock_all()").await?;
    connection.close().await
}

/// Returns the pool's options, with the role appended to the application name.
pub(crate) fn options_for(pool: &PgPool, role: &str) -> PgConnectOptions {
    let options = pool.connect_options().as_ref().clone();
    let name = format!("{} {role}", options.get_application_name().unwrap_or("faultline"));
    options.application_name(&name)
}

/// Returns a pool for a replica that may be down: it connects lazily and with a short timeout.
pub(crate) fn lazy(options: PgConnectOptions, settings: &ConnectionSettings) -> PgPool {
    pool_with(options, settings, READ_TIMEOUT)
}

fn pool(options: PgConnectOptions, settings: &ConnectionSettings) -> PgPool {
    pool_with(options, settings, ACQUIRE_TIMEOUT)
}

fn pool_with(options: PgConnectOptions, settings: &ConnectionSettings, limit: Duration) -> PgPool {
    PgPoolOptions::new()
        .max_connections(settings.connections)
        .acquire_timeout(limit)
        .after_connect(|connection, _| {
            Box::pin(async move {
                connection.execute(SESSION).await?;
                Ok(())
            })
        })
        // A ping before every acquire would add a round trip to every statement.
        .test_before_acquire(false)
        .before_acquire(|connection, session| {
            Box::pin(async move {
                if session.idle_for > IDLE_TRUSTED {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .connect_lazy_with(options)
}

/// Formats host and port or socket, and database for messages, without the password.
fn place(options: &PgConnectOptions) -> String {
    let database = options.get_database().unwrap_or("(the user's default database)");
    match options.get_socket() {
        Some(socket) => format!("{}/{database}", socket.display()),
        None => format!("{}:{}/{database}", options.get_host(), options.get_port()),
    }
}

async fn reach(options: &PgConnectOptions, place: &str, limit: Duration) -> Result<PgConnection, StoreError> {
    let deadline = Instant::now() + limit;
    let mut backoff = Backoff::default();
    loop {
        let attempt = timeout(CONNECT_TIMEOUT, options.connect()).await;
        let source = match attempt.unwrap_or_else(|_| Err(std::io::Error::from(ErrorKind::TimedOut).into())) {
            Ok(connection) => return Ok(connection),
            Err(source) => Arc::new(source),
        };
        let place = place.to_owned();
        if is_tls_error(&source) || lacks_certificate_file(options, &source) {
            return Err(StoreError::TlsFailed { place, source });
        }
        if !is_transient_error(&source) {
            return Err(StoreError::Refused { place, source });
        }
        let wait = backoff.next();
        if Instant::now() + wait > deadline {
            return Err(StoreError::Unreachable { place, limit, source });
        }
        if backoff.has_just_begun() {
            tracing::info!(%place, error = %source, "waiting for PostgreSQL");
        }
        sleep(wait).await;
    }
}

/// Returns true if a file named by `sslrootcert`, `sslcert` or `sslkey` cannot be read. Over TCP no other file is opened.
fn lacks_certificate_file(options: &PgConnectOptions, error: &sqlx::Error) -> bool {
    let is_unreadable = |kind| matches!(kind, ErrorKind::NotFound | ErrorKind::PermissionDenied);
    options.get_socket().is_none() && matches!(error, sqlx::Error::Io(it) if is_unreadable(it.kind()))
}

async fn check_server(connection: &mut PgConnection, place: &str) -> Result<(), StoreError> {
    let number: i32 = sqlx::query_scalar("select current_setting('server_version_num')::int")
        .fetch_one(connection)
        .await
        .map_err(StoreError::database("read the server's version"))?;
    let found = number / 10_000;
    if found < OLDEST_SERVER {
        return Err(StoreError::OldServer { place: place.to_owned(), found, wanted: OLDEST_SERVER });
    }
    Ok(())
}

async fn provide_vector(connection: &mut PgConnection, place: &str) -> Result<(), StoreError> {
    let lacking = |found: String, remedy| {
        Err(StoreError::NoVector { place: place.to_owned(), found, wanted: OLDEST_VECTOR_TEXT, remedy })
    };
    let (installed, available) = vector(connection).await?;
    match (installed, available) {
        (Some(it), _) if is_new_enough(&it) => Ok(()),
        (Some(it), Some(newer)) if is_new_enough(&newer) => lacking(
            format!("version {it} is in use and {newer} is installed on the server"),
            "Run \"alter extension vector update\" in that database as its owner",
        ),
        (None, Some(it)) if is_new_enough(&it) => {
            let created = connection.execute("create extension if not exists vector").await;
            match created {
                Ok(_) => Ok(()),
                // Another process may have created it at the same time.
                Err(_) if vector(connection).await?.0.is_some_and(|version| is_new_enough(&version)) => Ok(()),
                Err(error) if is_transient_error(&error) => {
                    Err(StoreError::database("create the extension vector")(error))
                }
                Err(error) => lacking(
                    error.to_string(),
                    "Have a superuser run \"create extension vector\" in that database, once",
                ),
            }
        }
        (Some(it), _) | (None, Some(it)) => {
            lacking(format!("the server has version {it}"), "Install a newer pgvector on the server")
        }
        (None, None) => lacking(
            "the server does not have it".to_owned(),
            "Install pgvector on the server, or leave DATABASE_URL out to use the PostgreSQL that comes with Faultline",
        ),
    }
}

/// Returns the version of the extension `vector` in this database, and the version that the server can install.
async fn vector(connection: &mut PgConnection) -> Result<(Option<String>, Option<String>), StoreError> {
    sqlx::query_as(
        "select
            (select extversion from pg_extension where extname = 'vector'),
            (select default_version from pg_available_extensions where name = 'vector')",
    )
    .fetch_one(connection)
    .await
    .map_err(StoreError::database("look for the extension vector"))
}

fn is_new_enough(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= OLDEST_VECTOR
}

/// Prefix of the names of backward-compatible migrations: they only add, so an older program can still run.
const ADDS: &str = "adds ";

async fn migrate(connection: &mut PgConnection, place: &str) -> Result<(), StoreError> {
    let remedy = match MIGRATOR.run(&mut *connection).await {
        Ok(()) => return Ok(()),
        Err(MigrateError::VersionMissing(_)) if only_adds(connection).await? => {
            tracing::warn!(place, "a newer Faultline has added to these tables; this version ignores the additions");
            return Ok(());
        }
        Err(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) if is_transient_error(&error) => {
            return Err(StoreError::database("run the migrations")(error));
        }
        Err(error @ MigrateError::VersionMissing(_)) => {
            (error, "A newer Faultline made these tables; run that version, or use another database")
        }
        Err(error @ MigrateError::VersionMismatch(_)) => {
            (error, "Another build of Faultline made these tables; run that build, or use another database")
        }
        Err(error) => {
            (error, "See the server's log; the database user needs the privilege to create tables and schemas")
        }
    };
    let (error, remedy) = remedy;
    Err(StoreError::Migration { place: place.to_owned(), reason: error.to_string(), remedy })
}

/// Returns whether every applied migration that this program does not know is newer than its own and only adds. Also
/// checks that the program's own migrations are all applied with matching checksums.
async fn only_adds(connection: &mut PgConnection) -> Result<bool, StoreError> {
    let attempt = StoreError::database("read the applied migrations");
    let newest = MIGRATOR.iter().map(|migration| migration.version).max().unwrap_or_default();
    let made: Vec<(i64, String, bool, Vec<u8>)> = sqlx::query_as(
        "select version, description, success, checksum
        from _sqlx_migrations",
    )
    .fetch_all(connection)
    .await
    .map_err(attempt)?;
    let (own, newer): (Vec<_>, Vec<_>) = made.iter().partition(|row| row.0 <= newest);
    let is_own = |wanted: &Migration| {
        own.iter().any(|row| row.0 == wanted.version && row.2 && row.3 == wanted.checksum.as_ref())
    };
    Ok(own.len() == MIGRATOR.iter().count()
        && MIGRATOR.iter().all(is_own)
        && newer.iter().all(|row| row.2 && row.1.starts_with(ADDS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        for version in ["0.7", "0.7.0", "0.8.6", "0.10.1", "1.0"] {
            assert!(is_new_enough(version), "{version}");
        }
        for version in ["", "0.6.9", "0.5", "nonsense"] {
            assert!(!is_new_enough(version), "{version}");
        }
    }

    #[test]
    fn a_place_shows_no_password() {
        let options: PgConnectOptions = "postgres://me:secret@db.example:5433/faultline".parse().unwrap();
        assert_eq!(place(&options), "db.example:5433/faultline");
        assert_eq!(place(&options.socket("/run/pg")), "/run/pg/faultline");
    }
}

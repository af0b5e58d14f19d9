//! Connections: the pool, what every session is set to, and what the server must offer. Brings the tables up to date.

use std::sync::Arc;
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migration, Migrator};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, Executor, PgPool};
use tokio::time::{Instant, sleep, timeout};

use crate::store::backoff::Backoff;
use crate::store::fault::{Fault, passes};
use crate::store::keys::Sealing;

/// The tables and functions of this program. Safe to run from several processes at once.
pub static MIGRATOR: Migrator = sqlx::migrate!("./migrations");

/// The oldest major version of Postgres that will do.
const OLDEST_SERVER: i32 = 16;
/// The oldest pgvector that will do: the first with `halfvec`.
const OLDEST_VECTOR: (u32, u32) = (0, 7);
/// The same, for people.
const OLDEST_VECTOR_TEXT: &str = "0.7";
/// How long one attempt to connect may take.
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);
/// How long one waits for a connection of the pool.
const ACQUIRE_PATIENCE: Duration = Duration::from_secs(10);
/// The same for a server that another can stand in for.
const READ_PATIENCE: Duration = Duration::from_secs(1);
/// After this long a connection is asked whether it still lives before it is used.
const IDLE_TRUSTED: Duration = Duration::from_secs(1);

/// What every session is set to. By statement and not at start-up, which poolers such as `PgBouncer` refuse.
const SESSION: &str = "
    set jit = off;
    set random_page_cost = 1.1;
    set statement_timeout = '30s';
    set idle_in_transaction_session_timeout = '60s'
";

/// How to connect.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The name under which the server lists our sessions.
    pub application: String,
    /// Connections of the pool at most. The log has two more for its writers, the tail and a projector's lock one each.
    pub connections: u32,
    /// How long to wait for a server that is not up, or only starting.
    pub patience: Duration,
    /// How the bodies of debates are kept.
    pub sealing: Sealing,
    /// Bytes that are kept free on the disk of a private cluster: with less, no event is recorded.
    pub kept_free: u64,
}

impl Default for Settings {
    fn default() -> Self {
        let (application, sealing) = ("faultline".to_owned(), Sealing::default());
        Settings { application, connections: 10, patience: Duration::from_secs(30), sealing, kept_free: 0 }
    }
}

/// Connects, checks the server, and brings the tables up to date.
///
/// # Errors
/// [`Fault::Unreachable`], [`Fault::Refused`], [`Fault::OldServer`], [`Fault::NoVector`], [`Fault::Migration`]: each
/// says how to mend it. Else the database's.
pub async fn connect(options: PgConnectOptions, settings: &Settings) -> Result<PgPool, Fault> {
    let options = options.application_name(&settings.application);
    let place = place(&options);
    let mut connection = reach(&options, &place, settings.patience).await?;
    check_server(&mut connection, &place).await?;
    provide_vector(&mut connection, &place).await?;
    migrate(&mut connection, &place).await?;
    // It has served its purpose, whether or not the server takes note of the farewell.
    let _farewell = connection.close().await;
    Ok(pool(options, settings))
}

/// A connection of its own, outside the pool, set as the pool's are. The role is added to the application's name.
///
/// # Errors
/// The database's; [`Fault::Silent`] after 10 s.
pub async fn dedicated(pool: &PgPool, role: &str) -> Result<PgConnection, Fault> {
    const ATTEMPT: &str = "connect to the database";
    let opened = timeout(CONNECT_PATIENCE, async {
        let mut connection = options_for(pool, role).connect().await?;
        connection.execute(SESSION).await?;
        Ok(connection)
    });
    let opened = opened.await.map_err(|_| Fault::Silent { attempt: ATTEMPT, patience: CONNECT_PATIENCE })?;
    opened.map_err(Fault::database(ATTEMPT))
}

/// The pool's options, with the role added to the application's name.
pub(crate) fn options_for(pool: &PgPool, role: &str) -> PgConnectOptions {
    let options = pool.connect_options().as_ref().clone();
    let name = format!("{} {role}", options.get_application_name().unwrap_or("faultline"));
    options.application_name(&name)
}

/// Connections to a server that is only read, and need not be there: nobody waits long for one.
pub(crate) fn lazy(options: PgConnectOptions, settings: &Settings) -> PgPool {
    pool_with(options, settings, READ_PATIENCE)
}

fn pool(options: PgConnectOptions, settings: &Settings) -> PgPool {
    pool_with(options, settings, ACQUIRE_PATIENCE)
}

fn pool_with(options: PgConnectOptions, settings: &Settings, patience: Duration) -> PgPool {
    PgPoolOptions::new()
        .max_connections(settings.connections)
        .acquire_timeout(patience)
        .after_connect(|connection, _| {
            Box::pin(async move {
                connection.execute(SESSION).await?;
                Ok(())
            })
        })
        // Asking each time would cost every statement a second round trip.
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

/// Host and port or socket, and database: for people, and without a password.
fn place(options: &PgConnectOptions) -> String {
    let database = options.get_database().unwrap_or("(the user's default database)");
    match options.get_socket() {
        Some(socket) => format!("{}/{database}", socket.display()),
        None => format!("{}:{}/{database}", options.get_host(), options.get_port()),
    }
}

async fn reach(options: &PgConnectOptions, place: &str, patience: Duration) -> Result<PgConnection, Fault> {
    let deadline = Instant::now() + patience;
    let mut backoff = Backoff::default();
    loop {
        let attempt = timeout(CONNECT_PATIENCE, options.connect()).await;
        let source = match attempt.unwrap_or_else(|_| Err(std::io::Error::from(std::io::ErrorKind::TimedOut).into())) {
            Ok(connection) => return Ok(connection),
            Err(source) => Arc::new(source),
        };
        let place = place.to_owned();
        if !passes(&source) {
            return Err(Fault::Refused { place, source });
        }
        let wait = backoff.next();
        if Instant::now() + wait > deadline {
            return Err(Fault::Unreachable { place, patience, source });
        }
        if backoff.has_just_begun() {
            tracing::info!(%place, error = %source, "waiting for PostgreSQL");
        }
        sleep(wait).await;
    }
}

async fn check_server(connection: &mut PgConnection, place: &str) -> Result<(), Fault> {
    let number: i32 = sqlx::query_scalar("select current_setting('server_version_num')::int")
        .fetch_one(connection)
        .await
        .map_err(Fault::database("ask for the server's version"))?;
    let found = number / 10_000;
    if found < OLDEST_SERVER {
        return Err(Fault::OldServer { place: place.to_owned(), found, wanted: OLDEST_SERVER });
    }
    Ok(())
}

async fn provide_vector(connection: &mut PgConnection, place: &str) -> Result<(), Fault> {
    let lacking = |found: String, remedy| {
        Err(Fault::NoVector { place: place.to_owned(), found, wanted: OLDEST_VECTOR_TEXT, remedy })
    };
    let (installed, available) = vector(connection).await?;
    match (installed, available) {
        (Some(it), _) if is_new_enough(&it) => Ok(()),
        (Some(it), Some(newer)) if is_new_enough(&newer) => lacking(
            format!("version {it} is in use and {newer} at hand"),
            "Run \"alter extension vector update\" in that database as its owner",
        ),
        (None, Some(it)) if is_new_enough(&it) => {
            let created = connection.execute("create extension if not exists vector").await;
            match created {
                Ok(_) => Ok(()),
                // Another process may just have created it.
                Err(_) if vector(connection).await?.0.is_some_and(|it| is_new_enough(&it)) => Ok(()),
                Err(error) if passes(&error) => Err(Fault::database("create the extension vector")(error)),
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

/// The version of the extension `vector` that this database uses, and the one that the server has.
async fn vector(connection: &mut PgConnection) -> Result<(Option<String>, Option<String>), Fault> {
    sqlx::query_as(
        "select
            (select extversion from pg_extension where extname = 'vector'),
            (select default_version from pg_available_extensions where name = 'vector')",
    )
    .fetch_one(connection)
    .await
    .map_err(Fault::database("look for the extension vector"))
}

fn is_new_enough(version: &str) -> bool {
    let mut parts = version.split('.').map(|it| it.parse::<u32>().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= OLDEST_VECTOR
}

/// How the names of migrations begin that an older program can live with: they add, and change nothing that is there.
const ADDS: &str = "adds ";

async fn migrate(connection: &mut PgConnection, place: &str) -> Result<(), Fault> {
    let remedy = match MIGRATOR.run(&mut *connection).await {
        Ok(()) => return Ok(()),
        Err(MigrateError::VersionMissing(_)) if only_adds(connection).await? => {
            tracing::warn!(place, "a newer Faultline has added to these tables; this one goes on with what it knows");
            return Ok(());
        }
        Err(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) if passes(&error) => {
            return Err(Fault::database("bring the tables up to date")(error));
        }
        Err(error @ MigrateError::VersionMissing(_)) => {
            (error, "A newer Faultline made these tables; run that version, or use another database")
        }
        Err(error @ MigrateError::VersionMismatch(_)) => {
            (error, "Another build of Faultline made these tables; run that build, or use another database")
        }
        Err(error) => (error, "Look at the server's log; the user needs the right to create tables in its schema"),
    };
    let (error, remedy) = remedy;
    Err(Fault::Migration { place: place.to_owned(), reason: error.to_string(), remedy })
}

/// Whether all that was done to the tables beyond this program's migrations was done after them, and only added to them.
/// The program's own migrations are then complete and as they should be.
async fn only_adds(connection: &mut PgConnection) -> Result<bool, Fault> {
    let attempt = Fault::database("look at the migrations that were made");
    let newest = MIGRATOR.iter().map(|it| it.version).max().unwrap_or_default();
    let made: Vec<(i64, String, bool, Vec<u8>)> = sqlx::query_as(
        "select version, description, success, checksum
        from _sqlx_migrations",
    )
    .fetch_all(connection)
    .await
    .map_err(attempt)?;
    let (own, newer): (Vec<_>, Vec<_>) = made.iter().partition(|it| it.0 <= newest);
    let is_own =
        |wanted: &Migration| own.iter().any(|it| it.0 == wanted.version && it.2 && it.3 == wanted.checksum.as_ref());
    Ok(own.len() == MIGRATOR.iter().count()
        && MIGRATOR.iter().all(is_own)
        && newer.iter().all(|it| it.2 && it.1.starts_with(ADDS)))
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

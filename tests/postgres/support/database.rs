//! Databases for tests, one each, and short ways to build events and append them.

use std::io::Read;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use faultline_store::cipher::EncryptionSettings;
use faultline_store::database::migrations::MIGRATOR;
use faultline_store::database::pool;
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::embedded::cluster::{PrivatePostgres, open};
use faultline_store::embedded::layout::ClusterLayout;
use faultline_store::follow::log_tail::Tail;
use faultline_store::log::log::Log;
use flate2::read::DeflateDecoder;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, PgPool};
use tokio::sync::OnceCell;
use uuid::Uuid;

use crate::support::environment::{cache_dir, project_path};

/// Age in seconds at which databases of earlier test runs are deleted from a server that others may use.
const STALE_SECONDS: u64 = 3_600;
/// Number of databases of ended tests at which they are deleted. File systems such as ext4 pass over an inode that was freed
/// within the last seconds, one by one: a database created just after another was deleted takes several times as long.
const MAX_ENDED: usize = 32;

/// Migrated database of one test, deleted some time after drop.
pub struct Database {
    /// Options for connecting to it.
    pub options: PgConnectOptions,
    /// Pool of connections to it.
    pub pool: PgPool,
    name: String,
    server: PgConnectOptions,
}

/// Returns the server that the tests use: the one in `DATABASE_URL`, whose user must be allowed to create databases, or
/// else a private one, which ends with this process.
pub async fn database_server() -> Result<PgConnectOptions, String> {
    match given_server() {
        Some(url) => url.parse().map_err(|error| format!("DATABASE_URL cannot be read: {error}")),
        None => Ok(private_server().await?.options("postgres")),
    }
}

fn given_server() -> Option<String> {
    std::env::var("DATABASE_URL").ok()
}

/// Greatest number of concurrent test runs of one checkout.
const MAX_RUNS: u32 = 8;

/// Starts a private server for this process. It is kept in a static and is shut down when the process ends, however it
/// ends.
async fn private_server() -> Result<&'static PrivatePostgres, String> {
    static CLUSTER: OnceCell<PrivatePostgres> = OnceCell::const_new();
    let own = || async {
        for number in 1..=MAX_RUNS {
            let state = project_path(&format!(
                ".faultline/test-postgres{}",
                if number == 1 { String::new() } else { format!("-{number}") }
            ));
            let place = ClusterLayout {
                cache: cache_dir(),
                state,
                bin: std::env::var_os("FAULTLINE_PG_BIN").map(PathBuf::from),
                // Worth nothing after the tests.
                is_durable: false,
            };
            let cluster = open(&place, &|_| ()).await.map_err(|error| error.to_string())?;
            // A server owned by another run would end with that run.
            if cluster.is_owner() {
                return Ok(cluster);
            }
        }
        Err(format!("{MAX_RUNS} other test runs are under way in this checkout"))
    };
    CLUSTER.get_or_try_init(own).await
}

/// Creates a migrated database.
pub async fn migrated_database() -> Database {
    // The test binary cannot run the parser process, so the program itself must.
    faultline_ingest::readers::parser_sandbox::parse_with(env!("CARGO_BIN_EXE_faultline").as_ref());
    static N_DATABASES: AtomicU32 = AtomicU32::new(0);
    let server = database_server().await.unwrap_or_else(|reason| panic!("{reason}"));
    let template = template(&server).await;
    let n = N_DATABASES.fetch_add(1, Ordering::Relaxed);
    let name = format!("faultline_test_{}_{}_{n}", seconds_since_epoch(), std::process::id());
    let mut connection = server.connect().await.expect("connect to the server");
    // Copying files needs a checkpoint, which is cheap where nothing waits for the disk.
    let strategy = if given_server().is_none() { "strategy file_copy" } else { "" };
    run(&mut connection, format!("create database {name} template {template} {strategy}")).await;
    connection.close().await.expect("close");
    let options = server.clone().database(&name);
    let pool = pool::connect(options.clone(), &settings()).await.expect("connect to the test's database");
    Database { options, pool, name, server }
}

/// Creates a database without tables; the first process that opens it creates them.
pub async fn empty_database() -> Database {
    let server = database_server().await.unwrap_or_else(|reason| panic!("{reason}"));
    let name =
        format!("faultline_test_{}_{}_empty_{}", seconds_since_epoch(), std::process::id(), Uuid::now_v7().simple());
    let mut connection = server.connect().await.expect("connect to the server");
    run(&mut connection, format!("create database {name}")).await;
    connection.close().await.expect("close");
    let options = server.clone().database(&name);
    let pool = PgPool::connect_lazy_with(options.clone());
    Database { options, pool, name, server }
}

impl Database {
    /// Starts the log of the database.
    pub async fn log(&self) -> Log {
        Log::start(self.pool.clone()).await.expect("start the log")
    }

    /// Starts the log as a service without encryption does.
    pub async fn plain_log(&self) -> Log {
        let plain = EncryptionSettings { encrypts_new: false, ..EncryptionSettings::default() };
        Log::start_encrypted(self.pool.clone(), plain).await.expect("start the log")
    }

    /// Starts the log and its tail, which polls so rarely that a test that depends on the poll fails.
    pub async fn log_and_tail(&self) -> (Log, Tail) {
        let log = self.log().await;
        let tail = Tail::start_polling(&log, Duration::from_secs(600));
        (log, tail)
    }

    /// Starts the log as another process would: other connections, nothing shared.
    pub async fn second_log(&self) -> Log {
        let pool = pool::connect(self.options.clone(), &settings()).await.expect("connect once more");
        Log::start(pool).await.expect("start another log")
    }

    /// Waits until a session waits for a lock.
    pub async fn wait_for_blocked_session(&self) {
        let blocked = "select count(*) > 0
            from pg_stat_activity
            where datname = current_database()
            and wait_event_type = 'Lock'";
        while !sqlx::query_scalar::<_, bool>(blocked).fetch_one(&self.pool).await.expect("the database") {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }

    /// Stores verdicts as JSON that statements can look into and alter, as versions did before verdicts were compressed.
    pub async fn store_plain_verdicts(&self) {
        let sql = "select generation, debate_id, compressed from views where compressed is not null";
        let stored: Vec<(i32, Uuid, Vec<u8>)> = sqlx::query_as(sql).fetch_all(&self.pool).await.expect("the views");
        assert!(!stored.is_empty(), "there are verdicts");
        for (generation, debate, compressed) in stored {
            let update = "update views set body = $3::text::jsonb, compressed = null
                where generation = $1 and debate_id = $2 and compressed is not null";
            let update = sqlx::query(update).bind(generation).bind(debate).bind(inflated(&compressed));
            update.execute(&self.pool).await.expect("update");
        }
    }

    /// Runs statements as the owner of the database.
    pub async fn run(&self, statements: &str) {
        let mut connection = self.options.connect().await.expect("connect");
        run(&mut connection, statements.to_owned()).await;
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        static ENDED: Mutex<Vec<String>> = Mutex::new(Vec::new());
        let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
        ended.push(self.name.clone());
        // The next run deletes what is left on the private server; a given one would keep it.
        if given_server().is_none() && ended.len() < MAX_ENDED {
            return;
        }
        let names = std::mem::take(&mut *ended);
        drop(ended);
        let server = self.server.clone();
        let deleted = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let mut connection = server.connect().await.expect("connect to the server");
                for name in names {
                    run(&mut connection, format!("drop database if exists {name} with (force)")).await;
                }
            });
        });
        // A failure to delete a database must not hide the failure of the test.
        let _said = deleted.join();
    }
}

/// Returns whether a compressed view contains a word, in any case.
pub async fn compressed_views_contain(pool: &PgPool, word: &str) -> bool {
    let views: Vec<Vec<u8>> = sqlx::query_scalar("select compressed from views where compressed is not null")
        .fetch_all(pool)
        .await
        .expect("the views");
    views.iter().any(|view| inflated(view).to_lowercase().contains(&word.to_lowercase()))
}

fn inflated(bytes: &[u8]) -> String {
    let mut text = String::new();
    DeflateDecoder::new(bytes).read_to_string(&mut text).expect("deflated text");
    text
}

fn settings() -> ConnectionSettings {
    ConnectionSettings { application: "faultline test".to_owned(), connections: 8, ..ConnectionSettings::default() }
}

/// Creates the migrated template database if needed, one for each set of migrations. Returns its name.
async fn template(server: &PgConnectOptions) -> String {
    static TEMPLATE: OnceCell<String> = OnceCell::const_new();
    let made = TEMPLATE.get_or_init(|| async {
        let sums =
            MIGRATOR.iter().flat_map(|migration| migration.checksum.iter().copied().take(8)).collect::<Vec<u8>>();
        let name = format!("faultline_template_{}", Uuid::new_v5(&Uuid::NAMESPACE_OID, &sums).simple());
        let mut connection = server.connect().await.expect("connect to the server");
        run(&mut connection, "select pg_advisory_lock(727274)".to_owned()).await;
        delete_stale(&mut connection).await;
        let made: Option<i32> = sqlx::query_scalar("select 1 from pg_database where datname = $1 and datistemplate")
            .bind(&name)
            .fetch_optional(&mut connection)
            .await
            .expect("look for the template");
        if made.is_none() {
            run(&mut connection, format!("drop database if exists {name} with (force)")).await;
            run(&mut connection, format!("create database {name}")).await;
            let pool = pool::connect(server.clone().database(&name), &settings()).await.expect("migrate the template");
            pool.close().await;
            run(&mut connection, format!("alter database {name} with is_template true")).await;
        }
        connection.close().await.expect("close");
        name
    });
    made.await.clone()
}

async fn delete_stale(connection: &mut PgConnection) {
    let names: Vec<String> =
        sqlx::query_scalar("select datname from pg_database where datname like 'faultline\\_test\\_%'")
            .fetch_all(&mut *connection)
            .await
            .expect("list databases");
    let is_private = given_server().is_none();
    for name in names {
        let mut parts = name.split('_').skip(2).map(|part| part.parse().unwrap_or(0u64));
        let (made, process) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
        let is_left = is_private && process != u64::from(std::process::id());
        if is_left || made + STALE_SECONDS < seconds_since_epoch() {
            run(connection, format!("drop database if exists {name} with (force)")).await;
        }
    }
}

fn seconds_since_epoch() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.expect("a clock past 1970").as_secs()
}

async fn run(connection: &mut PgConnection, statements: String) {
    connection
        .execute(sqlx::raw_sql(AssertSqlSafe(statements.clone())))
        .await
        .unwrap_or_else(|error| panic!("{statements}: {error}"));
}

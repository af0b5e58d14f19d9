//! Temporary database of a benchmark, on the server in `DATABASE_URL` or else on a private one.

use std::path::{Path, PathBuf};

use faultline_store::embedded::cluster::{PrivatePostgres, open};
use faultline_store::embedded::layout::ClusterLayout;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor};

/// Temporary database of a benchmark.
pub struct BenchDatabase {
    /// Options for connecting to it.
    pub options: PgConnectOptions,
    server: PgConnectOptions,
    name: String,
    cluster: Option<PrivatePostgres>,
}

/// Returns the folder of the private server and of fetched files: `FAULTLINE_HOME`, or else `.faultline` in the checkout.
pub fn home_dir() -> PathBuf {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join(".faultline");
    std::env::var_os("FAULTLINE_HOME").map_or_else(default, PathBuf::from)
}

impl BenchDatabase {
    /// Creates an empty database on the server in `DATABASE_URL`, or else on a private one under
    /// `.faultline/bench-postgres`. A database of this name is deleted first.
    pub async fn create(name: &str) -> BenchDatabase {
        let (server, cluster) = match std::env::var("DATABASE_URL") {
            Ok(url) => (url.parse().expect("DATABASE_URL"), None),
            Err(_) => {
                let home = home_dir();
                let layout = ClusterLayout { state: home.join("bench-postgres"), ..ClusterLayout::under(&home) };
                let cluster = open(&layout, &|_| ()).await.expect("start a private server");
                (cluster.options("postgres"), Some(cluster))
            }
        };
        BenchDatabase::create_on(server, cluster, name).await
    }

    /// Creates another empty database on the same server. Delete it first.
    #[allow(dead_code, reason = "not every benchmark uses two")]
    pub async fn beside(&self, name: &str) -> BenchDatabase {
        BenchDatabase::create_on(self.server.clone(), None, name).await
    }

    async fn create_on(server: PgConnectOptions, cluster: Option<PrivatePostgres>, name: &str) -> BenchDatabase {
        let options = server.clone().database(name);
        let database = BenchDatabase { options, server, name: name.to_owned(), cluster };
        database.run("drop database if exists {} with (force)").await;
        database.run("create database {}").await;
        database
    }

    async fn run(&self, statement: &str) {
        let mut connection = self.server.connect().await.expect("connect to the server");
        let statement = statement.replace("{}", &self.name);
        connection.execute(sqlx::raw_sql(AssertSqlSafe(statement))).await.expect("create or delete the database");
        connection.close().await.expect("close the connection");
    }

    /// Deletes the database, and stops the server if it is a private one.
    pub async fn delete(self) {
        self.run("drop database if exists {} with (force)").await;
        if let Some(cluster) = self.cluster {
            cluster.stop().await.expect("stop the private server");
        }
    }
}

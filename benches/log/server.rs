//! Server that is measured, and a temporary database on it.

use std::path::{Path, PathBuf};

use faultline_store::embedded::cluster::{PrivatePostgres, open};
use faultline_store::embedded::layout::ClusterLayout;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor};

/// Temporary database of the bench.
pub struct Server {
    /// Options for connecting to it.
    pub options: PgConnectOptions,
    server: PgConnectOptions,
    name: &'static str,
    cluster: Option<PrivatePostgres>,
}

impl Server {
    /// Creates the database on the server in `DATABASE_URL`, or else on a private one under
    /// `.faultline/bench-postgres`.
    pub async fn with_database(name: &'static str) -> Server {
        let (server, cluster) = match std::env::var("DATABASE_URL") {
            Ok(url) => (url.parse().expect("DATABASE_URL"), None),
            Err(_) => {
                let below = |path: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
                let home = std::env::var_os("FAULTLINE_HOME").map_or_else(|| below(".faultline"), PathBuf::from);
                let place = ClusterLayout { cache: home.join("cache"), state: home.join("bench-postgres"), bin: None };
                let cluster = open(&place, &|_| ()).await.expect("a private server");
                (cluster.options("postgres"), Some(cluster))
            }
        };
        let options = server.clone().database(name);
        let made = Server { options, server, name, cluster };
        made.run("drop database if exists {} with (force)").await;
        made.run("create database {}").await;
        made
    }

    async fn run(&self, statement: &str) {
        let mut connection = self.server.connect().await.expect("connect");
        let statement = statement.replace("{}", self.name);
        connection.execute(sqlx::raw_sql(AssertSqlSafe(statement))).await.expect("make or delete the database");
        connection.close().await.expect("close");
    }

    /// Deletes the database, and stops the server if it is a private one.
    pub async fn close(self) {
        self.run("drop database if exists {} with (force)").await;
        if let Some(cluster) = self.cluster {
            cluster.stop().await.expect("stop");
        }
    }
}

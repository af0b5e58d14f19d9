//! Highly available Postgres of a test, laid out by `deploy/cluster`: etcd, two servers under Patroni, and a proxy.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use faultline_store::provision::postgres::postgres_bin;
use sqlx::postgres::PgConnectOptions;

use crate::support::environment::{cache_dir, project_path, report_skipped};
use crate::support::test_home::TestHome;

/// Programs that the cluster consists of.
const PROGRAMS: [&str; 4] = ["etcd", "patroni", "haproxy", "curl"];

/// A running cluster, stopped on drop.
pub struct DatabaseCluster {
    directory: PathBuf,
    bin: PathBuf,
    /// Options for connecting to the primary, through the proxy.
    pub options: PgConnectOptions,
}

impl DatabaseCluster {
    /// Starts a cluster; reports that it is left out, and returns `None`, if a program is not installed here.
    pub async fn start(home: &TestHome) -> Option<DatabaseCluster> {
        let missing: Vec<&str> = PROGRAMS.into_iter().filter(|program| !is_installed(program)).collect();
        if !missing.is_empty() {
            report_skipped(&format!("failover of PostgreSQL: {} not installed", missing.join(", ")));
            return None;
        }
        let bin = postgres_bin(&cache_dir()).await.expect("the programs of PostgreSQL");
        let directory = PathBuf::from(home.path("cluster"));
        // Ports that another run of this test on the same machine does not use.
        let port = (20_000 + std::process::id() % 1_000 * 10).to_string();
        let started = run(&bin, &["start", &path(&directory), &port]);
        let url = started.trim().strip_prefix("DATABASE_URL=").expect("an address").to_owned();
        Some(DatabaseCluster { directory, bin, options: url.parse().expect("a URL") })
    }

    /// Kills the primary's server and its Patroni. Returns the server's name.
    pub fn kill_primary(&self) -> String {
        let name = self.run(&["primary"]).trim().to_owned();
        self.run(&["kill", &name]);
        name
    }

    /// Starts a killed server again.
    pub fn revive(&self, name: &str) {
        self.run(&["revive", name]);
    }

    fn run(&self, arguments: &[&str]) -> String {
        let mut all = vec![arguments[0].to_owned(), path(&self.directory)];
        all.extend(arguments[1..].iter().map(|argument| (*argument).to_owned()));
        run(&self.bin, &all.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

impl Drop for DatabaseCluster {
    fn drop(&mut self) {
        self.run(&["stop"]);
    }
}

fn run(bin: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(project_path("deploy/cluster"));
    let Output { status, stdout, stderr } = command.args(arguments).env("PG_BIN", bin).output().expect("bash");
    assert!(status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("text")
}

fn path(directory: &Path) -> String {
    directory.display().to_string()
}

/// Returns whether a program is on the path.
pub fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

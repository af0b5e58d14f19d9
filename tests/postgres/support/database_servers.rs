//! Database servers of a test: a primary that archives its log, standbys that follow it, and restored copies.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use faultline_store::database::pool::{ConnectionSettings, connect};
use faultline_store::embedded::create::SUPERUSER;
use faultline_store::embedded::layout::ClusterLayout;
use faultline_store::embedded::user::User;
use faultline_store::provision::postgres::postgres_bin;
use rustix::process::{Pid, Signal, kill_process};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, PgPool};

use crate::support::environment::cache_dir;
use crate::support::small_disk::SmallDisk;
use crate::support::test_home::TestHome;
use crate::support::waiting::poll_until;

/// Name of the service's database.
pub const DATABASE: &str = "ops";

/// Settings of every server: replication and backups are possible, and connections from the network are not.
const SETTINGS: &[&str] = &[
    "listen_addresses=",
    "port=5432",
    "wal_level=replica",
    "max_wal_senders=8",
    "hot_standby=on",
    "max_connections=150",
    "shared_buffers=32MB",
    "jit=off",
    "timezone=UTC",
    "log_timezone=UTC",
];

/// Server process, ended on drop.
pub struct DatabaseServer {
    data: PathBuf,
    socket: PathBuf,
    bin: PathBuf,
    user: User,
    child: Option<Child>,
}

impl DatabaseServer {
    /// Starts a new primary in a folder of its own, which archives its log.
    pub async fn primary(home: &TestHome, name: &str) -> DatabaseServer {
        let mut server = DatabaseServer::at(home, name).await;
        let archive = server.archive_dir();
        server.user.own_directory(&archive).expect("a folder for the archive");
        let mut command = server.program("initdb");
        command.args(["--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--username", SUPERUSER]);
        run_successfully(command.arg("-D").arg(&server.data));
        let archiving = format!(
            "archive_mode = on\narchive_command = 'cp %p {0}/%f.part && mv {0}/%f.part {0}/%f'\n",
            archive.display()
        );
        server.configure(&archiving);
        server.start().await;
        server.run("postgres", &format!("create database {DATABASE}")).await;
        server
    }

    /// Starts a standby of this server from a base backup.
    pub async fn standby(&self, home: &TestHome, name: &str) -> DatabaseServer {
        let mut server = self.base_backup(home, name, &["-R"]).await;
        server.start().await;
        server
    }

    /// Takes a base backup of this server without starting the copy.
    pub async fn base_backup(&self, home: &TestHome, name: &str, how: &[&str]) -> DatabaseServer {
        let copy = DatabaseServer::at(home, name).await;
        let mut command = copy.program("pg_basebackup");
        command.arg("-h").arg(&self.socket).args(["-U", SUPERUSER, "-c", "fast", "-X", "stream", "--no-sync"]);
        run_successfully(command.args(how).arg("-D").arg(&copy.data));
        copy
    }

    async fn at(home: &TestHome, name: &str) -> DatabaseServer {
        let state = PathBuf::from(home.path(name));
        let place = ClusterLayout { cache: cache_dir(), state: state.clone(), bin: None, is_durable: true };
        let user = User::of(&place).expect("a user");
        let bin = match std::env::var_os("FAULTLINE_PG_BIN") {
            Some(bin) => bin.into(),
            None => postgres_bin(&cache_dir()).await.expect("binaries"),
        };
        let (data, socket) = (state.join("data"), state.join("s"));
        for folder in [&state, &data, &socket] {
            user.own_directory(folder).expect("a folder");
        }
        DatabaseServer { data, socket, bin, user, child: None }
    }

    /// Returns the folder of the log archive.
    pub fn archive_dir(&self) -> PathBuf {
        self.data.with_file_name("archive")
    }

    /// Appends lines to the server's configuration.
    pub fn configure(&self, lines: &str) {
        let path = self.data.join("postgresql.auto.conf");
        let before = fs::read_to_string(&path).unwrap_or_default();
        fs::write(&path, format!("{before}\n{lines}\n")).expect("configure");
    }

    /// Configures the server to recover from another server's archive up to a named restore point, and then to take
    /// writes.
    pub fn recover_to(&self, archive: &Path, point: &str) {
        self.configure(&format!(
            "restore_command = 'cp {}/%f %p'\nrecovery_target_name = '{point}'\nrecovery_target_action = 'promote'\n\
             archive_mode = off",
            archive.display()
        ));
        fs::write(self.data.join("recovery.signal"), "").expect("a signal");
    }

    /// Starts the server and waits until it answers.
    pub async fn start(&mut self) {
        let log = fs::OpenOptions::new().create(true).append(true).open(self.data.with_file_name("log"));
        let log = log.expect("a log");
        let mut command = self.program("postgres");
        command.arg("-D").arg(&self.data).arg("-k").arg(&self.socket);
        SETTINGS.iter().for_each(|setting| {
            command.args(["-c", setting]);
        });
        command.stdout(log.try_clone().expect("a log")).stderr(log).stdin(Stdio::null());
        self.child = Some(command.spawn().expect("start the server"));
        let options = self.options("postgres");
        poll_until("the server answers", async || options.connect().await.ok()).await;
    }

    /// Sends the postmaster a signal.
    pub fn signal(&self, signal: Signal) {
        if let Some(child) = &self.child {
            let pid = Pid::from_raw(child.id().cast_signed()).expect("a process");
            kill_process(pid, signal).expect("a signal");
        }
    }

    /// Restarts the server with so little memory for what its processes share, as in a container; `None` if this user may not
    /// mount.
    pub async fn restart_with_shared_memory(&mut self, mebibytes: u32) -> Option<SmallDisk> {
        self.configure("dynamic_shared_memory_type = mmap");
        self.crash();
        let folder = self.data.join("pg_dynshmem");
        fs::remove_dir_all(&folder).expect("remove");
        let disk = SmallDisk::mount(folder.to_str().expect("a path"), mebibytes)?;
        self.user.own_directory(&folder).expect("a folder");
        self.start().await;
        Some(disk)
    }

    /// Ends the server at once, as in a crash.
    pub fn crash(&mut self) {
        self.signal(Signal::QUIT);
        if let Some(mut child) = self.child.take() {
            child.wait().expect("wait");
        }
    }

    /// Promotes a standby, which then takes writes of its own.
    pub async fn promote(&self) {
        self.run("postgres", "select pg_promote()").await;
    }

    /// Runs statements in one of its databases.
    pub async fn run(&self, database: &str, statements: &str) {
        let mut connection = self.options(database).connect().await.expect("connect");
        connection
            .execute(sqlx::raw_sql(AssertSqlSafe(statements.to_owned())))
            .await
            .unwrap_or_else(|error| panic!("{statements}: {error}"));
        connection.close().await.expect("close");
    }

    /// Returns options for connecting to one of its databases.
    pub fn options(&self, database: &str) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass().socket(&self.socket).port(5432).username(SUPERUSER).database(database)
    }

    /// Returns a pool over one of its databases, migrated.
    pub async fn pool(&self, database: &str) -> PgPool {
        let settings = ConnectionSettings {
            application: "faultline test".to_owned(),
            connections: 4,
            ..ConnectionSettings::default()
        };
        connect(self.options(database), &settings).await.expect("connect")
    }

    /// Runs one of the programs shipped with Postgres against the server.
    pub fn run_tool(&self, program: &str, arguments: &[&str]) -> Output {
        let mut command = self.program(program);
        run_successfully(command.arg("-h").arg(&self.socket).args(["-U", SUPERUSER]).args(arguments))
    }

    fn program(&self, name: &str) -> Command {
        self.user.command(&self.bin.join(name))
    }
}

impl Drop for DatabaseServer {
    fn drop(&mut self) {
        self.signal(Signal::QUIT);
        if let Some(mut child) = self.child.take() {
            // The process has ended, or ends now.
            let _ended = child.wait();
        }
    }
}

/// Runs a command and checks that it succeeds.
fn run_successfully(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

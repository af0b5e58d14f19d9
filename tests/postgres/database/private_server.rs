//! The private Postgres server with real processes: started, attached to, and killed in all likely ways.
//!
//! Binaries come from the cache of `FAULTLINE_HOME` (or `.faultline` beside `Cargo.toml`), where the first test to run
//! puts them. Every test has its own cluster.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use faultline_store::embedded::cluster::{PrivatePostgres, attach, open};
use faultline_store::embedded::error::EmbeddedError;
use faultline_store::embedded::layout::ClusterLayout;
use faultline_store::embedded::log::log_tail;
use faultline_store::embedded::memory::shared_buffers;
use faultline_store::embedded::pid_file;
use faultline_store::embedded::processes::{is_running, pids_of_cluster, signal, wait_for_end};
use faultline_store::embedded::user::User;
use faultline_store::provision::minilm::minilm_model;
use faultline_store::provision::postgres::postgres_bin;
use rustix::process::{Signal, geteuid};
use sqlx::postgres::PgConnection;
use sqlx::{Connection, Executor};
use tempfile::TempDir;

const SOON: Duration = Duration::from_secs(20);

/// Directories of one test's cluster, deleted on drop.
struct ServerHome {
    directory: TempDir,
    place: ClusterLayout,
}

impl ServerHome {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).unwrap();
        let place = ClusterLayout { cache: cache(), ..ClusterLayout::under(directory.path()) };
        Self { directory, place }
    }

    fn log(&self) -> String {
        log_tail(&self.place, 1_000)
    }

    fn serving(&self) -> Vec<i32> {
        pids_of_cluster(&self.place.pgdata(), &User::of(&self.place).unwrap())
    }

    fn postmaster(&self) -> i32 {
        pid_file::read(&self.place.pgdata()).unwrap().pid
    }
}

/// Stops the server of a failed test.
impl Drop for ServerHome {
    fn drop(&mut self) {
        signal(&self.serving(), Signal::QUIT);
    }
}

fn cache() -> PathBuf {
    let home = std::env::var_os("FAULTLINE_HOME").map(PathBuf::from);
    home.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".faultline")).join("cache")
}

/// Opens the cluster; returns the result and the progress messages.
async fn open_with_messages(place: &ClusterLayout) -> (Result<PrivatePostgres, EmbeddedError>, Vec<String>) {
    let words = Mutex::new(Vec::new());
    let opened = open(place, &|word| words.lock().unwrap().push(word.to_owned())).await;
    (opened, words.into_inner().unwrap())
}

async fn open_cluster(place: &ClusterLayout) -> PrivatePostgres {
    open(place, &|_| ()).await.unwrap()
}

async fn open_error(place: &ClusterLayout) -> String {
    open(place, &|_| ()).await.unwrap_err().to_string()
}

async fn connect(cluster: &PrivatePostgres) -> PgConnection {
    PgConnection::connect_with(&cluster.options("postgres")).await.unwrap()
}

async fn query_text(cluster: &PrivatePostgres, question: &'static str) -> String {
    sqlx::query_scalar(question).fetch_one(&mut connect(cluster).await).await.unwrap()
}

async fn until(what: &str, limit: Duration, is_so: impl AsyncFn() -> bool) {
    let begun = Instant::now();
    while !is_so().await {
        assert!(begun.elapsed() < limit, "{what}: not within {limit:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Another process: this test program, which runs only `as_another_process`.
struct OtherProcess {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl OtherProcess {
    fn new(role: &str, place: &ClusterLayout) -> Self {
        Self::with_path(role, place, &std::env::var("PATH").unwrap())
    }

    fn with_path(role: &str, place: &ClusterLayout, path: &str) -> Self {
        // Names of tests do not contain the crate.
        let test = match module_path!().split_once("::") {
            Some((_, inner)) => format!("{inner}::as_another_process"),
            None => "as_another_process".to_owned(),
        };
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &test, "--nocapture"])
            .env("EMBEDDED_ROLE", role)
            .env("EMBEDDED_STATE", &place.state)
            .env("EMBEDDED_CACHE", &place.cache)
            .env("PATH", path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, output }
    }

    /// Reads the next report of the process.
    fn report(&mut self) -> String {
        let lines = self.output.by_ref().lines().map(Result::unwrap);
        let mut reports = lines.filter_map(|line| line.split_once("@@").map(|(_, report)| report.to_owned()));
        reports.next().expect("the other process reports")
    }

    /// Kills it together with others: it is stopped first, so that it cannot react to their end.
    fn kill_with(&mut self, others: &[i32]) {
        signal(&[i32::try_from(self.process.id()).unwrap()], Signal::STOP);
        signal(others, Signal::KILL);
        self.kill();
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for OtherProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Entry point of the other process; does nothing as a test.
#[tokio::test]
async fn as_another_process() {
    let Ok(role) = std::env::var("EMBEDDED_ROLE") else {
        return;
    };
    let path = |name: &str| PathBuf::from(std::env::var_os(name).unwrap());
    let place =
        ClusterLayout { cache: path("EMBEDDED_CACHE"), state: path("EMBEDDED_STATE"), bin: None, is_durable: true };
    let cluster = match open(&place, &|_| ()).await {
        Ok(cluster) => cluster,
        Err(why) => return println!("\n@@{}", why.to_string().replace('\n', " / ")),
    };
    let answer = query_text(&cluster, "select 'forty' || 2").await;
    println!("\n@@owner {} {answer}", cluster.is_owner());
    if role == "stay" {
        std::future::pending::<()>().await;
    }
    // Long enough for others that start now to attach.
    tokio::time::sleep(Duration::from_secs(3)).await;
    cluster.stop().await.unwrap();
}

/// Processes that watch a server of another process: its watchdog, and the reader of the watchdog.
fn watchers(server: i32) -> Vec<i32> {
    let field = |pid: i32, nth: usize| -> i32 {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let rest = stat.rsplit_once(") ").map(|halves| halves.1.to_owned()).unwrap_or_default();
        rest.split(' ').nth(nth).and_then(|text| text.parse().ok()).unwrap_or(0)
    };
    let watcher = field(server, 1);
    let all = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let mut found: Vec<i32> = all.filter(|pid| *pid != server && field(*pid, 1) == watcher).collect();
    found.push(watcher);
    assert!(found.len() == 2 && watcher > 1, "{found:?}");
    assert_eq!(field(server, 2), watcher, "the server has its own process group, so Ctrl-C does not reach it");
    found
}

/// The tests themselves need no data after a crash of the machine, so their server does not wait for the disk.
#[tokio::test]
async fn a_server_that_need_not_be_durable_does_not_wait_for_the_disk() {
    let home = ServerHome::new();
    let place = ClusterLayout { is_durable: false, ..home.place.clone() };
    let cluster = open(&place, &|_| ()).await.unwrap();
    for setting in ["show fsync", "show full_page_writes"] {
        assert_eq!(query_text(&cluster, setting).await, "off", "{setting}");
    }
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_new_cluster_is_created_and_opened_again() {
    let home = ServerHome::new();
    let begun = Instant::now();
    let (cluster, words) = open_with_messages(&home.place).await;
    let (cluster, cold) = (cluster.unwrap(), begun.elapsed());
    assert!(words.iter().any(|word| word == "creating the cluster"), "{words:?}");
    assert!(cluster.is_owner() && cluster.version().starts_with(|letter: char| letter.is_ascii_digit()));
    let server = cluster.pid().unwrap();
    assert!(is_running(server));

    let memory = format!("{} MB", shared_buffers());
    for (question, answer) in [
        ("show fsync", "on"),
        ("show listen_addresses", ""),
        ("show max_connections", "200"),
        ("select setting::bigint * 8 / 1024 || ' MB' from pg_settings where name = 'shared_buffers'", memory.as_str()),
        ("show jit", "off"),
        ("select current_user::text", "faultline"),
        ("select rolsuper::text from pg_roles where rolname = current_user", "true"),
        ("select datcollate from pg_database where datname = 'postgres'", "C.UTF-8"),
        ("select string_agg(it, '' order by it) from unnest(array['b', 'a', 'B', 'ä']) it", "Babä"),
        ("select upper('ä')", "Ä"),
    ] {
        assert_eq!(query_text(&cluster, question).await, answer, "{question}");
    }
    connect(&cluster).await.execute("create extension vector; create table kept as select 7 as it").await.unwrap();
    assert_eq!(query_text(&cluster, "select ('[1,2]'::halfvec <-> '[1,0]'::halfvec)::text").await, "2");
    let options = cluster.options("postgres");
    let socket = fs::metadata(options.get_socket().unwrap()).unwrap();
    assert_eq!(socket.mode() & 0o777, 0o700);

    let begun = Instant::now();
    cluster.stop().await.unwrap();
    let stopped = begun.elapsed();
    assert!(!is_running(server) && home.log().contains("database system is shut down"));
    assert!(attach(&home.place).await.unwrap().is_none());

    let begun = Instant::now();
    let (cluster, words) = open_with_messages(&home.place).await;
    let (cluster, warm) = (cluster.unwrap(), begun.elapsed());
    assert!(words.is_empty(), "{words:?}");
    assert_eq!(query_text(&cluster, "select it::text from kept").await, "7");
    println!("cold {cold:?}, stop {stopped:?}, warm {warm:?}");
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_second_handle_attaches_and_dropping_the_owner_stops_the_server() {
    let home = ServerHome::new();
    assert!(attach(&home.place).await.unwrap().is_none(), "no cluster exists yet");
    assert!(!home.place.state.exists(), "attaching creates nothing");
    let owner = open_cluster(&home.place).await;
    let second = open_cluster(&home.place).await;
    let third = attach(&home.place).await.unwrap().unwrap();
    assert!(owner.is_owner() && !second.is_owner() && !third.is_owner());
    assert_eq!((second.pid(), second.version()), (owner.pid(), owner.version()));
    second.stop().await.unwrap();
    assert_eq!(query_text(&third, "select '1'").await, "1", "only the owner can stop it");

    let server = owner.pid().unwrap();
    drop(owner);
    // At once, while the old server still shuts down.
    let (next, words) = open_with_messages(&home.place).await;
    let next = next.unwrap();
    assert!(next.is_owner() && next.pid() != Some(server), "{words:?}");
    assert!(!home.log().contains("not properly shut down"), "{}", home.log());
    next.stop().await.unwrap();
}

#[tokio::test]
async fn processes_that_start_at_once_have_one_owner_and_the_others_attach() {
    let home = ServerHome::new();
    let mut others: Vec<OtherProcess> = (0..4).map(|_| OtherProcess::new("visit", &home.place)).collect();
    let mut reports: Vec<String> = others.iter_mut().map(OtherProcess::report).collect();
    reports.sort();
    let attached = "owner false forty2";
    assert_eq!(reports, [attached, attached, attached, "owner true forty2"]);
}

#[tokio::test]
async fn the_server_of_a_killed_owner_shuts_down_cleanly() {
    let home = ServerHome::new();
    let mut owner = OtherProcess::new("stay", &home.place);
    assert_eq!(owner.report(), "owner true forty2");
    let attached = attach(&home.place).await.unwrap().unwrap();
    connect(&attached).await.execute("create table kept as select 7 as it").await.unwrap();
    let server = home.postmaster();
    watchers(server);

    owner.kill();
    assert!(wait_for_end(&[server], SOON));
    assert!(home.log().contains("received fast shutdown request"), "{}", home.log());
    let cluster = open_cluster(&home.place).await;
    assert_eq!(query_text(&cluster, "select it::text from kept").await, "7");
    assert!(!home.log().contains("not properly shut down"), "{}", home.log());

    // Once more without a pause between the kill and the next open.
    cluster.stop().await.unwrap();
    let mut owner = OtherProcess::new("stay", &home.place);
    owner.report();
    owner.kill();
    let cluster = open_cluster(&home.place).await;
    assert!(cluster.is_owner() && !home.log().contains("not properly shut down"), "{}", home.log());
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_server_whose_watchdog_was_killed_too_is_found_and_stopped() {
    let home = ServerHome::new();
    let mut owner = OtherProcess::new("stay", &home.place);
    owner.report();
    let server = home.postmaster();
    owner.kill_with(&watchers(server));
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(is_running(server), "the server runs as an orphan");

    let (cluster, words) = open_with_messages(&home.place).await;
    let cluster = cluster.unwrap();
    assert_eq!(words, ["recovering: stopping the server that an earlier run left behind"]);
    assert!(!is_running(server) && cluster.is_owner());
    assert!(!home.log().contains("not properly shut down"), "{}", home.log());
    cluster.stop().await.unwrap();
}

/// Starts a backend that computes and does not notice the end of its postmaster; returns its process id.
async fn start_busy_backend(cluster: &PrivatePostgres) -> i32 {
    let mut connection = connect(cluster).await;
    let pid: i32 = sqlx::query_scalar("select pg_backend_pid()").fetch_one(&mut connection).await.unwrap();
    tokio::spawn(async move {
        let question = "select count(*) from generate_series(1, 100000) a, generate_series(1, 10000000) b";
        let _ = connection.execute(question).await;
    });
    until("busy", SOON, async || {
        query_text(cluster, "select count(*)::text from pg_stat_activity where state = 'active'").await == "2"
    })
    .await;
    pid
}

#[tokio::test]
async fn a_killed_server_with_a_busy_backend_is_recovered_by_the_next_run() {
    let home = ServerHome::new();
    let mut owner = OtherProcess::new("stay", &home.place);
    owner.report();
    let attached = attach(&home.place).await.unwrap().unwrap();
    connect(&attached).await.execute("create table kept as select 7 as it").await.unwrap();
    let stray = start_busy_backend(&attached).await;
    let server = home.postmaster();
    let mut all = watchers(server);
    all.push(server);
    owner.kill_with(&all);
    assert!(wait_for_end(&[server], SOON) && is_running(stray));

    let begun = Instant::now();
    let (cluster, words) = open_with_messages(&home.place).await;
    let cluster = cluster.unwrap();
    println!("recovered from a busy stray backend in {:?}", begun.elapsed());
    assert_eq!(words[0], "recovering: waiting for the backends of a server that was killed");
    assert!(!is_running(stray));
    assert_eq!(query_text(&cluster, "select it::text from kept").await, "7");
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_killed_server_is_restarted_by_its_running_owner() {
    let home = ServerHome::new();
    let cluster = open_cluster(&home.place).await;
    connect(&cluster).await.execute("create table kept as select 7 as it").await.unwrap();
    for with_busy_backend in [false, true] {
        let server = cluster.pid().unwrap();
        let stray = if with_busy_backend { Some(start_busy_backend(&cluster).await) } else { None };
        let begun = Instant::now();
        signal(&[server], Signal::KILL);
        until("revived", SOON, async || {
            cluster.pid().is_some_and(|pid| pid != server)
                && PgConnection::connect_with(&cluster.options("postgres")).await.is_ok()
        })
        .await;
        println!("revived in {:?}, busy backend: {with_busy_backend}", begun.elapsed());
        assert_eq!(query_text(&cluster, "select it::text from kept").await, "7");
        assert!(stray.is_none_or(|pid| !is_running(pid)));
    }
    cluster.stop().await.unwrap();
    assert_eq!(home.serving(), Vec::<i32>::new());
}

#[tokio::test]
async fn a_stale_pid_file_that_names_another_program_is_removed() {
    let home = ServerHome::new();
    open_cluster(&home.place).await.stop().await.unwrap();
    let pgdata = fs::metadata(home.place.pgdata()).unwrap();
    let mut sleeper = Command::new("sleep");
    // Same user as the server: only then does Postgres refuse to start.
    if geteuid().is_root() {
        sleeper.uid(pgdata.uid()).gid(pgdata.gid());
    }
    let mut stranger = sleeper.arg("300").current_dir("/").spawn().unwrap();
    let stale = format!("{}\n/elsewhere\n1700000000\n5432\n/elsewhere\n\n 1 1\nready   \n", stranger.id());
    fs::write(pid_file::path(&home.place.pgdata()), stale).unwrap();

    let (cluster, words) = open_with_messages(&home.place).await;
    assert_eq!(words, ["recovering: removing a pid file that names another program"]);
    assert!(stranger.try_wait().unwrap().is_none(), "the other program still runs");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    cluster.unwrap().stop().await.unwrap();
}

#[tokio::test]
async fn a_cancelled_open_leaves_nothing_running() {
    let home = ServerHome::new();
    for millis in [1, 100, 700, 1_500] {
        let opening = tokio::time::timeout(Duration::from_millis(millis), open(&home.place, &|_| ())).await;
        drop(opening);
    }
    // A server whose open was cancelled at the last moment may still be shutting down.
    let mut cluster = open_cluster(&home.place).await;
    while !cluster.is_owner() {
        tokio::time::sleep(Duration::from_millis(20)).await;
        cluster = open_cluster(&home.place).await;
    }
    cluster.stop().await.unwrap();
    let left: Vec<String> = fs::read_dir(&home.place.state).unwrap().map(|entry| name(entry.unwrap().path())).collect();
    assert!(!left.iter().any(|name| name.starts_with("data.new")), "{left:?}");
}

fn name(path: PathBuf) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

#[tokio::test]
async fn without_binaries_the_error_names_three_remedies() {
    let mut home = ServerHome::new();
    home.place.cache = home.directory.path().join("cache");
    // Neither pip nor pg_config can be found there.
    let mut other = OtherProcess::with_path("visit", &home.place, "/nonexistent");
    let report = other.report();
    if report.starts_with("owner") {
        eprintln!("skipped: a PostgreSQL with pgvector is installed on this machine");
        return;
    }
    for part in ["no PostgreSQL to run", "no pip was found", "DATABASE_URL", "FAULTLINE_PG_BIN", "make pip able to"] {
        assert!(report.contains(part), "{report}");
    }
}

#[tokio::test]
async fn configured_binaries_are_used_or_reported_missing() {
    let mut home = ServerHome::new();
    let bin = postgres_bin(&cache()).await.unwrap();
    home.place.cache = home.directory.path().join("empty");
    home.place.bin = Some(bin);
    let (cluster, words) = open_with_messages(&home.place).await;
    assert_eq!(words, ["creating the cluster"]);
    cluster.unwrap().stop().await.unwrap();
    home.place.bin = Some(PathBuf::from("/no/such/bin"));
    let text = open_error(&home.place).await;
    assert!(text.contains("FAULTLINE_PG_BIN names: /no/such/bin/postgres does not exist"), "{text}");
}

#[tokio::test]
async fn a_cluster_of_another_major_version_is_refused_and_unchanged() {
    let home = ServerHome::new();
    open_cluster(&home.place).await.stop().await.unwrap();
    let marker = home.place.pgdata().join("PG_VERSION");
    let true_version = fs::read(&marker).unwrap();
    fs::write(&marker, "12\n").unwrap();
    let text = open_error(&home.place).await;
    assert!(text.contains("was created by PostgreSQL 12") && text.contains("dump it with that version"), "{text}");
    assert_eq!(fs::read_to_string(&marker).unwrap(), "12\n");
    fs::write(&marker, true_version).unwrap();
    open_cluster(&home.place).await.stop().await.unwrap();
}

#[tokio::test]
async fn a_path_too_long_for_a_socket_moves_the_socket_elsewhere_elsewhere() {
    let mut home = ServerHome::new();
    home.place.state = home.directory.path().join("deep".repeat(30)).join("er".repeat(20));
    let cluster = open_cluster(&home.place).await;
    let socket = cluster.options("postgres").get_socket().unwrap().clone();
    assert!(!socket.starts_with(home.directory.path()), "{}", socket.display());
    assert_eq!(fs::metadata(&socket).unwrap().mode() & 0o777, 0o700);
    let attached = attach(&home.place).await.unwrap().unwrap();
    assert_eq!(query_text(&attached, "select '1'").await, "1");
    cluster.stop().await.unwrap();
    fs::remove_dir_all(socket).unwrap();
}

#[tokio::test]
async fn an_inaccessible_parent_folder_is_an_error_for_root_only() {
    let home = ServerHome::new();
    fs::set_permissions(home.directory.path(), Permissions::from_mode(0o700)).unwrap();
    let (outcome, _) = open_with_messages(&home.place).await;
    if !geteuid().is_root() {
        return outcome.unwrap().stop().await.unwrap();
    }
    let text = outcome.unwrap_err().to_string();
    assert!(text.contains(&format!("cannot enter {}", home.directory.path().display())), "{text}");
    assert!(text.contains("FAULTLINE_HOME"), "{text}");
}

#[tokio::test]
async fn an_error_quotes_the_setting_that_postgres_refuses() {
    let home = ServerHome::new();
    open_cluster(&home.place).await.stop().await.unwrap();
    let path = home.place.pgdata().join("postgresql.conf");
    let good = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{good}\nno_such_setting = 1\n")).unwrap();
    let text = open_error(&home.place).await;
    assert!(text.contains("the server ended with exit status: 1"), "{text}");
    assert!(text.contains("unrecognized configuration parameter \"no_such_setting\""), "{text}");
    fs::write(&path, good).unwrap();
    open_cluster(&home.place).await.stop().await.unwrap();
}

#[tokio::test]
async fn the_model_is_provided_and_a_changed_one_is_refused() {
    let model = minilm_model(&cache()).await.unwrap();
    assert_eq!(fs::metadata(&model).unwrap().len(), 22_928_619);
    let other = tempfile::tempdir().unwrap();
    let changed = other.path().join("minilm-1.0.0/model.onnx");
    fs::create_dir_all(changed.parent().unwrap()).unwrap();
    fs::write(&changed, "changed").unwrap();
    let text = minilm_model(other.path()).await.unwrap_err().to_string();
    assert!(text.contains("does not match the pinned content") && text.ends_with("delete it and try again"), "{text}");
}

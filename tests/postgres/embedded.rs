//! The private Postgres, for real: started, attached to, and killed in every way that is likely.
//!
//! Binaries come from the cache of `FAULTLINE_HOME` (or `.faultline` beside `Cargo.toml`), where the first test to run
//! puts them. Every test has a cluster of its own.

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

/// A cluster's place that goes when the test does.
struct Home {
    directory: TempDir,
    place: ClusterLayout,
}

impl Home {
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

/// Nothing of a failed test is left running.
impl Drop for Home {
    fn drop(&mut self) {
        signal(&self.serving(), Signal::QUIT);
    }
}

fn cache() -> PathBuf {
    let home = std::env::var_os("FAULTLINE_HOME").map(PathBuf::from);
    home.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".faultline")).join("cache")
}

/// Opens, and keeps what is told.
async fn open_and_hear(place: &ClusterLayout) -> (Result<PrivatePostgres, EmbeddedError>, Vec<String>) {
    let words = Mutex::new(Vec::new());
    let opened = open(place, &|word| words.lock().unwrap().push(word.to_owned())).await;
    (opened, words.into_inner().unwrap())
}

async fn opened(place: &ClusterLayout) -> PrivatePostgres {
    open(place, &|_| ()).await.unwrap()
}

async fn refused(place: &ClusterLayout) -> String {
    open(place, &|_| ()).await.unwrap_err().to_string()
}

async fn connect(cluster: &PrivatePostgres) -> PgConnection {
    PgConnection::connect_with(&cluster.options("postgres")).await.unwrap()
}

async fn ask(cluster: &PrivatePostgres, question: &'static str) -> String {
    sqlx::query_scalar(question).fetch_one(&mut connect(cluster).await).await.unwrap()
}

async fn until(what: &str, limit: Duration, is_so: impl AsyncFn() -> bool) {
    let begun = Instant::now();
    while !is_so().await {
        assert!(begun.elapsed() < limit, "{what}: not within {limit:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Another process, which is this very program with one test to run.
struct Other {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Other {
    fn new(role: &str, place: &ClusterLayout) -> Self {
        Self::with_path(role, place, &std::env::var("PATH").unwrap())
    }

    fn with_path(role: &str, place: &ClusterLayout, path: &str) -> Self {
        // The name of a test leaves out the crate.
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

    /// What it reports next.
    fn report(&mut self) -> String {
        let lines = self.output.by_ref().lines().map(Result::unwrap);
        let mut reports = lines.filter_map(|it| it.split_once("@@").map(|(_, report)| report.to_owned()));
        reports.next().expect("the other process reports")
    }

    /// Kills it along with others, as if at one moment: it has no time to see to their end.
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

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Not a test: what the other process does.
#[tokio::test]
async fn as_another_process() {
    let Ok(role) = std::env::var("EMBEDDED_ROLE") else {
        return;
    };
    let path = |name: &str| PathBuf::from(std::env::var_os(name).unwrap());
    let place = ClusterLayout { cache: path("EMBEDDED_CACHE"), state: path("EMBEDDED_STATE"), bin: None };
    let cluster = match open(&place, &|_| ()).await {
        Ok(cluster) => cluster,
        Err(why) => return println!("\n@@{}", why.to_string().replace('\n', " / ")),
    };
    let answer = ask(&cluster, "select 'forty' || 2").await;
    println!("\n@@owner {} {answer}", cluster.is_owner());
    if role == "stay" {
        std::future::pending::<()>().await;
    }
    // Long enough for others that start now to attach.
    tokio::time::sleep(Duration::from_secs(3)).await;
    cluster.stop().await.unwrap();
}

/// The processes around a server that somebody else owns: its watcher, and the watcher's reader.
fn watchers(server: i32) -> Vec<i32> {
    let field = |pid: i32, nth: usize| -> i32 {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let rest = stat.rsplit_once(") ").map(|it| it.1.to_owned()).unwrap_or_default();
        rest.split(' ').nth(nth).and_then(|it| it.parse().ok()).unwrap_or(0)
    };
    let watcher = field(server, 1);
    let all = fs::read_dir("/proc").unwrap().filter_map(|it| it.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let mut found: Vec<i32> = all.filter(|it| *it != server && field(*it, 1) == watcher).collect();
    found.push(watcher);
    assert!(found.len() == 2 && watcher > 1, "{found:?}");
    assert_eq!(field(server, 2), watcher, "a process group of its own: Ctrl-C does not reach the server");
    found
}

#[tokio::test]
async fn a_new_cluster_is_created_kept_and_found_again() {
    let home = Home::new();
    let begun = Instant::now();
    let (cluster, words) = open_and_hear(&home.place).await;
    let (cluster, cold) = (cluster.unwrap(), begun.elapsed());
    assert!(words.iter().any(|it| it == "creating the cluster"), "{words:?}");
    assert!(cluster.is_owner() && cluster.version().starts_with(|it: char| it.is_ascii_digit()));
    let server = cluster.pid().unwrap();
    assert!(is_running(server));

    for (question, answer) in [
        ("show fsync", "on"),
        ("show listen_addresses", ""),
        ("show max_connections", "200"),
        ("show shared_buffers", "128MB"),
        ("show jit", "off"),
        ("select current_user::text", "faultline"),
        ("select rolsuper::text from pg_roles where rolname = current_user", "true"),
        ("select datcollate from pg_database where datname = 'postgres'", "C.UTF-8"),
        ("select string_agg(it, '' order by it) from unnest(array['b', 'a', 'B', 'ä']) it", "Babä"),
        ("select upper('ä')", "Ä"),
    ] {
        assert_eq!(ask(&cluster, question).await, answer, "{question}");
    }
    connect(&cluster).await.execute("create extension vector; create table kept as select 7 as it").await.unwrap();
    assert_eq!(ask(&cluster, "select ('[1,2]'::halfvec <-> '[1,0]'::halfvec)::text").await, "2");
    let options = cluster.options("postgres");
    let socket = fs::metadata(options.get_socket().unwrap()).unwrap();
    assert_eq!(socket.mode() & 0o777, 0o700);

    let begun = Instant::now();
    cluster.stop().await.unwrap();
    let stopped = begun.elapsed();
    assert!(!is_running(server) && home.log().contains("database system is shut down"));
    assert!(attach(&home.place).await.unwrap().is_none());

    let begun = Instant::now();
    let (cluster, words) = open_and_hear(&home.place).await;
    let (cluster, warm) = (cluster.unwrap(), begun.elapsed());
    assert!(words.is_empty(), "{words:?}");
    assert_eq!(ask(&cluster, "select it::text from kept").await, "7");
    println!("cold {cold:?}, stop {stopped:?}, warm {warm:?}");
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_second_handle_attaches_and_a_dropped_owner_ends_the_server() {
    let home = Home::new();
    assert!(attach(&home.place).await.unwrap().is_none(), "there is nothing yet");
    assert!(!home.place.state.exists(), "and looking makes nothing");
    let owner = opened(&home.place).await;
    let second = opened(&home.place).await;
    let third = attach(&home.place).await.unwrap().unwrap();
    assert!(owner.is_owner() && !second.is_owner() && !third.is_owner());
    assert_eq!((second.pid(), second.version()), (owner.pid(), owner.version()));
    second.stop().await.unwrap();
    assert_eq!(ask(&third, "select '1'").await, "1", "only the owner can stop it");

    let server = owner.pid().unwrap();
    drop(owner);
    // At once, while the old server still shuts down.
    let (next, words) = open_and_hear(&home.place).await;
    let next = next.unwrap();
    assert!(next.is_owner() && next.pid() != Some(server), "{words:?}");
    assert!(!home.log().contains("not properly shut down"), "{}", home.log());
    next.stop().await.unwrap();
}

#[tokio::test]
async fn of_many_processes_that_start_at_once_one_owns_and_the_others_attach() {
    let home = Home::new();
    let mut others: Vec<Other> = (0..4).map(|_| Other::new("visit", &home.place)).collect();
    let mut reports: Vec<String> = others.iter_mut().map(Other::report).collect();
    reports.sort();
    let attached = "owner false forty2";
    assert_eq!(reports, [attached, attached, attached, "owner true forty2"]);
}

#[tokio::test]
async fn a_killed_owner_takes_its_server_along_in_order() {
    let home = Home::new();
    let mut owner = Other::new("stay", &home.place);
    assert_eq!(owner.report(), "owner true forty2");
    let attached = attach(&home.place).await.unwrap().unwrap();
    connect(&attached).await.execute("create table kept as select 7 as it").await.unwrap();
    let server = home.postmaster();
    watchers(server);

    owner.kill();
    assert!(wait_for_end(&[server], SOON));
    assert!(home.log().contains("received fast shutdown request"), "{}", home.log());
    let cluster = opened(&home.place).await;
    assert_eq!(ask(&cluster, "select it::text from kept").await, "7");
    assert!(!home.log().contains("not properly shut down"), "{}", home.log());

    // And without a pause between the two.
    cluster.stop().await.unwrap();
    let mut owner = Other::new("stay", &home.place);
    owner.report();
    owner.kill();
    let cluster = opened(&home.place).await;
    assert!(cluster.is_owner() && !home.log().contains("not properly shut down"), "{}", home.log());
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_server_whose_watcher_was_killed_too_is_found_and_stopped() {
    let home = Home::new();
    let mut owner = Other::new("stay", &home.place);
    owner.report();
    let server = home.postmaster();
    owner.kill_with(&watchers(server));
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(is_running(server), "an orphan");

    let (cluster, words) = open_and_hear(&home.place).await;
    let cluster = cluster.unwrap();
    assert_eq!(words, ["recovering: stopping the server that an earlier run left behind"]);
    assert!(!is_running(server) && cluster.is_owner());
    assert!(!home.log().contains("not properly shut down"), "{}", home.log());
    cluster.stop().await.unwrap();
}

/// A backend that computes and looks at nothing.
async fn busy(cluster: &PrivatePostgres) -> i32 {
    let mut connection = connect(cluster).await;
    let pid: i32 = sqlx::query_scalar("select pg_backend_pid()").fetch_one(&mut connection).await.unwrap();
    tokio::spawn(async move {
        let question = "select count(*) from generate_series(1, 100000) a, generate_series(1, 10000000) b";
        let _ = connection.execute(question).await;
    });
    until("busy", SOON, async || {
        ask(cluster, "select count(*)::text from pg_stat_activity where state = 'active'").await == "2"
    })
    .await;
    pid
}

#[tokio::test]
async fn a_killed_server_with_a_busy_backend_is_recovered_by_the_next_run() {
    let home = Home::new();
    let mut owner = Other::new("stay", &home.place);
    owner.report();
    let attached = attach(&home.place).await.unwrap().unwrap();
    connect(&attached).await.execute("create table kept as select 7 as it").await.unwrap();
    let stray = busy(&attached).await;
    let server = home.postmaster();
    let mut all = watchers(server);
    all.push(server);
    owner.kill_with(&all);
    assert!(wait_for_end(&[server], SOON) && is_running(stray));

    let begun = Instant::now();
    let (cluster, words) = open_and_hear(&home.place).await;
    let cluster = cluster.unwrap();
    println!("recovered from a busy stray backend in {:?}", begun.elapsed());
    assert_eq!(words[0], "recovering: waiting for the backends of a server that was killed");
    assert!(!is_running(stray));
    assert_eq!(ask(&cluster, "select it::text from kept").await, "7");
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_killed_server_is_started_again_by_its_living_owner() {
    let home = Home::new();
    let cluster = opened(&home.place).await;
    connect(&cluster).await.execute("create table kept as select 7 as it").await.unwrap();
    for with_busy_backend in [false, true] {
        let server = cluster.pid().unwrap();
        let stray = if with_busy_backend { Some(busy(&cluster).await) } else { None };
        let begun = Instant::now();
        signal(&[server], Signal::KILL);
        until("revived", SOON, async || {
            cluster.pid().is_some_and(|it| it != server)
                && PgConnection::connect_with(&cluster.options("postgres")).await.is_ok()
        })
        .await;
        println!("revived in {:?}, busy backend: {with_busy_backend}", begun.elapsed());
        assert_eq!(ask(&cluster, "select it::text from kept").await, "7");
        assert!(stray.is_none_or(|it| !is_running(it)));
    }
    cluster.stop().await.unwrap();
    assert_eq!(home.serving(), Vec::<i32>::new());
}

#[tokio::test]
async fn a_stale_pid_file_that_names_a_living_stranger_is_no_obstacle() {
    let home = Home::new();
    opened(&home.place).await.stop().await.unwrap();
    let pgdata = fs::metadata(home.place.pgdata()).unwrap();
    let mut sleeper = Command::new("sleep");
    // Of the same user: only then does Postgres refuse.
    if geteuid().is_root() {
        sleeper.uid(pgdata.uid()).gid(pgdata.gid());
    }
    let mut stranger = sleeper.arg("300").current_dir("/").spawn().unwrap();
    let stale = format!("{}\n/elsewhere\n1700000000\n5432\n/elsewhere\n\n 1 1\nready   \n", stranger.id());
    fs::write(pid_file::path(&home.place.pgdata()), stale).unwrap();

    let (cluster, words) = open_and_hear(&home.place).await;
    assert_eq!(words, ["recovering: removing a pid file that names another program"]);
    assert!(stranger.try_wait().unwrap().is_none(), "the stranger lives");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    cluster.unwrap().stop().await.unwrap();
}

#[tokio::test]
async fn an_open_that_is_given_up_leaves_nothing_running() {
    let home = Home::new();
    for millis in [1, 100, 700, 1_500] {
        let opening = tokio::time::timeout(Duration::from_millis(millis), open(&home.place, &|_| ())).await;
        drop(opening);
    }
    // One that was given up at the last moment may be up, and about to go.
    let mut cluster = opened(&home.place).await;
    while !cluster.is_owner() {
        tokio::time::sleep(Duration::from_millis(20)).await;
        cluster = opened(&home.place).await;
    }
    cluster.stop().await.unwrap();
    let left: Vec<String> = fs::read_dir(&home.place.state).unwrap().map(|it| name(it.unwrap().path())).collect();
    assert!(!left.iter().any(|it| it.starts_with("data.new")), "{left:?}");
}

fn name(path: PathBuf) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

#[tokio::test]
async fn without_binaries_the_error_names_the_three_ways_out() {
    let mut home = Home::new();
    home.place.cache = home.directory.path().join("cache");
    // Neither pip nor pg_config can be found there.
    let mut other = Other::with_path("visit", &home.place, "/nonexistent");
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
async fn binaries_that_are_asked_for_are_used_or_an_error() {
    let mut home = Home::new();
    let bin = postgres_bin(&cache()).await.unwrap();
    home.place.cache = home.directory.path().join("empty");
    home.place.bin = Some(bin);
    let (cluster, words) = open_and_hear(&home.place).await;
    assert_eq!(words, ["creating the cluster"]);
    cluster.unwrap().stop().await.unwrap();
    home.place.bin = Some(PathBuf::from("/no/such/bin"));
    let text = refused(&home.place).await;
    assert!(text.contains("FAULTLINE_PG_BIN names: /no/such/bin/postgres does not exist"), "{text}");
}

#[tokio::test]
async fn a_cluster_of_another_major_version_is_left_alone() {
    let home = Home::new();
    opened(&home.place).await.stop().await.unwrap();
    let marker = home.place.pgdata().join("PG_VERSION");
    let true_version = fs::read(&marker).unwrap();
    fs::write(&marker, "12\n").unwrap();
    let text = refused(&home.place).await;
    assert!(text.contains("was created by PostgreSQL 12") && text.contains("dump it with that version"), "{text}");
    assert_eq!(fs::read_to_string(&marker).unwrap(), "12\n");
    fs::write(&marker, true_version).unwrap();
    opened(&home.place).await.stop().await.unwrap();
}

#[tokio::test]
async fn a_path_too_long_for_a_socket_moves_the_socket() {
    let mut home = Home::new();
    home.place.state = home.directory.path().join("deep".repeat(30)).join("er".repeat(20));
    let cluster = opened(&home.place).await;
    let socket = cluster.options("postgres").get_socket().unwrap().clone();
    assert!(!socket.starts_with(home.directory.path()), "{}", socket.display());
    assert_eq!(fs::metadata(&socket).unwrap().mode() & 0o777, 0o700);
    let attached = attach(&home.place).await.unwrap().unwrap();
    assert_eq!(ask(&attached, "select '1'").await, "1");
    cluster.stop().await.unwrap();
    fs::remove_dir_all(socket).unwrap();
}

#[tokio::test]
async fn a_closed_parent_is_an_error_for_root_and_for_nobody_else() {
    let home = Home::new();
    fs::set_permissions(home.directory.path(), Permissions::from_mode(0o700)).unwrap();
    let (outcome, _) = open_and_hear(&home.place).await;
    if !geteuid().is_root() {
        return outcome.unwrap().stop().await.unwrap();
    }
    let text = outcome.unwrap_err().to_string();
    assert!(text.contains(&format!("cannot enter {}", home.directory.path().display())), "{text}");
    assert!(text.contains("FAULTLINE_HOME"), "{text}");
}

#[tokio::test]
async fn a_configuration_that_postgres_refuses_is_quoted() {
    let home = Home::new();
    opened(&home.place).await.stop().await.unwrap();
    let path = home.place.pgdata().join("postgresql.conf");
    let good = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{good}\nno_such_setting = 1\n")).unwrap();
    let text = refused(&home.place).await;
    assert!(text.contains("the server ended with exit status: 1"), "{text}");
    assert!(text.contains("unrecognized configuration parameter \"no_such_setting\""), "{text}");
    fs::write(&path, good).unwrap();
    opened(&home.place).await.stop().await.unwrap();
}

#[tokio::test]
async fn the_model_is_there_and_a_changed_one_is_refused() {
    let model = minilm_model(&cache()).await.unwrap();
    assert_eq!(fs::metadata(&model).unwrap().len(), 22_928_619);
    let other = tempfile::tempdir().unwrap();
    let changed = other.path().join("minilm-1.0.0/model.onnx");
    fs::create_dir_all(changed.parent().unwrap()).unwrap();
    fs::write(&changed, "changed").unwrap();
    let text = minilm_model(other.path()).await.unwrap_err().to_string();
    assert!(text.contains("does not match the pinned content") && text.ends_with("delete it and try again"), "{text}");
}

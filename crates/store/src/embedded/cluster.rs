//! Private Postgres cluster: start or attach, connect, stop.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgSslMode};
use sqlx::{Connection, Error as SqlError};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};

use crate::embedded::create::{SUPERUSER, create};
use crate::embedded::error::EmbeddedError;
use crate::embedded::find::{Binaries, SearchOutcome, check_major, provision, search};
use crate::embedded::layout::ClusterLayout;
use crate::embedded::lock;
use crate::embedded::pid_file;
use crate::embedded::processes::{is_running, pids_of_cluster, signal};
use crate::embedded::recover::{END, SHUTDOWN, server};
use crate::embedded::socket::PORT;
use crate::embedded::start::{Server, Started};
use crate::embedded::user::User;
use crate::embedded::watchdog::{Outages, Watchdog};
use crate::provision::disk::make_directory;
use crate::provision::postgres::MAJOR;

/// Time limit for another process that owns the cluster to have it ready.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// Time limit for a server that reports itself ready to answer a query.
const ANSWER: Duration = Duration::from_secs(10);

/// Wait that is too short to be reported.
const HARDLY: Duration = Duration::from_millis(300);

const PAUSE: Duration = Duration::from_millis(30);

/// Callback for progress messages, short phrases such as "creating the cluster".
pub type OnProgress<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// A running private Postgres. Its owner is the process that started it: when the owner stops it, drops it, or ends in
/// any way, the server shuts down, also for attached processes.
#[derive(Debug)]
pub struct PrivatePostgres {
    pgdata: PathBuf,
    user: User,
    socket: PathBuf,
    version: String,
    keeper: Option<Watchdog>,
}

/// Starts the cluster, creating it if there is none, or attaches to it if another process runs it.
///
/// # Errors
/// `Unusable`, `Untrusted`, `NoPostgres` or `OtherMajor` if there are no usable binaries; `Foreign`, `Unreachable`,
/// `NoUser`, `NotACluster` or `Socket` if the directory or the user does not permit it; `Held` if another process owns
/// the cluster and does not get it ready; `Create`, `Start`, `Stuck` or `Probe` if the server does not start; `Io`.
/// Each message includes a remedy.
pub async fn open(place: &ClusterLayout, tell: OnProgress<'_>) -> Result<PrivatePostgres, EmbeddedError> {
    let place = place.absolute()?;
    place.check_private()?;
    if let Some(cluster) = attach(&place).await? {
        return Ok(cluster);
    }
    make_directory(&place.state).map_err(EmbeddedError::io("create", &place.state))?;
    let user = User::of(&place)?;
    user.check_reach(&place.state)?;
    // Before taking the lock: finding binaries may take minutes, and fetching them has a lock of its own.
    let binaries = find(&place, user, tell).await?;
    let begun = Instant::now();
    let mut told = false;
    loop {
        if let Some(lock) = lock::take(&place)? {
            return own(Server { place, binaries, user }, lock, tell).await;
        }
        let refused = match look(&place, user).await {
            Ok(cluster) if !lock::is_leaving(&place) => return Ok(cluster),
            Ok(_) => format!("{} is shutting its server down", lock::owner(&place)),
            Err(refused) => refused,
        };
        if !told && begun.elapsed() > HARDLY {
            tell(&format!("waiting for {}, which owns the database", lock::owner(&place)));
            told = true;
        }
        if begun.elapsed() > TIMEOUT {
            let (state, owner) = (place.state.clone(), lock::owner(&place));
            return Err(EmbeddedError::Held { state, owner, seconds: TIMEOUT.as_secs(), refused });
        }
        sleep(PAUSE).await;
    }
}

/// Attaches to the cluster if another process has it running and ready; `None` if not. Starts and fetches nothing.
///
/// # Errors
/// `Untrusted` if another user may write to the home; `Foreign` if the cluster belongs to another user; `Io` if its
/// directory cannot be read.
pub async fn attach(place: &ClusterLayout) -> Result<Option<PrivatePostgres>, EmbeddedError> {
    let place = place.absolute()?;
    place.check_private()?;
    let user = User::of(&place)?;
    // A server without an owner is about to shut down.
    if !lock::is_taken(&place)? || lock::is_leaving(&place) {
        return Ok(None);
    }
    Ok(look(&place, user).await.ok())
}

impl PrivatePostgres {
    /// Returns the options for connecting to a database. `postgres` always exists; others must be created by the
    /// caller.
    pub fn options(&self, database: &str) -> PgConnectOptions {
        // Sets everything that determines the address, which PGHOST and similar variables could change; users may set
        // PGAPPNAME and PGOPTIONS.
        PgConnectOptions::new_without_pgpass()
            .socket(&self.socket)
            .port(PORT)
            .username(SUPERUSER)
            .database(database)
            .ssl_mode(PgSslMode::Disable)
    }

    /// Returns true if this process started the server, which then ends with this process.
    pub fn is_owner(&self) -> bool {
        self.keeper.is_some()
    }

    /// Returns the directory of the data, the socket, the log, the lock and the reserve file.
    pub fn state(&self) -> &Path {
        self.pgdata.parent().unwrap_or(&self.pgdata)
    }

    /// Returns a handle that reports why the server is not running. It reports nothing for a server that another
    /// process owns.
    pub fn outages(&self) -> Outages {
        self.keeper.as_ref().map(Watchdog::outages).unwrap_or_default()
    }

    /// Returns the version of the server: "18.6".
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the process id of the server if it is running now; its owner restarts a server that was killed.
    pub fn pid(&self) -> Option<i32> {
        server(&self.pgdata)
    }

    /// Shuts the server down and waits for its end. Does nothing in a process that is only attached.
    ///
    /// # Errors
    /// `Stuck` if the server does not end, even after an immediate shutdown.
    pub async fn stop(mut self) -> Result<(), EmbeddedError> {
        let Some(keeper) = &mut self.keeper else {
            return Ok(());
        };
        if keeper.stop(SHUTDOWN).await {
            return Ok(());
        }
        tracing::warn!(pgdata = %self.pgdata.display(), "the server did not shut down in time; ending it immediately");
        signal(server(&self.pgdata).as_slice(), Signal::QUIT);
        if keeper.stop(END).await {
            return Ok(());
        }
        let pids = pids_of_cluster(&self.pgdata, &self.user);
        Err(EmbeddedError::Stuck { pgdata: self.pgdata, pids })
    }
}

async fn find(place: &ClusterLayout, user: User, tell: OnProgress<'_>) -> Result<Binaries, EmbeddedError> {
    let there = place.clone();
    match aside(tell, move |_| search(&there, &user)).await? {
        SearchOutcome::Fit(binaries) => Ok(binaries),
        SearchOutcome::Nothing(passed) => {
            tell(&format!("fetching PostgreSQL {MAJOR} with pgvector"));
            provision(place, &user, passed).await
        }
    }
}

/// Starts the server as its owner. Holding the lock ensures that no other process changes the cluster.
async fn own(server: Server, lock: File, tell: OnProgress<'_>) -> Result<PrivatePostgres, EmbeddedError> {
    let pgdata = server.place.pgdata();
    let (log, user) = (server.place.log(), server.user);
    let (keeper, socket) = aside(tell, move |tell| {
        let started = begin(&server, tell)?;
        let socket = started.socket.clone();
        Watchdog::new(server, started, lock).map(|keeper| (keeper, socket))
    })
    .await?;
    let mut cluster = PrivatePostgres { pgdata, user, socket, version: String::new(), keeper: Some(keeper) };
    match ask_version(&cluster).await {
        Ok(version) => {
            cluster.version = version;
            Ok(cluster)
        }
        Err(why) => {
            let failed = EmbeddedError::Probe { pgdata: cluster.pgdata.clone(), why: why.to_string(), log };
            cluster.stop().await.map_or_else(Err, |()| Err(failed))
        }
    }
}

fn begin(server: &Server, tell: &dyn Fn(&str)) -> Result<Started, EmbeddedError> {
    // Another process may have created the cluster since the binaries were chosen.
    check_major(&server.place, &server.binaries)?;
    if server.place.major()?.is_none() {
        tell("creating the cluster");
        create(&server.place, &server.binaries, &server.user)?;
    }
    server.start(tell)
}

/// Connects to a server that another process owns; the error says why that failed.
async fn look(place: &ClusterLayout, user: User) -> Result<PrivatePostgres, String> {
    let pgdata = place.pgdata();
    let Some(file) = pid_file::read(&pgdata) else {
        return Err("no server is running".to_owned());
    };
    if !file.is_ready || !is_running(file.pid) {
        return Err("its server is not ready".to_owned());
    }
    let mut cluster = PrivatePostgres { pgdata, user, socket: file.socket, version: String::new(), keeper: None };
    cluster.version = ask_version(&cluster).await.map_err(|why| why.to_string())?;
    Ok(cluster)
}

/// Queries the version, which also proves that the server accepts connections.
async fn ask_version(cluster: &PrivatePostgres) -> Result<String, SqlError> {
    let asking = async {
        let mut connection = PgConnection::connect_with(&cluster.options("postgres")).await?;
        let asked = sqlx::query_scalar("show server_version");
        let version: String = asked.fetch_one(&mut connection).await?;
        connection.close().await?;
        // "18.6 (Debian 18.6-1)"
        Ok(version.split_whitespace().next().unwrap_or_default().to_owned())
    };
    timeout(ANSWER, asking).await.unwrap_or_else(|late| Err(SqlError::Io(late.into())))
}

/// Runs blocking work in its own thread and forwards its progress messages. If the caller is dropped in the meantime
/// (Ctrl-C), nothing waits for the work; its result is dropped, and dropping a server shuts it down.
async fn aside<T, W>(tell: OnProgress<'_>, work: W) -> Result<T, EmbeddedError>
where
    T: Send + 'static,
    W: FnOnce(&dyn Fn(&str)) -> Result<T, EmbeddedError> + Send + 'static,
{
    let (words, mut heard): (UnboundedSender<String>, _) = unbounded_channel();
    let (give, outcome) = oneshot::channel();
    let working = move || {
        let result = work(&|word| {
            let _ = words.send(word.to_owned());
        });
        drop(words);
        let _ = give.send(result);
    };
    let spawned = thread::Builder::new().name("postgres-start".to_owned()).spawn(working);
    spawned.map_err(EmbeddedError::io("start a thread for", Path::new("PostgreSQL")))?;
    while let Some(word) = heard.recv().await {
        tell(&word);
    }
    outcome.await.expect("the worker thread does not panic")
}

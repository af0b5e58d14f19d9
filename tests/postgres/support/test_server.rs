//! Test server: the service in this process, with a scripted provider.

use std::collections::BTreeMap;
use std::path::Path;

use faultline::api::admission::tokens::AccessControl;
use faultline::app::equipped_app::EquippedApp;
use faultline::app::server::listen;
use faultline::config::Config;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_store::follow::log_tail::Tail;
use faultline_store::log::log::Log;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::support::client::Client;
use crate::support::database::{Database, migrated_database};
use crate::support::environment::cache_dir;
use crate::support::log_reads::{wait_for_end, wait_for_event};
use crate::support::statement_counter::StatementLog;
use crate::support::test_home::TestHome;
use crate::support::waiting::{poll_until, with_timeout};

/// The service in this process, with its own database.
pub struct TestServer {
    /// HTTP client of the service.
    pub client: Client,
    /// Log of the service.
    pub log: Log,
    /// Tail of the log, which wakes followers.
    pub tail: Tail,
    /// Database of the service.
    pub database: Database,
    home: TestHome,
    script: Value,
    home_kind: HomeKind,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

impl TestServer {
    /// Starts the service with this script.
    pub async fn start(script: &Value) -> TestServer {
        TestServer::start_configured(script, None, AccessControl::default(), HomeKind::Own).await
    }

    /// Starts the service with this access control.
    pub async fn start_with_access(script: &Value, access: AccessControl) -> TestServer {
        TestServer::start_configured(script, None, access, HomeKind::Own).await
    }

    /// Starts the service with this corpus.
    pub async fn start_with_corpus(script: &Value, corpus: &Path) -> TestServer {
        TestServer::start_configured(script, Some(corpus), AccessControl::default(), HomeKind::Own).await
    }

    /// Starts the service with sentence embeddings, or with their stand-in.
    pub async fn start_with_embedder(script: &Value, sentences: bool) -> TestServer {
        let home_kind = if sentences { HomeKind::SharedWithSentences } else { HomeKind::Own };
        TestServer::start_configured(script, None, AccessControl::default(), home_kind).await
    }

    /// Starts the service with a corpus and the libraries of its pages.
    pub async fn start_with_pages(script: &Value, corpus: &Path, access: AccessControl) -> TestServer {
        TestServer::start_configured(script, Some(corpus), access, HomeKind::Shared).await
    }

    async fn start_configured(
        script: &Value,
        corpus: Option<&Path>,
        access: AccessControl,
        home_kind: HomeKind,
    ) -> TestServer {
        let (database, home) = (migrated_database().await, TestHome::new());
        let mut variables = in_home(home.environment(&database.options, script), home_kind);
        if let Some(corpus) = corpus {
            variables.retain(|(name, _)| *name != "FAULTLINE_CORPUS");
            variables.push(("FAULTLINE_CORPUS", corpus.display().to_string()));
        }
        let pairs: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let config = Config::from_pairs(&pairs).expect("a configuration");
        let mut app = EquippedApp::open(&config, &|_| {}).await.expect("the service");
        let listener = listen("127.0.0.1:0".parse().expect("an address")).await.expect("a socket");
        let client = Client::new(&listener.local_addr().expect("an address").to_string());
        app.start_workers(&config);
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(async move {
            let until = async { drop(stopped.await) };
            app.serve(listener, &config, access, until).await.expect("serve");
            app.close().await;
        });
        let log = database.log().await;
        let tail = Tail::start(&log);
        TestServer { client, log, tail, database, home, script: script.clone(), home_kind, stop, serving }
    }

    /// Starts a second service on the same database that drives no debates, on its own thread; returns its client and
    /// the statements of that thread. It runs until the test's process ends.
    pub async fn start_second(&self) -> (Client, StatementLog) {
        let variables = self.environment();
        let (actual, heard) = oneshot::channel();
        std::thread::spawn(move || {
            let sent = StatementLog::for_this_thread();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let pairs: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
                let config = Config::from_pairs(&pairs).expect("a configuration");
                let app = EquippedApp::open(&config, &|_| {}).await.expect("the service");
                let listener = listen("127.0.0.1:0".parse().expect("an address")).await.expect("a socket");
                let client = Client::new(&listener.local_addr().expect("an address").to_string());
                let _whoever_waits = actual.send((client, sent));
                app.serve(listener, &config, AccessControl::default(), std::future::pending()).await.expect("serve");
            });
        });
        heard.await.expect("the service runs")
    }

    /// Environment with which a command in another process finds the same database.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        in_home(self.home.environment(&self.database.options, &self.script), self.home_kind)
    }

    /// Waits for an event of a debate that satisfies `is_such`; returns all events up to it.
    pub async fn wait_for_event(&self, debate: DebateId, is_such: impl Fn(&Event) -> bool) -> Vec<Recorded> {
        wait_for_event(&self.log, &self.tail, debate, is_such).await
    }

    /// Waits until a debate has ended; returns all its events.
    pub async fn wait_for_end(&self, debate: DebateId) -> Vec<Recorded> {
        wait_for_end(&self.log, &self.tail, debate).await
    }

    /// Waits until the lease of a debate has this state and no holder.
    pub async fn wait_for_release(&self, debate: DebateId, state: &str) {
        poll_until("the lease is released", async || {
            let lease: Option<(String, Option<Uuid>)> =
                sqlx::query_as("select state, holder from leases where debate_id = $1")
                    .bind(debate.0)
                    .fetch_optional(&self.database.pool)
                    .await
                    .expect("look at the lease");
            lease.filter(|(found, holder)| found == state && holder.is_none())
        })
        .await;
    }

    /// Shuts the service down and waits for its end.
    pub async fn stop(self) {
        self.stop.send(()).expect("the service runs");
        with_timeout("the service stops", self.serving).await.expect("a clean end");
    }
}

/// Data directory of a service.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HomeKind {
    /// One of its own, in which nothing is cached.
    Own,
    /// That of the tests, with what was fetched before.
    Shared,
    /// That of the tests, for sentence embeddings, whose weights are in its cache.
    SharedWithSentences,
}

/// Sets the data directory and the embedder.
fn in_home(variables: Vec<(&'static str, String)>, home_kind: HomeKind) -> Vec<(&'static str, String)> {
    let cache = cache_dir();
    let home = cache.parent().expect("a folder").display().to_string();
    let changed = |(name, value)| match name {
        "FAULTLINE_EMBEDDER" if home_kind == HomeKind::SharedWithSentences => (name, "minilm".to_owned()),
        "FAULTLINE_HOME" if home_kind != HomeKind::Own => (name, home.clone()),
        _ => (name, value),
    };
    variables.into_iter().map(changed).collect()
}

/// Versions of these events.
pub fn versions(events: &[Recorded]) -> Vec<i64> {
    events.iter().map(|event| event.version).collect()
}

/// Number of events of each kind.
pub fn count_by_kind(events: &[Recorded]) -> BTreeMap<&str, usize> {
    let mut kinds = BTreeMap::new();
    events.iter().for_each(|event| *kinds.entry(event.event.kind()).or_default() += 1);
    kinds
}

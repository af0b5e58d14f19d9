//! The service in this process, answered by a script.

use std::collections::BTreeMap;
use std::path::Path;

use faultline::api::admission::tokens::AccessControl;
use faultline::app::app::{App, listen};
use faultline::config::Config;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_store::follow::log_tail::Tail;
use faultline_store::log::log::Log;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::client::{Client, Home, ended, in_time, seen, until};
use crate::counted::Sent;
use crate::support::{Database, cache, fresh};

/// The service in this process, over a database of its own.
pub struct House {
    /// A client of it.
    pub client: Client,
    /// What it writes.
    pub log: Log,
    /// Wakes whoever follows that.
    pub tail: Tail,
    /// Where.
    pub database: Database,
    home: Home,
    script: Value,
    sentences: bool,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

impl House {
    /// Opens it, answered by this script.
    pub async fn open(script: &Value) -> House {
        House::furnished(script, None, AccessControl::default(), false).await
    }

    /// Opens it to those whom this lets in.
    pub async fn open_to(script: &Value, access: AccessControl) -> House {
        House::furnished(script, None, access, false).await
    }

    /// Opens it over what personas wrote.
    pub async fn over(script: &Value, corpus: &Path) -> House {
        House::furnished(script, Some(corpus), AccessControl::default(), false).await
    }

    /// Opens it; with sentence embeddings, or with their stand-in.
    pub async fn open_with(script: &Value, sentences: bool) -> House {
        House::furnished(script, None, AccessControl::default(), sentences).await
    }

    async fn furnished(script: &Value, corpus: Option<&Path>, access: AccessControl, sentences: bool) -> House {
        let (database, home) = (fresh().await, Home::new());
        let mut variables = with_embedder(home.variables(&database.options, script), sentences);
        if let Some(corpus) = corpus {
            variables.retain(|(name, _)| *name != "FAULTLINE_CORPUS");
            variables.push(("FAULTLINE_CORPUS", corpus.display().to_string()));
        }
        let pairs: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let config = Config::from_pairs(&pairs).expect("a configuration");
        let mut app = App::open_equipped(&config, &|_| {}).await.expect("the service");
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
        House { client, log, tail, database, home, script: script.clone(), sentences, stop, serving }
    }

    /// A client of another service over the same database, which only answers: on a thread of its own, of which every
    /// statement is taken note of. It ends with the test's process.
    pub async fn beside(&self) -> (Client, Sent) {
        let variables = self.variables();
        let (told, heard) = oneshot::channel();
        std::thread::spawn(move || {
            let sent = Sent::by_this_thread();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let pairs: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
                let config = Config::from_pairs(&pairs).expect("a configuration");
                let app = App::open_equipped(&config, &|_| {}).await.expect("the service");
                let listener = listen("127.0.0.1:0".parse().expect("an address")).await.expect("a socket");
                let client = Client::new(&listener.local_addr().expect("an address").to_string());
                let _whoever_waits = told.send((client, sent));
                app.serve(listener, &config, AccessControl::default(), std::future::pending()).await.expect("serve");
            });
        });
        heard.await.expect("it serves")
    }

    /// What a command in another process is told to find the same database.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        with_embedder(self.home.variables(&self.database.options, &self.script), self.sentences)
    }

    /// Waits until an event of a debate is such; all events up to it.
    pub async fn seen(&self, debate: DebateId, is_such: impl Fn(&Event) -> bool) -> Vec<Recorded> {
        seen(&self.log, &self.tail, debate, is_such).await
    }

    /// Waits until a debate has ended; all its events.
    pub async fn ended(&self, debate: DebateId) -> Vec<Recorded> {
        ended(&self.log, &self.tail, debate).await
    }

    /// Waits until nobody drives a debate, for this reason.
    pub async fn let_go(&self, debate: DebateId, state: &str) {
        until("the debate is let go", async || {
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

    /// Stops it in order.
    pub async fn close(self) {
        self.stop.send(()).expect("it serves");
        in_time("the service stops", self.serving).await.expect("in order");
    }
}

/// The variables with sentence embeddings, whose weights are in the cache of the tests.
fn with_embedder(variables: Vec<(&'static str, String)>, sentences: bool) -> Vec<(&'static str, String)> {
    let cache = cache();
    let home = cache.parent().expect("a folder").display().to_string();
    let changed = |(name, value)| match name {
        "FAULTLINE_EMBEDDER" if sentences => (name, "minilm".to_owned()),
        "FAULTLINE_HOME" if sentences => (name, home.clone()),
        _ => (name, value),
    };
    variables.into_iter().map(changed).collect()
}

/// The versions of these.
pub fn versions(events: &[Recorded]) -> Vec<i64> {
    events.iter().map(|it| it.version).collect()
}

/// How many there are of each kind.
pub fn kinds(events: &[Recorded]) -> BTreeMap<&str, usize> {
    let mut kinds = BTreeMap::new();
    events.iter().for_each(|it| *kinds.entry(it.event.kind()).or_default() += 1);
    kinds
}

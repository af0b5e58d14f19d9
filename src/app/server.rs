//! The API server: its listener, its probes and its orderly end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::{TcpListener, TcpSocket};

use crate::api::admission::origin::Origins;
use crate::api::admission::tokens::AccessControl;
use crate::api::execution::replica_executor::ReplicaExecutor;
use crate::api::router::{LivenessProbe, MetricsRenderer, Probes, ReadinessProbe, RouterConfig, Schemas, router};
use crate::api::schema::schema::{SchemaServices, costing_schema, schema};
use crate::api::streams::connection_slots::{SlotLimits, Slots};
use crate::api::transport::serving;
use crate::api::transport::web_libraries::FetchedLibraries;
use crate::app::access::{allowed, follow_tokens};
use crate::app::database::home;
use crate::app::equipped_app::EquippedApp;
use crate::app::error::AppError;
use crate::app::metrics::{record_gauges, recorder};
use crate::app::open_app::OpenApp;
use crate::app::readiness::readiness;
use crate::config::Config;
use faultline_service::drafts::draft_feed::DebateFeeds;
use faultline_service::feeds::event_feeds::EventFeeds;
use faultline_store::embedded::cluster::PrivatePostgres;
use faultline_store::open::Store;
use faultline_store::provision::web_libraries::{GRAPHIQL, PREACT};

/// Time that requests in progress get to finish once the service is told to stop.
const GRACE: Duration = Duration::from_secs(5);
/// Size in bytes of the socket send buffer, for clients that do not read; the system allocates twice as much.
const SEND_BYTES: u32 = 64 * 1024;
/// Maximum number of connections waiting to be accepted.
const MAX_BACKLOG: u32 = 1_024;

impl EquippedApp {
    /// Serves the API on a listener until `until` resolves. Debates are then handed over at once, and requests in
    /// progress get a few seconds to finish.
    ///
    /// # Errors
    /// An I/O error if the listener fails, or if the file of allowed operations cannot be read.
    pub async fn serve(
        &self,
        listener: TcpListener,
        config: &Config,
        access: AccessControl,
        until: impl Future<Output = ()> + Send + 'static,
    ) -> std::io::Result<()> {
        let loopback = listener.local_addr()?.ip().is_loopback();
        let log = self.store().log.clone();
        let feeds = EventFeeds::new(&log, &self.store().tail);
        let service = self.opened().service().clone();
        let (limits, proxies) = (Arc::new(config.limits.clone()), config.proxies.clone());
        let schemas = self.schemas(config, &feeds);
        let slots = slots(config);
        let origins = Origins { allowed: config.origins.clone(), loopback };
        let allowed = allowed(config).map_err(std::io::Error::other)?;
        let cache = home(config).join("cache");
        let graphiql = FetchedLibraries::new(&GRAPHIQL, cache.clone());
        let preact = FetchedLibraries::new(&PREACT, cache);
        let probes = probes(self.opened(), limits.lag);
        let reloading = follow_tokens(config.tokens.clone(), access.clone());
        let router_config = RouterConfig {
            origins,
            access,
            limits: Arc::clone(&limits),
            allowed,
            proxies,
            slots: slots.clone(),
            graphiql,
            preact,
        };
        let stop = self.opened().workers().stop_signal();
        let (mut stopped, draining) = (stop.subscribe(), slots.clone());
        let until = async move {
            until.await;
            stop.send_replace(true);
            draining.start_drain();
        };
        let feeds = DebateFeeds { events: feeds, drafts: self.opened().drafts().clone() };
        let serving = serving::serve(listener, router(schemas, feeds, service, probes, router_config), &limits, until);
        let deadline = async {
            // Ignore: the signal stream is closed.
            let _closed = stopped.wait_for(|stops| *stops).await.map(drop);
            tokio::time::sleep(config.drain + GRACE).await;
        };
        let complete = async {
            serving.await;
            // The server does not wait for upgraded sockets, so they are awaited here.
            slots.left().await;
        };
        tokio::select! {
            never = reloading => match never {},
            () = complete => {}
            () = deadline => tracing::warn!("requests that did not finish in time were aborted"),
        }
        Ok(())
    }

    /// Builds the schemas, each with the routing of its reads.
    fn schemas(&self, config: &Config, feeds: &EventFeeds) -> Schemas {
        let (opened, embedder) = (self.opened(), Some(self.embedder().clone()));
        let services = SchemaServices { feeds: feeds.clone(), ..opened.schema_services(embedder.clone()) };
        let router = opened.read_router(embedder);
        Schemas {
            api: ReplicaExecutor::new(schema(services.clone(), &config.limits), router.clone()),
            costing: ReplicaExecutor::new(costing_schema(services, &config.limits), router),
        }
    }
}

/// Builds the handlers of the health and metrics endpoints.
fn probes(opened: &OpenApp, lag: usize) -> Probes {
    let store = opened.store().clone();
    let ready: ReadinessProbe = Arc::new(move || {
        let store = store.clone();
        Box::pin(async move { readiness(&store, lag).await })
    });
    let store = opened.store().clone();
    let counted: MetricsRenderer = Arc::new(move || {
        let store = store.clone();
        Box::pin(async move { rendered_metrics(&store).await })
    });
    let outage = opened.cluster().map(PrivatePostgres::outages);
    let broken: LivenessProbe = Arc::new(move || outage.as_ref()?.current().map(|outage| outage.to_string()));
    Probes { broken, ready, counted }
}

/// Renders the metrics; `None` if they are disabled.
async fn rendered_metrics(store: &Store) -> Option<String> {
    if let Err(fault) = record_gauges(store).await {
        tracing::debug!(%fault, "cannot measure the stored views");
    }
    if let Ok(n_due) = store.views.questions_due().await {
        metrics::gauge!("faultline_questions_due").set(n_due as f64);
    }
    recorder().map(PrometheusHandle::render)
}

/// Creates the connection slots for sockets and event streams.
fn slots(config: &Config) -> Slots {
    Slots::new(SlotLimits { connections: config.connections, operations: config.subscriptions, drain: config.drain })
}

/// Binds the address and listens on it.
///
/// # Errors
/// [`AppError::Listen`] if the address is in use or cannot be bound.
pub async fn listen(address: SocketAddr) -> Result<TcpListener, AppError> {
    let bind = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        // Accepted connections inherit it.
        socket.set_send_buffer_size(SEND_BYTES)?;
        socket.bind(address)?;
        socket.listen(MAX_BACKLOG)
    };
    bind().map_err(|source| AppError::Listen { address, source })
}

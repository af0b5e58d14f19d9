//! The application: opens what commands need, and runs the service.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::api::admission::origin::Origins;
use crate::api::admission::tokens::AccessControl;
use crate::api::execution::replica_executor::ReplicaExecutor;
use crate::api::router::{LivenessProbe, MetricsRenderer, Probes, ReadinessProbe, RouterConfig, Schemas, router};
use crate::api::schema::schema::{SchemaServices, costing_schema, schema};
use crate::api::streams::connection_slots::{SlotLimits, Slots};
use crate::api::transport::serving::serve;
use crate::app::access::{allowed, follow_tokens};
use crate::app::corpus_service::CorpusService;
use crate::app::database;
use crate::app::error::AppError;
use crate::app::metrics::{UPKEEP, gauge, recorder};
use crate::app::providers;
use crate::app::readiness::readiness;
use crate::config::Config;
use crate::runtime::effect_executor::EffectExecutor;
use crate::runtime::projector::Projector;
use crate::runtime::question_embedder::QuestionEmbedder;
use crate::runtime::runner::RunnerContext;
use crate::runtime::supervisor::{Supervisor, SupervisorConfig};
use crate::service::catalog::{Catalog, Member, Provider};
use crate::service::cross_debate_search::CrossDebateSearch;
use crate::service::event_feeds::EventFeeds;
use crate::service::read_routing::{ReadRouter, ReadServices};
use crate::service::service::DebateService;
use faultline_core::events::ids::DebateId;
use faultline_ingest::personas::read_personas;
use faultline_ingest::report::IngestError;
use faultline_providers::ports::{Embedder, Model};
use faultline_store::embedded::cluster::{OnProgress, PrivatePostgres};
use faultline_store::open::Store;
use faultline_store::views::debates::{DebateQuery, PageDirection};

/// Time that requests in progress get to finish once the service is told to stop.
const MOMENT: Duration = Duration::from_secs(5);
/// Size in bytes of the socket send buffer, for clients that do not read; the system allocates twice as much.
const SEND_BYTES: u32 = 64 * 1024;
/// Maximum number of connections waiting to be accepted.
const BACKLOG: u32 = 1_024;

/// The application with all its parts. Nothing runs in it until [`App::start_workers`].
pub struct App {
    store: Store,
    desk: DebateService,
    cluster: Option<PrivatePostgres>,
    librarian: Option<Arc<CorpusService>>,
    embedder: Option<Arc<dyn Embedder>>,
    models: Vec<Arc<dyn Model>>,
    remark: Option<String>,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
    projects: bool,
}

impl App {
    /// Opens the store and the debate service: enough to read debates and to command them.
    ///
    /// # Errors
    /// [`AppError::Embedded`] or [`AppError::Store`] if no Postgres can be reached or started; [`AppError::Refused`] or
    /// [`AppError::Configuration`] if a setting cannot be used.
    pub async fn open(config: &Config, tell: OnProgress<'_>) -> Result<App, AppError> {
        let (store, cluster) = database::store(config, tell).await?;
        let desk =
            DebateService::new(store.log.clone(), Arc::new(Catalog::default())).with_library(store.library.clone());
        Ok(App {
            store,
            desk,
            cluster,
            librarian: None,
            embedder: None,
            models: Vec::new(),
            remark: None,
            stop: watch::Sender::new(false),
            tasks: JoinSet::new(),
            projects: false,
        })
    }

    /// Opens everything that running debates needs: personas, corpora, embedder and providers as well.
    ///
    /// # Errors
    /// As [`App::open`]; and [`AppError::Ingest`], [`AppError::Library`], [`AppError::Refused`] or
    /// [`AppError::Configuration`] if personas, the library's embedder or settings cannot be used.
    pub async fn open_equipped(config: &Config, tell: OnProgress<'_>) -> Result<App, AppError> {
        // Reads files first, so that an error in them is reported before anything is started.
        let personas = read_personas(&config.personas, None).map_err(IngestError::from)?;
        let mut app = App::open(config, tell).await?;
        match app.equip(config, personas, tell).await {
            Ok(()) => Ok(app),
            Err(error) => {
                app.close().await;
                Err(error)
            }
        }
    }

    async fn equip(
        &mut self,
        config: &Config,
        personas: Vec<faultline_ingest::personas::PersonaFile>,
        tell: OnProgress<'_>,
    ) -> Result<(), AppError> {
        let embedder = self.embed(config, tell).await?;
        let library = self.store.library.clone();
        if let Err(error) = library.matching_embedder(embedder.name(), embedder.width()).await {
            // The reason why a stand-in is used by default is the more useful part of the message.
            return Err(match self.remark.take() {
                Some(remark) => AppError::Refused(format!("{remark}. {error}")),
                None => AppError::Library(error),
            });
        }
        let folders = (config.personas.clone(), config.corpus.clone());
        let librarian = Arc::new(CorpusService::new(library, embedder.clone(), folders.0, folders.1));
        self.models = providers::models(config, librarian.clone(), embedder)?;
        let members = personas.into_iter().map(|it| {
            let member = Member { topics: it.topics, persona: it.persona };
            (member.persona.id.clone(), member)
        });
        let told = self.models.iter().map(|it| Provider { name: it.name().to_owned(), about: it.about() });
        let roster = Catalog { personas: members.collect(), providers: told.collect() };
        let stock = librarian.stocks(roster.personas.keys().cloned().collect());
        let desk =
            DebateService::new(self.store.log.clone(), Arc::new(roster)).with_library(self.store.library.clone());
        self.desk = desk.with_passages(librarian.passages().clone().stocked_by(stock));
        self.librarian = Some(librarian);
        Ok(())
    }

    /// Opens the embedder: enough to search by meaning.
    ///
    /// # Errors
    /// [`AppError::Configuration`] if the configured embedder cannot be used.
    pub async fn embed(&mut self, config: &Config, tell: OnProgress<'_>) -> Result<Arc<dyn Embedder>, AppError> {
        tell("preparing the embedder");
        let (embedder, remark) = providers::embedder(config).await?;
        self.embedder = Some(Arc::clone(&embedder));
        self.remark = remark;
        Ok(embedder)
    }

    /// Returns the search across debates; it searches by words alone without an embedder.
    pub fn inquiry(&self) -> CrossDebateSearch {
        CrossDebateSearch::new(self.store.views.clone(), self.store.library.clone(), self.embedder.clone())
    }

    /// Returns the read routing: reads go to the replica if there is one and it is current enough, otherwise to the
    /// primary.
    pub fn reads(&self) -> ReadRouter {
        let primary =
            ReadServices { desk: self.desk.clone(), views: self.store.views.clone(), inquiry: self.inquiry() };
        ReadRouter::new(primary, self.store.replica.clone())
    }

    /// Returns the worker that embeds questions; `None` if no embedder is configured.
    pub fn keeper(&self) -> Option<QuestionEmbedder> {
        let Store { views, library, .. } = self.store.clone();
        self.embedder.clone().map(|it| QuestionEmbedder::new(views, library, it))
    }

    /// Returns the debate service, which grants or refuses commands.
    pub fn desk(&self) -> &DebateService {
        &self.desk
    }

    /// Returns the store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the corpus service; `None` unless the application was opened with [`App::open_equipped`].
    pub fn librarian(&self) -> Option<&Arc<CorpusService>> {
        self.librarian.as_ref()
    }

    /// Returns a warning about the embedder, for example that a stand-in is used.
    pub fn remark(&self) -> Option<&str> {
        self.remark.as_deref()
    }

    /// Returns whether this process started the private cluster; true if there is none.
    pub fn owns_cluster(&self) -> bool {
        self.cluster.as_ref().is_none_or(PrivatePostgres::is_owner)
    }

    /// Starts the background work: driving debates, keeping views up to date and embedding questions, until
    /// [`App::close`].
    pub fn start_workers(&mut self, config: &Config) {
        if let Some(recorder) = recorder() {
            let mut stopped = self.stop.subscribe();
            self.tasks.spawn(async move {
                while tokio::time::timeout(UPKEEP, stopped.wait_for(|it| *it)).await.is_err() {
                    recorder.run_upkeep();
                }
            });
        }
        let Store { log, tail, views, leases, .. } = self.store.clone();
        if let Some(librarian) = self.librarian.clone() {
            let meaning = librarian.meaning();
            let performer = EffectExecutor::new(self.models.iter().cloned(), librarian, config.patience);
            let performer = match meaning {
                Some(embedder) => performer.with_likeness(embedder),
                None => performer,
            };
            let works = Arc::new(RunnerContext { log, tail, performer });
            let terms = SupervisorConfig { lease: config.lease, runners: config.runners };
            let supervisor = Supervisor::new(works, leases, views, terms);
            self.tasks.spawn(supervisor.run(self.stop.subscribe()));
        }
        if let Some(keeper) = self.keeper() {
            self.tasks.spawn(keeper.run(self.stop.subscribe()));
        }
        self.project();
    }

    /// Starts the projector, until [`App::close`]. Idempotent.
    pub fn project(&mut self) {
        if !std::mem::replace(&mut self.projects, true) {
            let Store { log, tail, views, .. } = self.store.clone();
            self.tasks.spawn(Projector::new(log, tail, views).run(self.stop.subscribe()));
        }
    }

    /// Starts a projector that builds only requested generations, for use without a running service, until
    /// [`App::close`].
    pub fn rebuild(&mut self) {
        let Store { log, tail, views, .. } = self.store.clone();
        self.tasks.spawn(Projector::new(log, tail, views).only_requested().run(self.stop.subscribe()));
    }

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
        let Store { log, views, tail, .. } = self.store.clone();
        let feeds = EventFeeds::new(&log, &tail);
        let (limits, proxies) = (Arc::new(config.limits.clone()), config.proxies.clone());
        let sources = SchemaServices { desk: self.desk.clone(), views, inquiry: self.inquiry(), feeds: feeds.clone() };
        let schemas = Schemas {
            api: ReplicaExecutor::new(schema(sources.clone(), &limits), self.reads()),
            costing: ReplicaExecutor::new(costing_schema(sources, &limits), self.reads()),
        };
        let seats = seats(config);
        let origins = Origins { allowed: config.origins.clone(), loopback };
        let allowed = allowed(config).map_err(std::io::Error::other)?;
        let probes = self.probes(limits.lag);
        let following = follow_tokens(config.tokens.clone(), access.clone());
        let entrance =
            RouterConfig { origins, access, limits: Arc::clone(&limits), allowed, proxies, seats: seats.clone() };
        let (stop, mut stopped) = (self.stop.clone(), self.stop.subscribe());
        let leaving = seats.clone();
        let told = async move {
            until.await;
            stop.send_replace(true);
            leaving.start_drain();
        };
        let serving = serve(listener, router(schemas, feeds, log, probes, entrance), &limits, told);
        let moment = async {
            // Ignore: the signal stream is closed.
            let _told = stopped.wait_for(|it| *it).await.map(drop);
            tokio::time::sleep(config.drain + MOMENT).await;
        };
        let whole = async {
            serving.await?;
            // The server does not wait for upgraded sockets, so they are awaited here.
            seats.left().await;
            Ok(())
        };
        tokio::select! {
            never = following => match never {},
            served = whole => served,
            () = moment => {
                tracing::warn!("requests that did not finish in time were aborted");
                Ok(())
            }
        }
    }

    /// Builds the handlers of the health and metrics endpoints.
    fn probes(&self, lag: usize) -> Probes {
        let store = self.store.clone();
        let ready: ReadinessProbe = Arc::new(move || {
            let store = store.clone();
            Box::pin(async move { readiness(&store, lag).await })
        });
        let store = self.store.clone();
        let counted: MetricsRenderer = Arc::new(move || {
            let store = store.clone();
            Box::pin(async move {
                if let Err(fault) = gauge(&store).await {
                    tracing::debug!(%fault, "cannot measure the stored views");
                }
                if let Ok(due) = store.views.questions_due().await {
                    metrics::gauge!("faultline_questions_due").set(due as f64);
                }
                recorder().map(PrometheusHandle::render)
            })
        });
        let outage = self.cluster.as_ref().map(PrivatePostgres::outages);
        let broken: LivenessProbe = Arc::new(move || outage.as_ref()?.current().map(|it| it.to_string()));
        Probes { broken, ready, counted }
    }

    /// Finds a debate by its id, or by a prefix or suffix of it that is unique among the latest 500 debates. Lists show
    /// the suffix, because the prefix is the time and equal for debates of the same minute.
    ///
    /// # Errors
    /// [`AppError::Refused`] if no debate matches, or several do; [`AppError::Store`] if the list cannot be read.
    pub async fn find(&self, text: &str) -> Result<DebateId, AppError> {
        let text = text.trim().to_lowercase();
        if let Ok(debate) = text.parse() {
            return Ok(debate);
        }
        if text.len() < 4 || !text.bytes().all(|it| it.is_ascii_hexdigit() || it == b'-') {
            let text: String = text.chars().take(64).collect();
            return Err(AppError::Refused(format!(
                "{text:?} is not a debate id, nor at least four characters of one; see `faultline list`"
            )));
        }
        let generation = self.store.views.generation_to_read().await?;
        let listed =
            self.store.views.list(generation, &DebateQuery::default(), None, PageDirection::Older, 500).await?;
        let digits = text.replace('-', "");
        let is_meant = |it: &DebateId| {
            let whole = it.0.simple().to_string();
            whole.starts_with(&digits) || whole.ends_with(&digits)
        };
        let matches: Vec<DebateId> = listed.rows.iter().map(|it| it.debate).filter(is_meant).collect();
        match matches.as_slice() {
            [one] => Ok(*one),
            [] => Err(AppError::Refused(format!("no debate id begins or ends with {text}; see `faultline list`"))),
            several => Err(AppError::Refused(format!(
                "{} debate ids begin or end with {text}; give more characters",
                several.len()
            ))),
        }
    }

    /// Stops everything, releases leases, and stops the private cluster if this process started it.
    pub async fn close(self) {
        let App { store, desk, cluster, librarian, embedder, models, stop, mut tasks, .. } = self;
        stop.send_replace(true);
        while tasks.join_next().await.is_some() {}
        // Users of the database are dropped before the server stops.
        drop((desk, librarian, embedder, models));
        store.close().await;
        drop(store);
        if let Some(cluster) = cluster
            && let Err(error) = cluster.stop().await
        {
            tracing::warn!(%error, "cannot shut down the private PostgreSQL cleanly");
        }
    }
}

/// Creates the connection slots for sockets and event streams.
fn seats(config: &Config) -> Slots {
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
        socket.listen(BACKLOG)
    };
    bind().map_err(|source| AppError::Listen { address, source })
}

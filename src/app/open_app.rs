//! The opened application: enough to read debates and to command them.

use std::sync::Arc;

use crate::api::schema::schema::SchemaServices;
use crate::app::bus;
use crate::app::bus::BusSettings;
use crate::app::database;
use crate::app::error::AppError;
use crate::app::metrics::{UPKEEP, recorder};
use crate::app::workers::Workers;
use crate::config::Config;
use faultline_core::events::ids::DebateId;
use faultline_providers::ports::Embedder;
use faultline_runtime::projector::Projector;
use faultline_runtime::question_embedder::QuestionEmbedder;
use faultline_service::catalog::Catalog;
use faultline_service::cross_debate_search::CrossDebateSearch;
use faultline_service::drafts::draft_board::DraftBoard;
use faultline_service::feeds::event_feeds::EventFeeds;
use faultline_service::passage_search::PassageSearch;
use faultline_service::read_routing::{ReadRouter, ReadServices};
use faultline_service::service::DebateService;
use faultline_store::embedded::cluster::{OnProgress, PrivatePostgres};
use faultline_store::open::Store;
use faultline_store::views::short_ids::ShortId;

/// Store and debate service. Runs nothing in the background until a method starts it.
pub struct OpenApp {
    store: Store,
    service: DebateService,
    /// Private cluster of the store; `None` if `DATABASE_URL` names a server.
    cluster: Option<PrivatePostgres>,
    drafts: DraftBoard,
    workers: Workers,
}

impl OpenApp {
    /// Opens the store and the debate service.
    ///
    /// # Errors
    /// [`AppError::Embedded`] or [`AppError::Store`] if no Postgres can be reached or started; [`AppError::Refused`] or
    /// [`AppError::Configuration`] if a setting cannot be used.
    pub async fn open(config: &Config, report: OnProgress<'_>) -> Result<OpenApp, AppError> {
        let (store, cluster) = database::store(config, report).await?;
        let service =
            DebateService::new(store.log.clone(), Arc::new(Catalog::default())).with_library(store.library.clone());
        Ok(OpenApp { store, service, cluster, drafts: DraftBoard::default(), workers: Workers::default() })
    }

    /// Returns the application with a debate service that knows these personas and providers and searches passages.
    #[must_use]
    pub fn with_catalog(self, catalog: Catalog, passages: PassageSearch) -> OpenApp {
        let Store { log, library, .. } = self.store.clone();
        let service = DebateService::new(log, Arc::new(catalog)).with_library(library).with_passages(passages);
        OpenApp { service, ..self }
    }

    /// Returns the store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the debate service, which accepts or refuses commands.
    pub fn service(&self) -> &DebateService {
        &self.service
    }

    /// Returns the private cluster; `None` if `DATABASE_URL` names a server.
    pub fn cluster(&self) -> Option<&PrivatePostgres> {
        self.cluster.as_ref()
    }

    /// Returns whether this process started the private cluster; true if there is none.
    pub fn owns_cluster(&self) -> bool {
        self.cluster.as_ref().is_none_or(PrivatePostgres::is_owner)
    }

    /// Returns the board of the drafts that are being written in this process.
    pub fn drafts(&self) -> &DraftBoard {
        &self.drafts
    }

    /// Returns the background tasks.
    pub fn workers(&self) -> &Workers {
        &self.workers
    }

    /// Returns the background tasks, to start others.
    pub fn workers_mut(&mut self) -> &mut Workers {
        &mut self.workers
    }

    /// Returns the search across debates; without an embedder it searches by words alone.
    pub fn cross_debate_search(&self, embedder: Option<Arc<dyn Embedder>>) -> CrossDebateSearch {
        CrossDebateSearch::new(self.store.views.clone(), self.store.library.clone(), embedder)
    }

    /// Returns the services of the API's schema; without an embedder, searches across debates are by words alone.
    pub fn schema_services(&self, embedder: Option<Arc<dyn Embedder>>) -> SchemaServices {
        SchemaServices {
            service: self.service.clone(),
            views: self.store.views.clone(),
            inquiry: self.cross_debate_search(embedder),
            feeds: EventFeeds::new(&self.store.log, &self.store.tail),
            drafts: self.drafts.clone(),
        }
    }

    /// Returns the read routing: reads go to the replica if there is one and it is current enough, otherwise to the
    /// primary. Without an embedder, searches across debates are by words alone.
    pub fn read_router(&self, embedder: Option<Arc<dyn Embedder>>) -> ReadRouter {
        let primary = ReadServices {
            service: self.service.clone(),
            views: self.store.views.clone(),
            search: self.cross_debate_search(embedder),
        };
        ReadRouter::new(primary, self.store.replica.clone())
    }

    /// Returns a worker that embeds questions by this embedder.
    pub fn question_embedder(&self, embedder: Arc<dyn Embedder>) -> QuestionEmbedder {
        QuestionEmbedder::new(self.store.views.clone(), self.store.library.clone(), embedder)
    }

    /// Exchanges events with other processes over a message bus until [`OpenApp::close`].
    ///
    /// # Errors
    /// As [`bus::join`].
    pub async fn join_bus(&mut self, settings: &BusSettings) -> Result<(), AppError> {
        bus::join(settings, &self.store.log, &mut self.workers).await
    }

    /// Starts the upkeep of the metrics, until [`OpenApp::close`].
    pub fn start_upkeep(&mut self) {
        if let Some(recorder) = recorder() {
            self.workers.start(|mut stop| async move {
                while tokio::time::timeout(UPKEEP, stop.wait_for(|stops| *stops)).await.is_err() {
                    recorder.run_upkeep();
                }
            });
        }
    }

    /// Starts the projector, until [`OpenApp::close`]. Idempotent.
    pub fn start_projector(&mut self) {
        let Store { log, tail, views, .. } = self.store.clone();
        self.workers.start_projector(|stop| Projector::new(log, tail, views).run(stop));
    }

    /// Starts a projector that builds only requested generations, for use without a running service, until
    /// [`OpenApp::close`].
    pub fn start_requested_rebuild(&mut self) {
        let Store { log, tail, views, .. } = self.store.clone();
        self.workers.start(|stop| Projector::new(log, tail, views).only_requested().run(stop));
    }

    /// Finds a debate by its id, or by a beginning or end of it that no other listed debate has.
    ///
    /// # Errors
    /// [`AppError::Refused`] if no debate matches, or several do; [`AppError::Store`] if the list cannot be read.
    pub async fn find(&self, text: &str) -> Result<DebateId, AppError> {
        if let Ok(debate) = text.trim().parse() {
            return Ok(debate);
        }
        let Some(short) = ShortId::parse(text) else {
            let text: String = text.chars().take(64).collect();
            return Err(AppError::Refused(format!(
                "{text:?} is not a debate id, nor at least four characters of one; see `faultline list`"
            )));
        };
        let text = text.trim();
        match self.store.views.named(&short).await?.as_slice() {
            [one] => Ok(*one),
            [] => Err(AppError::Refused(format!("no debate id begins or ends with {text}; see `faultline list`"))),
            _ => Err(AppError::Refused(format!("several debate ids begin or end with {text}; give more characters"))),
        }
    }

    /// Stops everything, releases leases, and stops the private cluster if this process started it.
    pub async fn close(self) {
        let OpenApp { store, service, cluster, workers, .. } = self;
        workers.stop().await;
        // Users of the database are dropped before the server stops.
        drop(service);
        store.close().await;
        drop(store);
        if let Some(cluster) = cluster
            && let Err(error) = cluster.stop().await
        {
            tracing::warn!(%error, "cannot shut down the private PostgreSQL cleanly");
        }
    }
}

//! The equipped application: runs debates and serves clients.

use std::sync::Arc;

use crate::app::bus;
use crate::app::corpus_service::CorpusService;
use crate::app::error::AppError;
use crate::app::open_app::OpenApp;
use crate::app::providers;
use crate::app::providers::{ConfiguredEmbedder, prepare_embedder};
use crate::config::Config;
use crate::config_values::AuditorConfig;
use faultline_core::positions::model::AllPositions;
use faultline_ingest::personas::{PersonaFile, read_personas};
use faultline_ingest::positions::read_all_positions;
use faultline_ingest::report::IngestError;
use faultline_ingest::shared_corpora::read_shared_corpora;
use faultline_providers::ports::{Embedder, EvidenceSearch, Model};
use faultline_runtime::budget::{Budget, BudgetLimits};
use faultline_runtime::effect_executor::EffectExecutor;
use faultline_runtime::runner::RunnerContext;
use faultline_runtime::supervisor::{Supervisor, SupervisorConfig};
use faultline_service::catalog::{Catalog, Member, Provider};
use faultline_service::service::DebateService;
use faultline_store::embedded::cluster::OnProgress;
use faultline_store::library::shared_corpora::SharedCorpus;
use faultline_store::open::Store;
use faultline_store::providers::auditors::Auditors;
use faultline_store::providers::spending::Spending;

/// Opened application with personas, corpora, embedder and providers. Nothing runs in it until
/// [`EquippedApp::start_workers`].
pub struct EquippedApp {
    opened: OpenApp,
    equipment: Equipment,
}

/// Parts that running debates needs in addition to the store.
struct Equipment {
    corpora: Arc<CorpusService>,
    embedder: Arc<dyn Embedder>,
    embedder_warning: Option<String>,
    models: Vec<Arc<dyn Model>>,
    /// Auditor in process.
    nli: Option<Arc<dyn Model>>,
    /// Search for the evidence of fact checks.
    search: Arc<dyn EvidenceSearch>,
}

impl EquippedApp {
    /// Opens the store and everything that running debates needs.
    ///
    /// # Errors
    /// As [`OpenApp::open`]; and [`AppError::Ingest`], [`AppError::Library`], [`AppError::Refused`] or
    /// [`AppError::Configuration`] if personas, shared corpora, the library's embedder or settings cannot be used.
    pub async fn open(config: &Config, report: OnProgress<'_>) -> Result<EquippedApp, AppError> {
        // Reads files first, so that an error in them is reported before anything is started.
        let personas = read_personas(&config.personas, None).map_err(IngestError::from)?;
        let shared = read_shared_corpora(&config.corpus, &config.personas, None).map_err(IngestError::from)?;
        EquippedApp::open_with(config, personas, shared, report).await
    }

    /// Opens the application for work in which no persona takes part, so that their files need not exist.
    ///
    /// # Errors
    /// As [`EquippedApp::open`], without those of the personas.
    pub async fn open_without_personas(config: &Config, report: OnProgress<'_>) -> Result<EquippedApp, AppError> {
        EquippedApp::open_with(config, Vec::new(), Vec::new(), report).await
    }

    async fn open_with(
        config: &Config,
        personas: Vec<PersonaFile>,
        shared: Vec<SharedCorpus>,
        report: OnProgress<'_>,
    ) -> Result<EquippedApp, AppError> {
        let positions = Arc::new(annotated_writings(config, &personas));
        let bus = bus::settings(config)?;
        let mut opened = OpenApp::open(config, report).await?;
        let equipped = async {
            if let Some(bus) = &bus {
                opened.join_bus(bus).await?;
            }
            equipment(&opened, config, positions.clone(), report).await
        };
        match equipped.await {
            Ok(equipment) => {
                let catalog = catalog(config, personas, shared, positions, &equipment);
                let owners = catalog.personas.keys().chain(catalog.shared_corpora.keys());
                let ingest = equipment.corpora.on_demand_ingest(owners.cloned().collect());
                let passages = equipment.corpora.passages().clone().with_ingest(ingest);
                Ok(EquippedApp { opened: opened.with_catalog(catalog, passages), equipment })
            }
            Err(error) => {
                opened.close().await;
                Err(error)
            }
        }
    }

    /// Returns the opened application without its equipment.
    pub fn opened(&self) -> &OpenApp {
        &self.opened
    }

    /// Returns the opened application without its equipment, to start background work.
    pub fn opened_mut(&mut self) -> &mut OpenApp {
        &mut self.opened
    }

    /// Returns the store.
    pub fn store(&self) -> &Store {
        self.opened.store()
    }

    /// Returns the debate service, which knows the personas and the providers.
    pub fn service(&self) -> &DebateService {
        self.opened.service()
    }

    /// Returns the corpus service.
    pub fn corpora(&self) -> &Arc<CorpusService> {
        &self.equipment.corpora
    }

    /// Returns the embedder.
    pub fn embedder(&self) -> &Arc<dyn Embedder> {
        &self.equipment.embedder
    }

    /// Returns the providers, the preferred one first.
    pub fn models(&self) -> &[Arc<dyn Model>] {
        &self.equipment.models
    }

    /// Returns the providers, the preferred one first, and the auditor in process.
    pub fn models_and_auditors(&self) -> impl Iterator<Item = &Arc<dyn Model>> {
        self.equipment.models.iter().chain(&self.equipment.nli)
    }

    /// Returns the search for the evidence of fact checks.
    pub fn evidence_search(&self) -> &Arc<dyn EvidenceSearch> {
        &self.equipment.search
    }

    /// Returns a warning about the embedder, for example that a stand-in is used.
    pub fn embedder_warning(&self) -> Option<&str> {
        self.equipment.embedder_warning.as_deref()
    }

    /// Starts the background work: driving debates, keeping views up to date and embedding questions, until
    /// [`EquippedApp::close`]. An edge does none of it.
    pub fn start_workers(&mut self, config: &Config) {
        self.opened.start_upkeep();
        if !config.is_edge {
            self.start_debates(config);
        }
    }

    /// Ingests all corpora in the background, so that no debate has to wait for them, and cleans up after an interrupted
    /// exchange of embedders. [`EquippedApp::close`] ends it; the next start continues.
    pub fn ingest_in_background(&mut self) {
        let corpora = self.corpora().clone();
        self.opened.workers_mut().start(|mut stop| async move {
            tokio::select! {
                _ = stop.wait_for(|stops| *stops) => {}
                () = bring_up_to_date(&corpora) => {}
            }
        });
    }

    fn start_debates(&mut self, config: &Config) {
        let Equipment { corpora, embedder, search, .. } = &self.equipment;
        let Store { log, tail, views, leases, .. } = self.opened.store().clone();
        let executor = EffectExecutor::new(self.models_and_auditors().cloned(), corpora.clone(), config.call_timeout);
        let executor = executor.with_evidence_search(search.clone());
        let executor = match corpora.semantic_embedder() {
            Some(embedder) => executor.with_similarity(embedder),
            None => executor,
        };
        let default_auditor = self.service().catalog().default_auditor.clone();
        let executor = executor.with_auditors(Auditors::new(log.pool().clone())).with_default_auditor(default_auditor);
        let limits = BudgetLimits::named(config.budget.iter().map(|(name, value)| (name.as_str(), *value)));
        let budget = (!config.budget.is_empty()).then(|| Budget::new(limits, Spending::new(log.pool().clone())));
        let context = Arc::new(RunnerContext { log, tail, executor, drafts: self.opened.drafts().clone(), budget });
        let settings = SupervisorConfig { lease: config.lease, runners: config.runners };
        let supervisor = Supervisor::new(context, leases, views, settings);
        let question_embedder = self.opened.question_embedder(embedder.clone());
        let workers = self.opened.workers_mut();
        workers.start(|stop| supervisor.run(stop));
        workers.start(|stop| question_embedder.run(stop));
        self.opened.start_projector();
    }

    /// Stops everything, releases leases, and stops the private cluster if this process started it.
    pub async fn close(self) {
        let EquippedApp { opened, equipment } = self;
        // The corpus service uses the database, so it is dropped before the server stops.
        drop(equipment);
        opened.close().await;
    }
}

async fn bring_up_to_date(corpora: &CorpusService) {
    match corpora.ingest(None, &|_| {}).await {
        Ok(report) => tracing::info!(passages = report.total().passages.new, "the corpora are up to date"),
        Err(error) => tracing::error!(%error, "ingesting the corpora failed"),
    }
    if let Err(error) = corpora.maintain().await {
        tracing::warn!(%error, "unused vectors could not be deleted");
    }
}

/// Reads the annotated writings of personas. Files that cannot be used are reported and left out.
pub fn annotated_writings(config: &Config, personas: &[PersonaFile]) -> AllPositions {
    let read = read_all_positions(&config.corpus, personas.iter().map(|file| &file.persona.id));
    read.faults.iter().for_each(|fault| tracing::warn!("{fault}; the persona cannot be played offline"));
    read.positions
}

/// Prepares the embedder, the corpora and the providers.
async fn equipment(
    opened: &OpenApp,
    config: &Config,
    positions: Arc<AllPositions>,
    report: OnProgress<'_>,
) -> Result<Equipment, AppError> {
    let ConfiguredEmbedder { embedder, warning } = prepare_embedder(config, report).await?;
    let library = opened.store().library.clone();
    if let Err(error) = library.matching_embedder(embedder.name(), embedder.width()).await {
        // The reason why a stand-in is used by default is the more useful part of the message.
        return Err(match warning {
            Some(warning) => AppError::Refused(format!("{warning}. {error}")),
            None => AppError::Library(error),
        });
    }
    let (personas, corpus) = (config.personas.clone(), config.corpus.clone());
    let corpora = Arc::new(CorpusService::new(library, embedder.clone(), personas, corpus));
    let models = providers::models(config, corpora.clone(), positions)?;
    let nli = providers::nli(config)?.map(|nli| Arc::new(nli) as Arc<dyn Model>);
    let search: Arc<dyn EvidenceSearch> = match providers::web_search(config)? {
        Some(web) => web.search,
        None => corpora.clone(),
    };
    Ok(Equipment { corpora, embedder, embedder_warning: warning, models, nli, search })
}

/// Lists the personas, the shared corpora and the providers.
fn catalog(
    config: &Config,
    personas: Vec<PersonaFile>,
    shared: Vec<SharedCorpus>,
    positions: Arc<AllPositions>,
    Equipment { models, nli, .. }: &Equipment,
) -> Catalog {
    let members = personas.into_iter().map(|file| {
        let member = Member { topics: file.topics, persona: file.persona };
        (member.persona.id.clone(), member)
    });
    let provider = |model: &Arc<dyn Model>| Provider {
        name: model.name().to_owned(),
        about: model.about(),
        models: model.choosable(),
    };
    Catalog {
        personas: members.collect(),
        shared_corpora: shared.into_iter().map(|corpus| (corpus.id.clone(), corpus)).collect(),
        providers: models.iter().map(provider).collect(),
        auditors: nli.iter().map(provider).collect(),
        default_auditor: nli.as_ref().filter(|_| config.auditor == AuditorConfig::Nli).map(|nli| nli.name().to_owned()),
        positions,
    }
}

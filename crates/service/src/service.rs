//! Debate service: opens debates, carries out commands and folds debates for readers.

use std::sync::Arc;

use serde_json::Value;
use uuid::Uuid;

use crate::audit;
use crate::audit::Actor;
use crate::catalog::Catalog;
use crate::error::ServiceError;
use crate::passage_search::{PassageSearch, refused};
use faultline_core::engines::baseline::recorded_talk;
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::events::lifecycle::DebateLimits;
use faultline_core::events::persona::Persona;
use faultline_core::kernel::command;
use faultline_core::kernel::command::{Command, DebateConfig};
use faultline_core::kernel::engine::{EXTERNAL_PROVIDER, Refusal, RefusalKind, is_external};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_store::error::StoreError;
use faultline_store::leases::Leases;
use faultline_store::library::open::Library;
use faultline_store::library::recall::StoredPassage;
use faultline_store::library::shared_corpora::StoredSharedCorpus;
use faultline_store::log::append::{Append, AppendError, NewEvent};
use faultline_store::log::log::Log;
use faultline_store::log::stored_event::StoredEvent;
use faultline_store::log::stream_ranges::StreamRange;

/// Maximum number of attempts to decide a command when other appends get in between.
const MAX_TRIES: usize = 16;
/// Number of events per page read from the log.
pub(crate) const PAGE: i64 = 1_000;

/// Application service over the log: accepts or refuses commands and answers queries.
#[derive(Clone)]
pub struct DebateService {
    log: Log,
    /// The primary's log, read when `log` is a replica's and lacks what was requested.
    newest: Option<Log>,
    catalog: Arc<Catalog>,
    library: Option<Library>,
    passages: Option<PassageSearch>,
    actor: Actor,
}

/// Request to open a debate; names are not resolved yet.
#[derive(Clone, Debug, Default)]
pub struct OpenDebate {
    /// Topic or question of the debate.
    pub topic: String,
    /// Name of the engine.
    pub engine: String,
    /// Ids of the personas, in speaking order.
    pub personas: Vec<String>,
    /// Options of the engine that differ from its defaults.
    pub options: Value,
    /// Spending limits.
    pub limits: DebateLimits,
    /// Seed of the debate's random choices; a random one if `None`.
    pub seed: Option<u64>,
    /// Name of the provider; the preferred one if `None`.
    pub provider: Option<String>,
    /// Models of participants: the id of a persona, and the model's name at the provider.
    pub models: Vec<(String, String)>,
    /// Id of the debate, chosen by the client so that a repeated request opens it only once; a new one if `None`.
    pub id: Option<DebateId>,
}

impl DebateService {
    /// Creates a service over a log.
    pub fn new(log: Log, catalog: Arc<Catalog>) -> DebateService {
        DebateService { log, newest: None, catalog, library: None, passages: None, actor: Actor::unnamed() }
    }

    /// Returns a read-only service over `log`, which may lag behind this one's log; missing data is read from this
    /// one's.
    #[must_use]
    pub fn reading_from_replica(&self, log: Log) -> DebateService {
        DebateService { log, newest: Some(self.log.clone()), ..self.clone() }
    }

    /// Adds a library, in which the writings of personas can be looked up.
    #[must_use]
    pub fn with_library(self, library: Library) -> DebateService {
        DebateService { library: Some(library), ..self }
    }

    /// Returns the same service, recording its changes under the name of `actor`.
    #[must_use]
    pub fn acting_as(&self, actor: &Actor) -> DebateService {
        DebateService { actor: actor.clone(), ..self.clone() }
    }

    /// Actor under whose name changes are recorded.
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// Library, if the service has one.
    pub fn library(&self) -> Option<&Library> {
        self.library.as_ref()
    }

    /// Adds passage search.
    #[must_use]
    pub fn with_passages(self, passages: PassageSearch) -> DebateService {
        DebateService { passages: Some(passages), ..self }
    }

    /// Passage search over the library; available only in an equipped service.
    ///
    /// # Errors
    /// A [`Refusal`] (conflict) if the service was opened without an embedder.
    pub fn passage_search(&self) -> Result<&PassageSearch, Refusal> {
        let reason = "this service was opened without an embedder, so it cannot search the library";
        self.passages.as_ref().ok_or_else(|| Refusal::new(RefusalKind::Conflict, reason))
    }

    /// Known personas and providers.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Log that the service reads and appends to.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Opens a debate. Runners find it by following the log.
    ///
    /// # Errors
    /// [`ServiceError::Refused`] if a name is unknown or the engine rejects the request; [`ServiceError::Moved`] if a debate
    /// of this id exists; [`ServiceError::Fault`] if the log cannot be written.
    pub async fn open(&self, request: OpenDebate) -> Result<DebateReadModel, ServiceError> {
        let debate = request.id.unwrap_or_else(|| self.log.new_debate_id());
        let events = self.opening_events(request)?;
        self.open_with(debate, events).await
    }

    /// Records the first events of a debate.
    pub(crate) async fn open_with(
        &self,
        debate: DebateId,
        events: Vec<Event>,
    ) -> Result<DebateReadModel, ServiceError> {
        match self.append(debate, 0, events).await {
            Ok(recorded) => Ok(DebateReadModel::of(&recorded)),
            Err(AppendError::Fault(fault)) => Err(fault.into()),
            Err(AppendError::Conflict { actual }) => {
                let reason = format!("debate {debate} already exists, at version {actual}");
                Err(ServiceError::Moved { reason, actual })
            }
            Err(other) => {
                let reason = format!("debate {debate} already exists: {other}");
                Err(Refusal::new(RefusalKind::Conflict, reason).into())
            }
        }
    }

    /// Returns the events that would open the debate, without recording them.
    ///
    /// # Errors
    /// A [`Refusal`] if a name is unknown or the engine rejects the request.
    pub fn opening_events(&self, request: OpenDebate) -> Result<Vec<Event>, Refusal> {
        let participants = request.personas.iter().map(|id| self.catalog.participant(id));
        let participants: Vec<Persona> = participants.collect::<Result<_, _>>()?;
        if !is_external(ENGINES, &request.engine) {
            self.catalog.check_shared_corpus(&request.options)?;
            recorded_talk::refuse_opening(&request.engine, &request.options)?;
        }
        let provider = self.resolve_provider(&request)?;
        let ids: Vec<PersonaId> = participants.iter().map(|participant| participant.id.clone()).collect();
        self.catalog.check_topic(&provider, &request.topic, &ids)?;
        self.catalog.check_sides(&provider, &request.engine, &request.topic, &ids)?;
        let models = self.catalog.models(&provider, &request.models)?;
        let opening = DebateConfig {
            models,
            participants,
            provider,
            topic: request.topic,
            engine: request.engine,
            options: request.options,
            limits: request.limits,
            seed: request.seed.unwrap_or_else(random_seed),
        };
        command::open(ENGINES, opening)
    }

    /// Resolves the provider. A debate run from outside needs none here.
    fn resolve_provider(&self, request: &OpenDebate) -> Result<String, Refusal> {
        if is_external(ENGINES, &request.engine)
            && request.provider.as_deref().is_none_or(|provider| provider == EXTERNAL_PROVIDER)
        {
            return Ok(EXTERNAL_PROVIDER.to_owned());
        }
        Ok(self.catalog.provider(request.provider.as_deref())?.name.clone())
    }

    /// Carries out a command and returns the debate after it.
    ///
    /// # Errors
    /// [`ServiceError::Refused`] if the debate does not exist or has ended, if the command is empty, or if other appends
    /// got in between `MAX_TRIES` times; [`ServiceError::Fault`] if the log cannot be read or written.
    pub async fn command(&self, debate: DebateId, command: Command) -> Result<DebateReadModel, ServiceError> {
        for _ in 0..MAX_TRIES {
            let mut read_model = self.read_model(debate, None).await?;
            let (events, act) = (command::decide(&read_model.summary, command.clone())?, command.administrative_act());
            if events.is_empty() {
                return Ok(read_model);
            }
            match self.append(debate, read_model.summary.version, events).await {
                Ok(recorded) => {
                    recorded.iter().for_each(|event| read_model.apply(event));
                    act.into_iter().for_each(|act| audit::done(&self.actor, act, &debate));
                    return Ok(read_model);
                }
                Err(AppendError::Conflict { .. }) => {}
                Err(AppendError::Fault(fault)) => return Err(fault.into()),
                Err(other) => return Err(Refusal::new(RefusalKind::Conflict, other.to_string()).into()),
            }
        }
        let reason =
            format!("debate {debate} changed {MAX_TRIES} times while the command was being decided; try again");
        Err(Refusal::new(RefusalKind::Conflict, reason).into())
    }

    /// Requests an audit of a debate that has ended, by a provider or, if `None`, by the default auditor. Runners
    /// find the request by following the log.
    ///
    /// # Errors
    /// [`ServiceError::Refused`] if the debate does not exist or has not ended, or the provider is unknown; otherwise as
    /// [`DebateService::command`].
    pub async fn audit(&self, debate: DebateId, provider: Option<&str>) -> Result<DebateReadModel, ServiceError> {
        let provider = self.catalog.auditor(provider)?.name.clone();
        self.command(debate, Command::Audit(provider)).await
    }

    /// Requests probes of a debate that has ended, by a provider or, if `None`, by the debate's own, so that participants
    /// speak through the model that spoke for them; by the preferred one if the debate's is not configured. Runners find the
    /// request by following the log.
    ///
    /// # Errors
    /// [`ServiceError::Refused`] if the debate does not exist, has not ended or is being audited, or the provider is unknown
    /// or cannot take part in a debate; otherwise as [`DebateService::command`].
    pub async fn probe(&self, debate: DebateId, provider: Option<&str>) -> Result<DebateReadModel, ServiceError> {
        let provider = match provider {
            Some(name) => self.catalog.provider(Some(name))?.name.clone(),
            None => {
                let own = self.read_model(debate, None).await?.summary.provider;
                self.catalog.provider(Some(&own)).or_else(|_| self.catalog.provider(None))?.name.clone()
            }
        };
        self.command(debate, Command::Probe(provider)).await
    }

    /// Resolves `at` to a version: `at` itself, or the latest version if `None`. Costs one index lookup.
    ///
    /// # Errors
    /// [`ServiceError::Refused`] if the debate or the version does not exist; [`ServiceError::Fault`] if the log cannot be
    /// read.
    pub async fn version(&self, debate: DebateId, at: Option<i64>) -> Result<i64, ServiceError> {
        positive(at)?;
        let mut last = self.log.head(debate).await?;
        if let Some(newest) = self.newest.as_ref().filter(|_| last == 0 || at.is_some_and(|version| version > last)) {
            last = newest.head(debate).await?;
        }
        within(debate, at, last)?;
        Ok(at.unwrap_or(last))
    }

    /// Folds a debate up to version `at`, or up to its latest version if `None`.
    ///
    /// # Errors
    /// [`ServiceError::Refused`] if the debate or the version does not exist; [`ServiceError::Fault`] if the log cannot be
    /// read.
    pub async fn read_model(&self, debate: DebateId, at: Option<i64>) -> Result<DebateReadModel, ServiceError> {
        positive(at)?;
        let last = at.unwrap_or(i64::MAX);
        let mut read_model = fold(&self.log, debate, last).await?;
        let lacks = read_model.is_empty() || at.is_some_and(|version| version > read_model.summary.version);
        if let Some(newest) = self.newest.as_ref().filter(|_| lacks) {
            read_model = fold(newest, debate, last).await?;
        }
        within(debate, at, read_model.summary.version)?;
        Ok(read_model)
    }

    /// Returns a page of a debate's events after a version, at most `PAGE`.
    ///
    /// # Errors
    /// [`ServiceError::Fault`] if the log cannot be read.
    pub async fn events(&self, debate: DebateId, after: i64, limit: i64) -> Result<Vec<Recorded>, ServiceError> {
        let (after, limit) = (after.max(0), limit.clamp(0, PAGE));
        let page = self.log.read(debate, after, limit).await?;
        match &self.newest {
            Some(newest) if page.is_empty() => Ok(newest.read(debate, after, limit).await?),
            _ => Ok(page),
        }
    }

    /// Reads ranges of debate streams, in the order of `read_ranges`. If the replica lacks events of a range, all are read
    /// from the primary.
    ///
    /// # Errors
    /// [`ServiceError::Fault`] if the log cannot be read.
    pub async fn read_ranges(&self, ranges: &[StreamRange]) -> Result<Vec<Vec<StoredEvent>>, ServiceError> {
        let found = self.log.read_ranges(ranges).await?;
        let lacks = ranges.iter().zip(&found).any(|(range, events)| (events.len() as i64) < range.upto - range.after);
        match &self.newest {
            Some(newest) if lacks => Ok(newest.read_ranges(ranges).await?),
            _ => Ok(found),
        }
    }

    /// Returns the passages with these ids; passages that are no longer in the library are left out.
    ///
    /// # Errors
    /// [`ServiceError::Fault`] if the library cannot be read.
    pub async fn cited(&self, chunks: &[Uuid]) -> Result<Vec<StoredPassage>, ServiceError> {
        Ok(self.read_library().cited(chunks).await?)
    }

    /// Library in the database that the service reads from, which may be a replica.
    pub fn read_library(&self) -> Library {
        Library::on(self.log.shards().clone())
    }

    /// Returns the shared corpora in the library, with the amounts of their material, ordered by id.
    ///
    /// # Errors
    /// [`ServiceError::Fault`] if the library cannot be read.
    pub async fn stored_shared_corpora(&self) -> Result<Vec<StoredSharedCorpus>, ServiceError> {
        self.read_library().shared_corpora().await.map_err(refused)
    }

    /// Returns those of these debates that a runner of some process drives at the moment.
    ///
    /// # Errors
    /// [`ServiceError::Fault`] if the leases cannot be read.
    pub async fn driven(&self, debates: &[DebateId]) -> Result<Vec<DebateId>, ServiceError> {
        Ok(Leases::on(self.log.shards().clone()).driven(debates).await?)
    }

    async fn append(&self, debate: DebateId, expected: i64, events: Vec<Event>) -> Result<Vec<Recorded>, AppendError> {
        let events = events.into_iter().map(|event| NewEvent { id: Uuid::now_v7(), event, caused_by: None });
        let actor = self.actor.name().map(str::to_owned);
        self.log.append(Append { debate, expected, events: events.collect(), fence: None, actor }).await
    }
}

fn positive(at: Option<i64>) -> Result<(), Refusal> {
    match at {
        Some(..1) => Err(Refusal::invalid("a version must be 1 or more; version 1 is the opening of the debate")),
        _ => Ok(()),
    }
}

/// Refuses a debate without events, and a version beyond its latest.
fn within(debate: DebateId, at: Option<i64>, last: i64) -> Result<(), Refusal> {
    match at {
        _ if last == 0 => Err(Refusal::new(RefusalKind::NotFound, format!("there is no debate {debate}"))),
        Some(at) if at > last => {
            let reason = format!("debate {debate} is at version {last}; it has no version {at}");
            Err(Refusal::invalid(reason))
        }
        _ => Ok(()),
    }
}

/// Folds a debate up to version `last`, or to its end if that is earlier.
async fn fold(log: &Log, debate: DebateId, last: i64) -> Result<DebateReadModel, StoreError> {
    let mut read_model = DebateReadModel::default();
    while read_model.summary.version < last {
        let limit = PAGE.min(last - read_model.summary.version);
        let page = log.read(debate, read_model.summary.version, limit).await?;
        page.iter().for_each(|event| read_model.apply(event));
        if (page.len() as i64) < limit {
            break;
        }
    }
    Ok(read_model)
}

/// Random seed of 31 bits, which every client's integer type can represent.
fn random_seed() -> u64 {
    u64::from(Uuid::new_v4().as_fields().0 >> 1)
}

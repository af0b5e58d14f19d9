//! Redistillation: the talk of a debate, distilled anew by the clerk of another engine or by another provider.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::error::ServiceError;
use crate::service::DebateService;
use faultline_core::engines::baseline::recorded_talk;
use faultline_core::engines::baseline::settings;
use faultline_core::engines::baseline::settings::RecordedTalk;
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::event::Event;
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::events::lifecycle::DebateLimits;
use faultline_core::kernel::command;
use faultline_core::kernel::command::DebateConfig;
use faultline_core::kernel::engine::{EXTERNAL_PROVIDER, Refusal, RefusalKind};
use faultline_core::projections::transcript::Transcript;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_store::log::append::MAX_APPEND_EVENTS;

/// Number of events that precede the turns of a recorded talk.
const BEFORE_TURNS: usize = 3;

/// Request to distil a talk anew; names are not resolved yet.
#[derive(Clone, Debug, Default)]
pub struct RedistillRequest {
    /// Last version whose turns are taken; the latest if `None`.
    pub at: Option<i64>,
    /// Engine whose clerk reads the talk, `disputes` or `dialogue`; `disputes` if `None`.
    pub clerk: Option<String>,
    /// Further options of the engine `baseline`.
    pub options: Value,
    /// Spending limits.
    pub limits: DebateLimits,
    /// Seed of the random choices; that of the debate if `None`.
    pub seed: Option<u64>,
    /// Name of the provider; that of the debate if `None`, or the preferred one if it is not among the known ones.
    pub provider: Option<String>,
    /// Id of the new debate, chosen by the client so that a repeated request opens it only once; a new one if `None`.
    pub id: Option<DebateId>,
}

impl DebateService {
    /// Opens a debate with the turns of another one, which a clerk distils anew. Runners find it by following the log.
    ///
    /// # Errors
    /// [`ServiceError::Refused`] if the debate or the version does not exist, it has no or too many turns, a name is unknown,
    /// an option is refused, or the new id is taken; [`ServiceError::Fault`] if the log cannot be read or written.
    pub async fn redistill(&self, of: DebateId, request: RedistillRequest) -> Result<DebateReadModel, ServiceError> {
        let source = self.read_model(of, request.at).await?;
        check_turns(of, &source.transcript)?;
        let debate = request.id.unwrap_or_else(|| self.log().new_debate_id());
        let events = self.redistilled_events(of, &source, request)?;
        if self.log().head(debate).await? == 0 {
            self.log().record_talk_source(debate, of).await?;
        }
        self.open_with(debate, events).await
    }

    fn redistilled_events(
        &self,
        of: DebateId,
        source: &DebateReadModel,
        request: RedistillRequest,
    ) -> Result<Vec<Event>, Refusal> {
        let version = u32::try_from(source.summary.version).unwrap_or(u32::MAX);
        let talk = RecordedTalk { debate: of, version };
        let options = options(request.options, talk, request.clerk)?;
        let provider = self.clerks_provider(request.provider.as_deref(), &source.summary.provider)?;
        let participants = source.cast.personas.clone();
        let ids: Vec<PersonaId> = participants.iter().map(|participant| participant.id.clone()).collect();
        let topic = source.summary.topic.clone();
        self.catalog().check_topic(&provider, &topic, &ids)?;
        let opening = DebateConfig {
            topic: topic.clone(),
            engine: settings::NAME.to_owned(),
            options,
            participants,
            limits: request.limits,
            seed: request.seed.unwrap_or(source.summary.seed),
            provider,
            models: BTreeMap::new(),
        };
        let mut events = command::open(ENGINES, opening)?;
        let Some(Event::DebateOpened(opened)) = events.first() else { return Ok(events) };
        let clerk = settings::read(&opened.options)?.clerk;
        events.extend(recorded_talk::events(&topic, talk, clerk, &source.transcript));
        Ok(events)
    }

    /// Resolves the provider of the clerk.
    fn clerks_provider(&self, named: Option<&str>, before: &str) -> Result<String, Refusal> {
        let catalog = self.catalog();
        let provider = match named {
            Some(named) => catalog.provider(Some(named))?,
            None if before == EXTERNAL_PROVIDER => catalog.provider(None)?,
            None => catalog.provider(Some(before)).or_else(|_| catalog.provider(None))?,
        };
        Ok(provider.name.clone())
    }
}

/// Refuses a talk without turns, and one that does not fit into one append.
fn check_turns(of: DebateId, transcript: &Transcript) -> Result<(), Refusal> {
    let (n_turns, most) = (transcript.turns.len(), MAX_APPEND_EVENTS - BEFORE_TURNS);
    if !transcript.turns.iter().any(|turn| !turn.moves.is_empty()) {
        let reason = format!("debate {of} has no turns up to this version, so there is nothing to distil");
        return Err(Refusal::new(RefusalKind::Conflict, reason));
    }
    if n_turns > most {
        let reason = format!("debate {of} has {n_turns} turns; at most {most} can be distilled anew");
        return Err(Refusal::limit("redistilled_turns", most as u64, n_turns as u64, reason));
    }
    Ok(())
}

/// Adds the talk and the clerk to the options.
fn options(given: Value, of: RecordedTalk, clerk: Option<String>) -> Result<Value, Refusal> {
    let mut options = match given {
        Value::Null => Map::new(),
        Value::Object(options) => options,
        _ => return Err(Refusal::invalid("`options` must be a JSON object")),
    };
    options.insert("of".to_owned(), json!(of));
    if let Some(clerk) = clerk {
        options.insert("clerk".to_owned(), Value::String(clerk));
    }
    Ok(Value::Object(options))
}

//! GraphQL mutations: each one turns a command into appended events.

use std::fmt::Display;

use async_graphql::{Context, Error, ErrorExtensions, ID, Json, Object, Result};
use serde_json::Value;

use crate::api::complexity::MUTATION_COMPLEXITY;
use crate::api::error::{error_with_code, from_fault, from_panic, from_refusal, from_service, invalid};
use crate::api::execution::admission::FORBIDDEN;
use crate::api::ids::{parse_id, parse_optional_id};
use crate::api::role::Role;
use crate::api::types::debate::append::{AppendEventInput, AppendResult};
use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::erasure::Erasure;
use crate::api::types::debate::input::{ForkInput, StartDebateInput};
use crate::api::types::event::Event;
use crate::api::types::projection;
use crate::api::types::projection::Projection;
use crate::service::append::{Appended, ExternalAppendError};
use crate::service::audit::{Actor, done};
use crate::service::compute::compute;
use crate::service::erase::EraseRequest;
use crate::service::service::DebateService;
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::imports::import::read_value;
use faultline_core::kernel::command::Command;
use faultline_core::kernel::engine::Refusal;
use faultline_core::kernel::external::external_debate::RefusedEvent;
use faultline_store::erasure::erasure::ErasureOrder;
use faultline_store::log::log::Log;
use faultline_store::views::views::Views;

/// Root type of all mutations.
pub struct Mutation;

/// All mutations. Each returns state that includes its own change.
#[Object]
impl Mutation {
    /// Opens a debate, which then runs by itself.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn start_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Topic, participants and settings.")] input: StartDebateInput,
    ) -> Result<Debate> {
        let asked = input.into_open_debate()?;
        let read_model = acting(context)?.open(asked).await.map_err(from_service)?;
        Debate::from_read_model(read_model, None)
    }

    /// Pauses a debate: pending answers are still accepted, but no new tasks are started.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn pause_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Id of the debate.")] id: ID,
    ) -> Result<Debate> {
        command(context, &id, Command::Pause).await
    }

    /// Resumes a paused debate.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn resume_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Id of the debate.")] id: ID,
    ) -> Result<Debate> {
        command(context, &id, Command::Resume).await
    }

    /// Ends a debate. Nothing can be added to it afterwards.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn cancel_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Id of the debate.")] id: ID,
        #[graphql(desc = "Reason; at most 8000 bytes.")] reason: Option<String>,
    ) -> Result<Debate> {
        command(context, &id, Command::Cancel(reason.unwrap_or_default())).await
    }

    /// Forks a debate: opens a new debate that continues another one from a given version, with changed settings. The
    /// history up to that version is shared, not copied. The end of a debate that has ended is never shared.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn fork_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Id of the debate to fork.")] id: ID,
        #[graphql(desc = "Last version to share; by default everything except the debate's end.")] at: Option<i64>,
        #[graphql(desc = "Settings to change.")] input: Option<ForkInput>,
    ) -> Result<Debate> {
        let debate: DebateId = parse_id(&id)?;
        let service = acting(context)?;
        let before = service.read_model(debate, at).await.map_err(from_service)?.summary;
        let wanted = input.unwrap_or_default().into_fork(before.limits)?;
        let read_model = service.fork(debate, at, wanted).await.map_err(from_service)?;
        Debate::from_read_model(read_model, None)
    }

    /// Appends events to a debate with the engine `external`. Such a debate is opened by `startDebate` or by its first
    /// event, `debate_opened` at the expected version 0. Records all events or none: if the debate is not at the
    /// expected version, the call fails with `CONFLICT` and `actualVersion`. A repeated call with the same event ids
    /// records nothing and returns the events with their versions. At most 100 events and 192 KiB of bodies per call.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn append_events(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Id of the debate; chosen by the client if the first event opens it.")] debate_id: ID,
        #[graphql(desc = "Latest version of the debate that the client knows; 0 if it does not exist yet.")]
        expected_version: i64,
        #[graphql(desc = "Events in order.")] events: Vec<AppendEventInput>,
    ) -> Result<AppendResult> {
        let debate: DebateId = parse_id(&debate_id)?;
        let given = events
            .into_iter()
            .map(AppendEventInput::into_external_event)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| invalid(&error))?;
        let appended = acting(context)?.append_events(debate, expected_version, given).await;
        let Appended { read_model, events, repeated } = appended.map_err(not_appended)?;
        let (version, events) = (read_model.summary.version, events.iter().map(Event::from).collect());
        Ok(AppendResult { debate: Debate::from_read_model(read_model, None)?, version, events, repeated })
    }

    /// Imports a debate: a result file (v1, v2) or event stream of an earlier system, or an export of Faultline.
    /// Importing the same debate again changes nothing.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn import_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "JSON of the file: an object, an array of events, or the whole text as a string.")]
        document: Json<Value>,
    ) -> Result<Debate> {
        let read = compute(move || read_value(document.0)).await.map_err(|error| from_panic(&error))?;
        let imported = read.map_err(|error| from_refusal(&error.into()))?;
        let read_model = acting(context)?.imported(&imported).await.map_err(from_service)?;
        Debate::from_read_model(read_model, None)
    }

    /// Rebuilds a projection from the whole log as a new generation, which replaces the served one when it has caught
    /// up. Calling this again while a rebuild is running changes nothing. Requires an admin token if tokens are
    /// configured.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn rebuild_projection(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Name of the projection.")] name: String,
        #[graphql(desc = "Number of parallel workers, 1 to 16; by default one per core.")] workers: Option<i32>,
        #[graphql(
            desc = "Whether the new generation may replace the served one even if it lacks debates whose events \
                    cannot be read. If not, it waits and `problem` names them; call again with this flag to switch.",
            default
        )]
        allow_letters: bool,
    ) -> Result<Projection> {
        if *context.data::<Role>()? < Role::Admin {
            return Err(error_with_code("rebuilding a projection requires a token with the role admin", FORBIDDEN));
        }
        let rebuilt = projection::rebuild(context.data::<Views>()?, &name, workers, allow_letters).await?;
        audited(context, "rebuild", &name);
        Ok(rebuilt)
    }

    /// Erases a debate permanently: destroys its encryption key and deletes derived data. Later reads return `ERASED`.
    /// The log keeps its positions and versions. Erasing a debate again returns the records of the first time. Returns
    /// one record per erased debate, that of the given debate last. Requires an admin token if tokens are configured.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn erase_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Id of the debate.")] id: ID,
        #[graphql(desc = "Reason, 1 to 1000 bytes. It is stored permanently, so it must not repeat erased content.")]
        reason: String,
        #[graphql(default, desc = "Whether to erase its forks too; without this, a debate with forks is refused.")]
        with_forks: bool,
        #[graphql(
            default,
            desc = "Whether hiding events that were recorded unencrypted is enough; refused otherwise."
        )]
        hide_plain: bool,
    ) -> Result<Vec<Erasure>> {
        if *context.data::<Role>()? < Role::Admin {
            return Err(error_with_code("erasing a debate requires a token with the role admin", FORBIDDEN));
        }
        let debate: DebateId = parse_id(&id)?;
        let service = acting(context)?;
        let asked_by = service.actor().name().unwrap_or("an admin, through the API").to_owned();
        let order = ErasureOrder { asked_by, reason };
        let erased =
            service.erase(debate, &EraseRequest { order, with_forks, hide_plain }).await.map_err(from_service)?;
        // The caller does not wait for this: the debate is erased already.
        tokio::spawn(cleaned(service.log().clone()));
        Ok(erased.into_iter().map(Erasure::from).collect())
    }

    /// Retries the events that a projection could not process. Requires an admin token if tokens are configured.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn retry_dead_letters(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Name of the projection.")] name: String,
    ) -> Result<Projection> {
        if *context.data::<Role>()? < Role::Admin {
            return Err(error_with_code("retrying dead letters requires a token with the role admin", FORBIDDEN));
        }
        let retried = projection::retry(context.data::<Views>()?, &name).await?;
        audited(context, "retry dead letters", &name);
        Ok(retried)
    }

    /// Adds a message to a debate. Later turns see it.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn interject(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Id of the debate.")] debate_id: ID,
        #[graphql(desc = "Text of the message, at most 8000 bytes.")] text: String,
        #[graphql(name = "as", desc = "Participant in whose name it is added; by default the moderator.")]
        speaker: Option<ID>,
    ) -> Result<Debate> {
        let speaker = parse_optional_id::<PersonaId>(speaker.as_ref())?;
        command(context, &debate_id, Command::Interject { text, speaker }).await
    }
}

/// Scrubs the database files after an erasure, and logs what remains in them.
async fn cleaned(log: Log) {
    match log.scrub().await {
        Ok(left) => left.iter().for_each(|remainder| tracing::warn!("{remainder}")),
        Err(fault) => tracing::warn!(%fault, "cannot scrub database files; vacuum will free the space of erased data"),
    }
}

/// Maps a failed append to a GraphQL error, with the index of the offending event if there is one.
fn not_appended(error: ExternalAppendError) -> Error {
    let reason = error.to_string();
    match error {
        ExternalAppendError::Refused(RefusedEvent { at: Some(at), refusal }) => {
            let error = from_refusal(&Refusal { reason: format!("events[{at}]: {reason}"), ..refusal });
            error.extend_with(|_, extensions| extensions.set("event", at))
        }
        ExternalAppendError::Refused(RefusedEvent { at: None, refusal }) => from_refusal(&refusal),
        ExternalAppendError::Behind { actual, .. } | ExternalAppendError::Reused { actual, .. } => {
            error_with_code(&reason, "CONFLICT").extend_with(|_, extensions| extensions.set("actualVersion", actual))
        }
        ExternalAppendError::Fault(fault) => from_fault(&fault),
    }
}

async fn command(context: &Context<'_>, id: &ID, command: Command) -> Result<Debate> {
    let debate: DebateId = parse_id(id)?;
    let read_model = acting(context)?.command(debate, command).await.map_err(from_service)?;
    Debate::from_read_model(read_model, None)
}

/// Returns the service, acting under the caller's name.
fn acting(context: &Context<'_>) -> Result<DebateService> {
    let service = context.data::<DebateService>()?;
    Ok(context.data_opt::<Actor>().map_or_else(|| service.clone(), |actor| service.acting_as(actor)))
}

/// Writes an audit log line: the action and the actor.
fn audited(context: &Context<'_>, act: &'static str, subject: &dyn Display) {
    let unnamed = Actor::unnamed();
    done(context.data_opt::<Actor>().unwrap_or(&unnamed), act, subject);
}

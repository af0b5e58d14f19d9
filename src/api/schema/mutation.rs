//! GraphQL mutations: each one turns a command into appended events.

use std::fmt::Display;

use async_graphql::{Context, Error, ErrorExtensions, ID, Object, Result};

use crate::api::complexity::MUTATION_COMPLEXITY;
use crate::api::error::{error_with_code, from_fault, from_panic, from_refusal, from_service, invalid};
use crate::api::ids::{parse_debate_id, parse_optional_id, resolve_debate, resolve_versioned};
use crate::api::schema::permissions::require_admin;
use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::erasure::Erasure;
use crate::api::types::event::Event;
use crate::api::types::mutation::append_events::{AppendEventInput, AppendEventsInput, AppendEventsPayload};
use crate::api::types::mutation::control::{
    AuditDebateInput, AuditDebatePayload, CancelDebateInput, CancelDebatePayload, InterjectInput, InterjectPayload,
    PauseDebateInput, PauseDebatePayload, ProbeDebateInput, ProbeDebatePayload, ResumeDebateInput, ResumeDebatePayload,
};
use crate::api::types::mutation::import::{ImportDebateInput, ImportDebatePayload};
use crate::api::types::mutation::operate::{
    ApproveGenerationInput, ApproveGenerationPayload, EraseDebateInput, EraseDebatePayload, HoldGenerationInput,
    HoldGenerationPayload, RebuildProjectionInput, RebuildProjectionPayload, RejectGenerationInput,
    RejectGenerationPayload, RetryDeadLettersInput, RetryDeadLettersPayload,
};
use crate::api::types::mutation::start::{
    ForkDebateInput, ForkDebatePayload, RedistillDebateInput, RedistillDebatePayload, StartDebateInput,
    StartDebatePayload,
};
use crate::api::types::projection;
use faultline_core::events::ids::PersonaId;
use faultline_core::imports::import::{read_edited_value, read_value};
use faultline_core::kernel::command::Command;
use faultline_core::kernel::engine::Refusal;
use faultline_core::kernel::external::external_debate::RefusedEvent;
use faultline_service::append::{Appended, ExternalAppendError};
use faultline_service::audit::{Actor, done};
use faultline_service::compute::compute;
use faultline_service::erase::EraseRequest;
use faultline_service::service::DebateService;
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
    ) -> Result<StartDebatePayload> {
        let read_model = acting(context)?.open(input.into_open_debate()?).await.map_err(from_service)?;
        Ok(StartDebatePayload { debate: Debate::from_read_model(read_model, None)? })
    }

    /// Pauses a debate: pending answers are still accepted, but no new tasks are started.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn pause_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Debate to pause.")] input: PauseDebateInput,
    ) -> Result<PauseDebatePayload> {
        Ok(PauseDebatePayload { debate: command(context, &input.debate_id, Command::Pause).await? })
    }

    /// Resumes a paused debate.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn resume_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Debate to resume.")] input: ResumeDebateInput,
    ) -> Result<ResumeDebatePayload> {
        Ok(ResumeDebatePayload { debate: command(context, &input.debate_id, Command::Resume).await? })
    }

    /// Ends a debate. Nothing can be added to it afterwards.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn cancel_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Debate to cancel, and the reason.")] input: CancelDebateInput,
    ) -> Result<CancelDebatePayload> {
        let cancel = Command::Cancel(input.reason.unwrap_or_default());
        Ok(CancelDebatePayload { debate: command(context, &input.debate_id, cancel).await? })
    }

    /// Requests an audit of a debate that has ended: a provider reads the words on which the verdict rests once more. The
    /// call returns at once; `audit_concluded` follows when the audit is over.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn audit_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Debate to audit, and the provider.")] input: AuditDebateInput,
    ) -> Result<AuditDebatePayload> {
        let debate = resolve_debate(context, &input.debate_id).await?;
        let audited = acting(context)?.audit(debate, input.provider.as_deref()).await;
        Ok(AuditDebatePayload { debate: Debate::from_read_model(audited.map_err(from_service)?, None)? })
    }

    /// Requests probes of a debate that has ended: a provider is asked small questions about it, for the measures that the
    /// log alone cannot give. No verdict depends on the answers. The call returns at once; `probes_concluded` follows when
    /// the probes are over.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn probe_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Debate to probe, and the provider.")] input: ProbeDebateInput,
    ) -> Result<ProbeDebatePayload> {
        let debate = resolve_debate(context, &input.debate_id).await?;
        let probed = acting(context)?.probe(debate, input.provider.as_deref()).await;
        Ok(ProbeDebatePayload { debate: Debate::from_read_model(probed.map_err(from_service)?, None)? })
    }

    /// Adds a message to a debate. Later turns see it.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn interject(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Debate, text and speaker.")] input: InterjectInput,
    ) -> Result<InterjectPayload> {
        let speaker = parse_optional_id::<PersonaId>(input.persona_id.as_ref())?;
        let interjection = Command::Interject { text: input.text, speaker };
        Ok(InterjectPayload { debate: command(context, &input.debate_id, interjection).await? })
    }

    /// Forks a debate: opens a new debate that continues another one from a given version, with changed settings. The
    /// history up to that version is shared, not copied. The end of a debate that has ended is never shared.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn fork_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Debate to fork, and the settings to change.")] input: ForkDebateInput,
    ) -> Result<ForkDebatePayload> {
        let (debate, version) = resolve_versioned(context, &input.debate_id).await?;
        let at = input.at.or(version);
        let service = acting(context)?;
        let before = service.read_model(debate, at).await.map_err(from_service)?.summary;
        let request = input.into_fork(before.limits)?;
        let read_model = service.fork(debate, at, request).await.map_err(from_service)?;
        Ok(ForkDebatePayload { debate: Debate::from_read_model(read_model, None)? })
    }

    /// Distils the talk of a debate anew: opens a new debate with the same turns, which the clerk of an engine reads once
    /// more, so that two readings of one talk can be compared. Its engine is `baseline`.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn redistill_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Debate whose talk is taken, and the clerk.")] input: RedistillDebateInput,
    ) -> Result<RedistillDebatePayload> {
        let (debate, version) = resolve_versioned(context, &input.debate_id).await?;
        let at = input.at.or(version);
        let request = input.into_redistill(at)?;
        let read_model = acting(context)?.redistill(debate, request).await.map_err(from_service)?;
        Ok(RedistillDebatePayload { debate: Debate::from_read_model(read_model, None)? })
    }

    /// Appends events to a debate with the engine `external`. Such a debate is opened by `startDebate` or by its first
    /// event, `debate_opened` at the expected version 0. Records all events or none: if the debate is not at the
    /// expected version, the call fails with `CONFLICT` and `actualVersion`. A repeated call with the same event ids
    /// records nothing and returns the events with their versions. At most 100 events and 192 KiB of bodies per call.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn append_events(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Debate, its expected version, and the events.")] input: AppendEventsInput,
    ) -> Result<AppendEventsPayload> {
        let debate = parse_debate_id(&input.debate_id)?;
        let given = input.events.into_iter().map(AppendEventInput::into_external_event);
        let given = given.collect::<Result<Vec<_>, _>>().map_err(|error| invalid(&error))?;
        let appended = acting(context)?.append_events(debate, input.expected_version, given).await;
        let Appended { read_model, events, repeated } = appended.map_err(not_appended)?;
        let (version, events) = (read_model.summary.version, events.iter().map(Event::from).collect());
        Ok(AppendEventsPayload { debate: Debate::from_read_model(read_model, None)?, version, events, repeated })
    }

    /// Imports a debate: a result file (v1, v2) or event stream of an earlier system, or an export of Faultline.
    /// Importing the same debate again changes nothing.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn import_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "File to import.")] input: ImportDebateInput,
    ) -> Result<ImportDebatePayload> {
        let (document, read) = (input.document.0, if input.edited { read_edited_value } else { read_value });
        let read = compute(move || read(document)).await.map_err(|error| from_panic(&error))?;
        let imported = read.map_err(|error| from_refusal(&error.into()))?;
        let read_model = acting(context)?.imported(&imported).await.map_err(from_service)?;
        Ok(ImportDebatePayload { debate: Debate::from_read_model(read_model, None)? })
    }

    /// Erases a debate permanently: destroys its encryption key and deletes derived data. Later reads return `ERASED`.
    /// The log keeps its positions and versions. Erasing a debate again returns the records of the first time. Requires
    /// an admin token if tokens are configured.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn erase_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Debate to erase, and the reason.")] input: EraseDebateInput,
    ) -> Result<EraseDebatePayload> {
        require_admin(context, "erasing a debate")?;
        let EraseDebateInput { debate_id, reason, with_forks, hide_plain } = input;
        let service = acting(context)?;
        let asked_by = service.actor().name().unwrap_or("an admin, through the API").to_owned();
        let request = EraseRequest { order: ErasureOrder { asked_by, reason }, with_forks, hide_plain };
        let erased = service.erase(parse_debate_id(&debate_id)?, &request).await.map_err(from_service)?;
        // The caller does not wait for this: the debate is erased already.
        tokio::spawn(cleaned(service.log().clone()));
        Ok(EraseDebatePayload { erasures: erased.into_iter().map(Erasure::from).collect() })
    }

    /// Rebuilds a projection from the whole log as a new generation, which replaces the served one when it has caught
    /// up. Calling this again while a rebuild is running changes nothing. Requires an admin token if tokens are
    /// configured.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn rebuild_projection(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Projection to rebuild, and how.")] input: RebuildProjectionInput,
    ) -> Result<RebuildProjectionPayload> {
        require_admin(context, "rebuilding a projection")?;
        let RebuildProjectionInput { name, workers, allow_dead_letters, await_approval, hold_seconds } = input;
        let wanted = projection::Rebuild { workers, allow_dead_letters, await_approval, hold_seconds };
        let projection = projection::rebuild(context.data::<Views>()?, &name, wanted).await?;
        audited(context, "rebuild", &name);
        Ok(RebuildProjectionPayload { projection })
    }

    /// Approves a generation that waits for approval, so that reads are switched to it. Requires an admin token if tokens
    /// are configured.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn approve_generation(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Generation to approve.")] input: ApproveGenerationInput,
    ) -> Result<ApproveGenerationPayload> {
        require_admin(context, "approving a generation")?;
        let projection = projection::answer(context.data::<Views>()?, &input.generation_id, true).await?;
        audited(context, "approve generation", &*input.generation_id);
        Ok(ApproveGenerationPayload { projection })
    }

    /// Rejects a generation that is not served yet, so that its rows are deleted. Requires an admin token if tokens are
    /// configured.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn reject_generation(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Generation to reject.")] input: RejectGenerationInput,
    ) -> Result<RejectGenerationPayload> {
        require_admin(context, "rejecting a generation")?;
        let projection = projection::answer(context.data::<Views>()?, &input.generation_id, false).await?;
        audited(context, "reject generation", &*input.generation_id);
        Ok(RejectGenerationPayload { projection })
    }

    /// Sets the time for which a generation waits for approval: from now on if it waits, or else once it is built. Requires
    /// an admin token if tokens are configured.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn hold_generation(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Generation, and the time.")] input: HoldGenerationInput,
    ) -> Result<HoldGenerationPayload> {
        require_admin(context, "holding a generation")?;
        let projection = projection::hold(context.data::<Views>()?, &input.generation_id, input.seconds).await?;
        audited(context, "hold generation", &*input.generation_id);
        Ok(HoldGenerationPayload { projection })
    }

    /// Retries the events that a projection could not process. Requires an admin token if tokens are configured.
    #[graphql(complexity = "MUTATION_COMPLEXITY + child_complexity")]
    async fn retry_dead_letters(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Projection whose events are retried.")] input: RetryDeadLettersInput,
    ) -> Result<RetryDeadLettersPayload> {
        require_admin(context, "retrying dead letters")?;
        let projection = projection::retry(context.data::<Views>()?, &input.name).await?;
        audited(context, "retry dead letters", &input.name);
        Ok(RetryDeadLettersPayload { projection })
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
    let debate = resolve_debate(context, id).await?;
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

//! Commands in, events appended.

use std::fmt::Display;

use async_graphql::{Context, Error, ErrorExtensions, ID, Json, Object, Result};
use serde_json::Value;

use crate::api::error::{coded, from_desk, from_fault, from_misnamed, from_panic, from_refusal, invalid};
use crate::api::guard::FORBIDDEN;
use crate::api::role::Role;
use crate::api::types::append::{AppendResult, EventInput};
use crate::api::types::debate::Debate;
use crate::api::types::erasure::Erasure;
use crate::api::types::event::Event;
use crate::api::types::input::{ForkInput, StartDebateInput};
use crate::api::types::projection::{self, Projection};
use crate::desk::append::{Appended, NotAppended};
use crate::desk::audit::{Actor, done};
use crate::desk::compute::compute;
use crate::desk::desk::Desk;
use crate::desk::erase::Erasing;
use crate::events::ids::{DebateId, PersonaId};
use crate::imports::import::read_value;
use crate::kernel::command::Command;
use crate::kernel::engine::Refusal;
use crate::kernel::outside::outside::Refused;
use crate::store::erasure::Order;
use crate::store::log::Log;
use crate::store::views::Views;

/// What one change counts for where a request is weighed: it folds the debate, and writes.
const CHANGE: usize = 200;

/// What a client may change.
pub struct Mutation;

/// What a client may change. The answer is folded from the log, the change included.
#[Object]
impl Mutation {
    /// Opens a debate. It runs by itself from then on.
    #[graphql(complexity = "CHANGE + child_complexity")]
    async fn start_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What it is to be opened with.")] input: StartDebateInput,
    ) -> Result<Debate> {
        let asked = input.asked().map_err(|it| from_misnamed(&it))?;
        let board = acting(context)?.open(asked).await.map_err(from_desk)?;
        Debate::of_board(board, None)
    }

    /// Lets a debate wait: answers under way are still taken, nothing new is asked.
    #[graphql(complexity = "CHANGE + child_complexity")]
    async fn pause_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The debate's name.")] id: ID,
    ) -> Result<Debate> {
        command(context, &id, Command::Pause).await
    }

    /// Lets a debate go on.
    #[graphql(complexity = "CHANGE + child_complexity")]
    async fn resume_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The debate's name.")] id: ID,
    ) -> Result<Debate> {
        command(context, &id, Command::Resume).await
    }

    /// Ends a debate. Nothing can be added to it afterwards.
    #[graphql(complexity = "CHANGE + child_complexity")]
    async fn cancel_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The debate's name.")] id: ID,
        #[graphql(desc = "Why, in words; at most 8000 bytes.")] reason: Option<String>,
    ) -> Result<Debate> {
        command(context, &id, Command::Cancel(reason.unwrap_or_default())).await
    }

    /// Lets a new debate go on from a moment of another, with something changed. The history up to there is shared, not
    /// copied; the end of a debate that has ended is not part of it.
    #[graphql(complexity = "CHANGE + child_complexity")]
    async fn fork_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The debate to go on from.")] id: ID,
        #[graphql(desc = "The last version to share; all but its end where none is given.")] at: Option<i64>,
        #[graphql(desc = "What is to be changed.")] input: Option<ForkInput>,
    ) -> Result<Debate> {
        let debate: DebateId = id.parse().map_err(|it| from_misnamed(&it))?;
        let desk = acting(context)?;
        let before = desk.board(debate, at).await.map_err(from_desk)?.summary;
        let wanted = input.unwrap_or_default().wanted(before.limits).map_err(|it| from_misnamed(&it))?;
        let board = desk.fork(debate, at, wanted).await.map_err(from_desk)?;
        Debate::of_board(board, None)
    }

    /// Appends events to a debate that is run from outside: one of the engine `external`, opened by `startDebate` or by
    /// the first event, `debate_opened` at the expected version 0. All of them are recorded or none, if the debate stands
    /// at that version; else `CONFLICT` tells `actualVersion`. Given again under the same ids they are not recorded again,
    /// and come back with the versions that they have. At most 100 events and 192 KiB of bodies a call.
    #[graphql(complexity = "CHANGE + child_complexity")]
    async fn append_events(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The debate's name; chosen by the client where the first event opens it.")] debate_id: ID,
        #[graphql(desc = "The version at which the client knows the debate; 0 where it is not there yet.")]
        expected_version: i64,
        #[graphql(desc = "What happened, in order.")] events: Vec<EventInput>,
    ) -> Result<AppendResult> {
        let debate: DebateId = debate_id.parse().map_err(|it| from_misnamed(&it))?;
        let given =
            events.into_iter().map(EventInput::given).collect::<Result<Vec<_>, _>>().map_err(|it| invalid(&it))?;
        let appended = acting(context)?.append_events(debate, expected_version, given).await;
        let Appended { board, events, repeated } = appended.map_err(not_appended)?;
        let (version, events) = (board.summary.version, events.iter().map(Event::from).collect());
        Ok(AppendResult { debate: Debate::of_board(board, None)?, version, events, repeated })
    }

    /// Brings in a debate: a result file (v1, v2) or an event stream of an earlier system, or an export of ours. Brought
    /// in again, it changes nothing.
    #[graphql(complexity = "CHANGE + child_complexity")]
    async fn import_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The file's JSON: an object, an array of events, or its whole text as a string.")]
        document: Json<Value>,
    ) -> Result<Debate> {
        let read = compute(move || read_value(document.0)).await.map_err(|it| from_panic(&it))?;
        let imported = read.map_err(|it| from_refusal(&it.into()))?;
        let board = acting(context)?.imported(&imported).await.map_err(from_desk)?;
        Debate::of_board(board, None)
    }

    /// Has stored views made anew from the whole log, beside those that are read from; they take over when they have
    /// caught up. While that is under way, asking again changes nothing. Where tokens are asked for, it takes an admin's.
    #[graphql(complexity = "CHANGE + child_complexity")]
    async fn rebuild_projection(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The projection's name.")] name: String,
        #[graphql(desc = "How many work on it, 1 to 16; one a core where none is given.")] workers: Option<i32>,
        #[graphql(
            desc = "Whether it may take over although it leaves out debates that are shown now, since events of theirs \
                    cannot be read. If not, it stays under way, and its problem says which; asked again with this, it takes over.",
            default
        )]
        allow_letters: bool,
    ) -> Result<Projection> {
        if *context.data::<Role>()? < Role::Admin {
            return Err(coded("to rebuild what is stored takes a token of the role admin", FORBIDDEN));
        }
        let rebuilt = projection::rebuild(context.data::<Views>()?, &name, workers, allow_letters).await?;
        audited(context, "rebuild", &name);
        Ok(rebuilt)
    }

    /// Forgets a debate for good: the key of what it said is destroyed, all that was made from it is deleted, and asking for
    /// it is answered by the code ERASED. The log stays whole. Asked again, the records are those of the first time. The
    /// records, the debate's own last. Where tokens are asked for, it takes an admin's.
    #[graphql(complexity = "CHANGE + child_complexity")]
    async fn erase_debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The debate's name.")] id: ID,
        #[graphql(desc = "Why: 1 to 1000 bytes. It is kept, so it should not say what is to be forgotten.")]
        reason: String,
        #[graphql(default, desc = "Whether the debates go too that were forked from it; refused otherwise.")]
        with_forks: bool,
        #[graphql(default, desc = "Whether it is enough to hide what was recorded in plain; refused otherwise.")]
        hide_plain: bool,
    ) -> Result<Vec<Erasure>> {
        if *context.data::<Role>()? < Role::Admin {
            return Err(coded("to erase a debate takes a token of the role admin", FORBIDDEN));
        }
        let debate: DebateId = id.parse().map_err(|it| from_misnamed(&it))?;
        let desk = acting(context)?;
        let asked_by = desk.actor().name().unwrap_or("an admin, through the API").to_owned();
        let order = Order { asked_by, reason };
        let erased = desk.erase(debate, &Erasing { order, with_forks, hide_plain }).await.map_err(from_desk)?;
        // Nobody waits for it: what was erased is erased.
        tokio::spawn(cleaned(desk.log().clone()));
        Ok(erased.into_iter().map(Erasure::from).collect())
    }

    /// Has events tried again that stored views could not be made of. Where tokens are asked for, it takes an admin's.
    #[graphql(complexity = "CHANGE + child_complexity")]
    async fn retry_dead_letters(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The projection's name.")] name: String,
    ) -> Result<Projection> {
        if *context.data::<Role>()? < Role::Admin {
            return Err(coded("to try dead letters again takes a token of the role admin", FORBIDDEN));
        }
        let retried = projection::retry(context.data::<Views>()?, &name).await?;
        audited(context, "retry dead letters", &name);
        Ok(retried)
    }

    /// Says something to a debate: the speakers see it from then on.
    #[graphql(complexity = "CHANGE + child_complexity")]
    async fn interject(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The debate's name.")] debate_id: ID,
        #[graphql(desc = "At most 8000 bytes.")] text: String,
        #[graphql(name = "as", desc = "The participant in whose name it is said; none for the moderator.")]
        speaker: Option<ID>,
    ) -> Result<Debate> {
        let speaker = speaker.map(|it| it.parse::<PersonaId>()).transpose().map_err(|it| from_misnamed(&it))?;
        command(context, &debate_id, Command::Interject { text, speaker }).await
    }
}

/// Cleans the server's files behind an erasure, and logs what is left in them.
async fn cleaned(log: Log) {
    match log.scrub().await {
        Ok(left) => left.iter().for_each(|it| tracing::warn!("{it}")),
        Err(fault) => tracing::warn!(%fault, "the space of what was erased will be cleaned by the server's own vacuum"),
    }
}

/// The error that nothing was appended; with the event's place among those given, if one of them is meant.
fn not_appended(error: NotAppended) -> Error {
    let reason = error.to_string();
    match error {
        NotAppended::Refused(Refused { at: Some(at), refusal }) => {
            let error = from_refusal(&Refusal { reason: format!("events[{at}]: {reason}"), ..refusal });
            error.extend_with(|_, it| it.set("event", at))
        }
        NotAppended::Refused(Refused { at: None, refusal }) => from_refusal(&refusal),
        NotAppended::Behind { actual, .. } | NotAppended::Reused { actual, .. } => {
            coded(&reason, "CONFLICT").extend_with(|_, it| it.set("actualVersion", actual))
        }
        NotAppended::Fault(fault) => from_fault(&fault),
    }
}

async fn command(context: &Context<'_>, id: &ID, command: Command) -> Result<Debate> {
    let debate: DebateId = id.parse().map_err(|it| from_misnamed(&it))?;
    let board = acting(context)?.command(debate, command).await.map_err(from_desk)?;
    Debate::of_board(board, None)
}

/// The desk, recording under the name of whoever asks.
fn acting(context: &Context<'_>) -> Result<Desk> {
    let desk = context.data::<Desk>()?;
    Ok(context.data_opt::<Actor>().map_or_else(|| desk.clone(), |it| desk.acting_as(it)))
}

/// Logs what was done, and by whom.
fn audited(context: &Context<'_>, act: &'static str, subject: &dyn Display) {
    let unnamed = Actor::unnamed();
    done(context.data_opt::<Actor>().unwrap_or(&unnamed), act, subject);
}

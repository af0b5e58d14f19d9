//! A debate: the line of a list at once, everything else folded when it is asked for.

use std::sync::Arc;

use async_graphql::{ComplexObject, Context, ID, Result, SimpleObject};
use chrono::{DateTime, Utc};
use tokio::sync::OnceCell;

use crate::api::error::{from_desk, invalid};
use crate::api::types::argument::{Argument, Attack, Label, Turn};
use crate::api::types::dispute::Dispute;
use crate::api::types::event::Event;
use crate::api::types::persona::Participant;
use crate::api::types::proposal::Proposal;
use crate::api::types::scalars::{DebateStatus, DisputeStatus};
use crate::api::types::verdict::{Camp, CommonGround, Crux, Regime};
use crate::desk::desk::Desk;
use crate::events::ids::DebateId;
use crate::projections::summary::{Spent, Summary};
use crate::verdicts::board::Board;
use crate::verdicts::verdict::Verdict;

/// Events, turns or debates that one page may have.
pub const MAX_PAGE: i32 = 500;

/// A debate, at one version.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Debate {
    /// The debate's name.
    id: ID,
    /// What is debated.
    topic: String,
    /// The engine that runs it.
    engine: String,
    /// The engine's revision at opening.
    engine_revision: i32,
    /// Whoever answers.
    provider: String,
    /// The seed of its choices.
    seed: String,
    /// Where it is in its life.
    status: DebateStatus,
    /// The present phase, in the engine's words.
    phase: Option<String>,
    /// The present round.
    round: Option<u32>,
    /// The version of its last event. Subscribe with `after` set to it to miss and repeat nothing.
    version: i64,
    /// When it was opened.
    opened_at: DateTime<Utc>,
    /// When its last event was recorded.
    updated_at: DateTime<Utc>,
    /// When it ended.
    ended_at: Option<DateTime<Utc>>,
    /// How it ended.
    outcome: Option<Outcome>,
    /// Who takes part, in speaking order.
    participants: Vec<Participant>,
    /// Turns taken by participants.
    n_turns: u32,
    /// What it cost.
    usage: Usage,
    #[graphql(skip)]
    debate: DebateId,
    #[graphql(skip)]
    at: Option<i64>,
    #[graphql(skip)]
    judged: Arc<OnceCell<Judged>>,
}

/// A board, and the verdict over it.
struct Judged {
    board: Board,
    verdict: Verdict,
}

/// How a debate ended.
#[derive(SimpleObject, Clone)]
pub struct Outcome {
    /// `converged`, `limit`, `cycle`, `stalled` or `aborted`.
    kind: String,
    /// Why, in words.
    reason: String,
}

/// What a debate cost.
#[derive(SimpleObject, Clone)]
pub struct Usage {
    /// Requests to a provider.
    calls: u32,
    /// Requests that failed, or whose answers could not be read.
    failed: u32,
    /// Tokens read, cached ones included.
    input_tokens: u64,
    /// Tokens written.
    output_tokens: u64,
    /// Money in millionths of a US dollar.
    cost_micros: u64,
    /// Time spent waiting for answers, in milliseconds, summed over calls.
    millis: u64,
    /// The same by purpose.
    by_purpose: Vec<UsageOf>,
    /// The same by provider and model.
    by_model: Vec<UsageOf>,
}

/// What calls of one kind cost.
#[derive(SimpleObject, Clone)]
pub struct UsageOf {
    /// The purpose, or the model.
    name: String,
    /// Requests.
    calls: u32,
    /// Tokens read, cached ones included.
    input_tokens: u64,
    /// Tokens written.
    output_tokens: u64,
    /// Money in millionths of a US dollar.
    cost_micros: u64,
}

impl Debate {
    /// A debate whose views are known already.
    pub fn of_board(board: Board, at: Option<i64>) -> Result<Debate> {
        let debate = Debate::of_summary(&board.summary, at)?;
        let verdict = board.verdict();
        // A new cell: nobody else can have set it.
        let _ = debate.judged.set(Judged { board, verdict });
        Ok(debate)
    }

    /// A debate of which only the line is known; the rest is folded when it is asked for.
    pub fn of_summary(summary: &Summary, at: Option<i64>) -> Result<Debate> {
        let (Some(id), Some(opened_at)) = (summary.debate, summary.opened_at) else {
            return Err(invalid("this debate has no opening event"));
        };
        let outcome = summary.outcome.as_ref();
        let ended = outcome.map(|it| Outcome { kind: it.kind().to_owned(), reason: it.reason().to_owned() });
        let aborted = summary.aborted.clone().map(|reason| Outcome { kind: "aborted".to_owned(), reason });
        Ok(Debate {
            id: ID(id.to_string()),
            topic: summary.topic.clone(),
            engine: summary.engine.clone(),
            engine_revision: summary.engine_revision,
            provider: summary.provider.clone(),
            seed: summary.seed.to_string(),
            status: summary.status.into(),
            phase: summary.phase.clone(),
            round: summary.round,
            version: summary.version,
            opened_at,
            updated_at: summary.updated_at.unwrap_or(opened_at),
            ended_at: summary.ended_at,
            outcome: ended.or(aborted),
            participants: summary.participants.iter().map(Participant::from).collect(),
            n_turns: summary.n_turns,
            usage: Usage::of(summary),
            debate: id,
            at,
            judged: Arc::new(OnceCell::new()),
        })
    }

    async fn judged(&self, context: &Context<'_>) -> Result<&Judged> {
        let fold = || async {
            let board = context.data::<Desk>()?.board(self.debate, self.at).await.map_err(from_desk)?;
            let verdict = board.verdict();
            Ok::<_, async_graphql::Error>(Judged { board, verdict })
        };
        self.judged.get_or_try_init(fold).await
    }
}

impl Usage {
    fn of(summary: &Summary) -> Usage {
        let total = summary.usage.total;
        let by = |names: &std::collections::BTreeMap<String, Spent>| {
            let of = |(name, it): (&String, &Spent)| UsageOf {
                name: name.clone(),
                calls: it.calls,
                input_tokens: it.input_tokens,
                output_tokens: it.output_tokens,
                cost_micros: it.cost_micros,
            };
            names.iter().map(of).collect()
        };
        Usage {
            calls: total.calls,
            failed: total.failed,
            input_tokens: total.input_tokens,
            output_tokens: total.output_tokens,
            cost_micros: total.cost_micros,
            millis: total.millis,
            by_purpose: by(&summary.usage.by_purpose),
            by_model: by(&summary.usage.by_model),
        }
    }
}

/// What has to be folded from the debate's events.
#[ComplexObject]
impl Debate {
    /// The turns in order.
    async fn turns(&self, context: &Context<'_>) -> Result<Vec<Turn>> {
        Ok(self.judged(context).await?.board.transcript.turns.iter().map(Turn::from).collect())
    }

    /// The debate's events in order, after a version.
    async fn events(
        &self,
        context: &Context<'_>,
        #[graphql(default = 100, desc = "1 to 500")] first: i32,
        #[graphql(default = 0)] after: i64,
    ) -> Result<Vec<Event>> {
        let last = self.at.unwrap_or(i64::MAX);
        let limit = i64::from(page_size(first)?).min(last.saturating_sub(after)).max(0);
        let events = context.data::<Desk>()?.events(self.debate, after, limit).await.map_err(from_desk)?;
        Ok(events.iter().map(Event::from).collect())
    }

    /// Every argument ever advanced, in order.
    async fn arguments(&self, context: &Context<'_>) -> Result<Vec<Argument>> {
        let Judged { board, verdict } = self.judged(context).await?;
        let graph = &board.arguments;
        let told = graph.arguments.iter();
        Ok(told.map(|(id, it)| Argument::new(it, graph.is_live(*id), verdict.labels.get(id).copied())).collect())
    }

    /// Every attack ever raised, in order.
    async fn attacks(&self, context: &Context<'_>) -> Result<Vec<Attack>> {
        Ok(self.judged(context).await?.board.arguments.attacks.values().map(Attack::from).collect())
    }

    /// The grounded label of every argument that counts.
    async fn labelling(&self, context: &Context<'_>) -> Result<Vec<Label>> {
        let labels = &self.judged(context).await?.verdict.labels;
        Ok(labels.iter().map(|(id, it)| Label { argument_id: ID(id.to_string()), label: (*it).into() }).collect())
    }

    /// Disputes in the order in which they were raised.
    async fn disputes(&self, context: &Context<'_>, status: Option<DisputeStatus>) -> Result<Vec<Dispute>> {
        let disputes = &self.judged(context).await?.board.disputes.disputes;
        let all = disputes.iter().map(|(id, it)| Dispute::new(*id, it));
        Ok(all.filter(|it| status.is_none_or(|status| it.status == status)).collect())
    }

    /// What the disagreement turns on, most telling first.
    async fn cruxes(&self, context: &Context<'_>) -> Result<Vec<Crux>> {
        let cruxes = &self.judged(context).await?.verdict.cruxes;
        Ok((1..).zip(cruxes).map(|(place, it)| Crux::new(self.debate, place, it)).collect())
    }

    /// What is held in common: said by each in a turn of their own, and denied by nobody.
    async fn common_ground(&self, context: &Context<'_>) -> Result<Vec<CommonGround>> {
        Ok(self.judged(context).await?.verdict.common_ground.iter().map(CommonGround::from).collect())
    }

    /// Who stands together: the preferred extensions, told by persona.
    async fn camps(&self, context: &Context<'_>) -> Result<Vec<Camp>> {
        Ok(self.judged(context).await?.verdict.camps.iter().map(Camp::from).collect())
    }

    /// The state of the debate as a whole, and why it is called so.
    async fn regime(&self, context: &Context<'_>) -> Result<Regime> {
        let it = &self.judged(context).await?.verdict;
        Ok(Regime::new(&it.regime, it.limit.clone(), it.last_word, &it.algorithm))
    }

    /// How many preferred extensions there are, as a decimal number.
    async fn n_extensions(&self, context: &Context<'_>) -> Result<String> {
        Ok(self.judged(context).await?.verdict.n_extensions.clone())
    }

    /// Proposals in the order in which they were made.
    async fn proposals(&self, context: &Context<'_>) -> Result<Vec<Proposal>> {
        Ok(self.judged(context).await?.board.proposals.proposals.iter().map(Proposal::from).collect())
    }
}

/// A page size within its limits.
///
/// # Errors
/// `INVALID` where it is not.
pub fn page_size(first: i32) -> Result<i32> {
    if (1..=MAX_PAGE).contains(&first) { Ok(first) } else { Err(invalid(&format!("a page has 1 to {MAX_PAGE} items"))) }
}

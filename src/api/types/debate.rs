//! A debate: the line of a list at once, everything else folded when it is asked for.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_graphql::{ComplexObject, Context, ID, Result, SimpleObject};
use chrono::{DateTime, Utc};
use tokio::sync::OnceCell;

use crate::api::error::{from_desk, from_fault, invalid};
use crate::api::paging::Asked;
use crate::api::plain::Items;
use crate::api::stream_pages;
use crate::api::types::argument::{Argument, Attack, Label, Reasons};
use crate::api::types::concession::Concession;
use crate::api::types::crux::{Crux, House, Placed};
use crate::api::types::dispute::Dispute;
use crate::api::types::event::EventConnection;
use crate::api::types::extensions::{self, Extensions};
use crate::api::types::fact_check::FactCheck;
use crate::api::types::grounding::DebateGrounding;
use crate::api::types::participant::Participant;
use crate::api::types::proposal::Proposal;
use crate::api::types::room::Room;
use crate::api::types::scalars::{DebateStatus, DisputeStatus, Semantics};
use crate::api::types::siblings::Siblings;
use crate::api::types::talk::{CruxProposal, Hint, Phase, Shift, Signal};
use crate::api::types::turns::TurnConnection;
use crate::api::types::usage::Usage;
use crate::api::types::verdict::{Camp, CommonGround, Regime};
use crate::api::types::what_if::{WhatIf, WhatIfAttack, change};
use crate::desk::desk::Desk;
use crate::events::ids::{DebateId, PersonaId};
use crate::projections::summary::{self, Summary};
use crate::verdicts::board::Board;
use crate::verdicts::concessions::concessions;
use crate::verdicts::crux_name::CruxKey;
use crate::verdicts::cruxes;
use crate::verdicts::sound::Sound;
use crate::verdicts::verdict::Verdict;

/// Items that one page of any list may have.
pub const MAX_PAGE: i32 = 100;
/// Items on a page where no size is given.
pub const DEFAULT_PAGE: usize = 20;
/// What a field that has to be folded counts for where a request is weighed.
pub const FOLD: usize = 50;
/// What a field counts for that has to be searched for.
pub const SEARCH: usize = 1_000;
/// How many cruxes a debate counts for where a request is weighed: each leads back to the debate.
pub const CRUXES: usize = 20;
/// How many rooms a debate counts for where a request is weighed: each leads to its turns.
const ROOMS: usize = 5;

/// A debate, at one version.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Debate {
    /// The debate's name.
    pub(crate) id: ID,
    /// Where it goes on from, where it is a fork.
    origin: Option<Origin>,
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
    /// Turns taken by participants.
    n_turns: u32,
    /// What it cost.
    usage: Usage,
    #[graphql(skip)]
    debate: DebateId,
    #[graphql(skip)]
    siblings: Arc<Siblings>,
    #[graphql(skip)]
    pub(crate) cast: Arc<[summary::Participant]>,
    #[graphql(skip)]
    heard: Arc<OnceCell<BTreeMap<PersonaId, Sound>>>,
}

/// Where a fork goes on from.
#[derive(SimpleObject, Clone)]
pub struct Origin {
    /// The debate that it comes from.
    debate_id: ID,
    /// The last version that both share.
    at: i64,
}

/// How a debate ended.
#[derive(SimpleObject, Clone)]
pub struct Outcome {
    /// `converged`, `limit`, `cycle`, `stalled` or `aborted`.
    kind: String,
    /// Why, in words.
    reason: String,
}

impl Debate {
    /// A debate whose views are known already, as of the version that was asked for or that they have.
    pub fn of_board(board: Board, at: Option<i64>) -> Result<Debate> {
        let summary = board.summary.clone();
        debug_assert!(at.is_none_or(|it| it >= summary.version), "a board goes no further than it was asked to");
        let id = summary.debate.ok_or_else(|| invalid("this debate has no opening event"))?;
        Debate::of_summary(&summary, Arc::new(Siblings::folded(id, board)))
    }

    /// A debate of which only the line is known; the rest is read when it is asked for, with that of those who were told
    /// together with it.
    pub fn of_summary(summary: &Summary, siblings: Arc<Siblings>) -> Result<Debate> {
        let (Some(id), Some(opened_at)) = (summary.debate, summary.opened_at) else {
            return Err(invalid("this debate has no opening event"));
        };
        let outcome = summary.outcome.as_ref();
        let ended = outcome.map(|it| Outcome { kind: it.kind().to_owned(), reason: it.reason().to_owned() });
        let aborted = summary.aborted.clone().map(|reason| Outcome { kind: "aborted".to_owned(), reason });
        Ok(Debate {
            id: ID(id.to_string()),
            origin: summary.origin.map(|it| Origin { debate_id: ID(it.debate.to_string()), at: it.at }),
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
            n_turns: summary.n_turns,
            usage: Usage::of(summary),
            debate: id,
            siblings,
            cast: summary.participants.clone().into(),
            heard: Arc::default(),
        })
    }

    /// Its views, folded once for all fields that ask.
    pub(crate) async fn board(&self, context: &Context<'_>) -> Result<&Arc<Board>> {
        self.siblings.board(context, self.debate).await
    }

    /// Whom its participants sound like, found out once for all who ask.
    pub(crate) async fn sounds(&self, context: &Context<'_>) -> Result<&BTreeMap<PersonaId, Sound>> {
        let listen = async || {
            let board = self.board(context).await?;
            context.data::<Desk>()?.sounds(board).await.map_err(from_desk)
        };
        self.heard.get_or_try_init(listen).await
    }

    /// One of its cruxes, by its name; none where it is no crux of this debate, or no longer.
    pub(crate) async fn crux(self, context: &Context<'_>, key: CruxKey) -> Result<Option<Crux>> {
        let house = Arc::new(self);
        let verdict = house.verdict(context).await?;
        match (1..).zip(verdict.all_cruxes()).find(|(_, it)| it.key == key) {
            Some((rank, it)) => house.placed(context, rank, it, Arc::clone(&house)).await.map(Some),
            None => Ok(None),
        }
    }

    pub(crate) async fn placed(
        &self,
        context: &Context<'_>,
        rank: usize,
        crux: &cruxes::Crux,
        house: Arc<Debate>,
    ) -> Result<Crux> {
        let times = crux.times(&self.board(context).await?.transcript, self.opened_at);
        Ok(Crux::new(Placed { debate: self.debate, rank, crux, times }, House::Known(house)))
    }

    /// The verdict over them, made once, and where it keeps nobody else waiting.
    pub(crate) async fn verdict(&self, context: &Context<'_>) -> Result<&Arc<Verdict>> {
        self.siblings.verdict(context, self.debate).await
    }
}

/// What has to be folded from the debate's events. Each field counts for more than one where a request is weighed.
#[ComplexObject]
impl Debate {
    /// Who takes part, in speaking order.
    #[graphql(complexity = "child_complexity")]
    async fn participants(&self) -> Vec<Participant> {
        let debate = Arc::new(self.clone());
        self.cast.iter().map(|it| Participant::new(it, Arc::clone(&debate))).collect()
    }

    /// The turns in order.
    #[graphql(complexity = "FOLD + listed(first.or(last)) * child_complexity")]
    async fn turns(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "So many from the first turn, or from `after`: 1 to 100; 20 where neither first nor last is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only turns behind this cursor. Goes with first.")] after: Option<String>,
        #[graphql(desc = "So many before the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only turns before this cursor. Goes with last.")] before: Option<String>,
    ) -> Result<TurnConnection> {
        let page = Asked { first, after, last, before }.page()?;
        stream_pages::turns(&self.board(context).await?.transcript.turns, &page)
    }

    /// The debate's events in order, up to its version.
    #[graphql(complexity = "FOLD + listed(first.or(last)) * child_complexity")]
    async fn events(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "So many from the first event, or from `after`: 1 to 100; 20 where neither first nor last is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only events behind this cursor. Goes with first.")] after: Option<String>,
        #[graphql(desc = "So many before the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only events before this cursor. Goes with last.")] before: Option<String>,
        #[graphql(desc = "Only events of these kinds: `turn_taken`.")] kinds: Option<Vec<String>>,
    ) -> Result<EventConnection> {
        let page = Asked { first, after, last, before }.page()?;
        let kinds = stream_pages::known(kinds)?;
        stream_pages::events(context, &self.siblings, (self.debate, self.version), &page, kinds.as_deref()).await
    }

    /// Every argument ever advanced, in order.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn arguments(&self, context: &Context<'_>) -> Result<Vec<Argument>> {
        let labels = &self.verdict(context).await?.labels;
        let board = self.board(context).await?;
        let (graph, reasons) = (&board.arguments, Reasons::new(Arc::clone(board)));
        let told = graph.arguments.iter();
        Ok(told.map(|(id, it)| Argument::new(it, graph.is_live(*id), labels.get(id).copied(), &reasons)).collect())
    }

    /// Every attack ever raised, in order.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn attacks(&self, context: &Context<'_>) -> Result<Vec<Attack>> {
        Ok(self.board(context).await?.arguments.attacks.values().map(Attack::from).collect())
    }

    /// The label of every argument that counts. Under a semantics with several extensions: `IN` where all of them hold it,
    /// `OUT` where in each of them something attacks it, else `UNDEC`, as where there is none.
    #[graphql(complexity = "SEARCH + child_complexity")]
    async fn labelling(
        &self,
        context: &Context<'_>,
        #[graphql(default_with = "Semantics::Grounded", desc = "Which sets of arguments count as accepted together.")]
        semantics: Semantics,
    ) -> Result<Vec<Label>> {
        extensions::labelling(context, self, semantics.into()).await
    }

    /// The sets of arguments that are accepted together.
    #[graphql(complexity = "SEARCH + child_complexity")]
    async fn extensions(
        &self,
        context: &Context<'_>,
        #[graphql(default_with = "Semantics::Preferred", desc = "Which sets those are.")] semantics: Semantics,
        #[graphql(default = 100, desc = "How many are listed at most: 1 to 1000.")] limit: i32,
    ) -> Result<Extensions> {
        Extensions::of(context, self, semantics.into(), limit).await
    }

    /// What would be if arguments were withdrawn and attacks were there. Nothing is changed by it.
    #[graphql(complexity = "SEARCH + CRUXES * child_complexity")]
    async fn what_if(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Arguments withdrawn, with every attack on and by them; at most 100.")] remove: Option<
            Vec<ID>,
        >,
        #[graphql(desc = "Attacks added, as if they were judged valid; at most 100.")] add: Option<Vec<WhatIfAttack>>,
    ) -> Result<WhatIf> {
        WhatIf::of(context, self, change(remove, add)?).await
    }

    /// Who gave ground, in the order of the turns. A participant who takes the other side of a dispute does, whether or not
    /// anybody calls it so.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn concessions(&self, context: &Context<'_>) -> Result<Vec<Concession>> {
        let board = self.board(context).await?;
        let all = concessions(&board.concessions, &board.disputes);
        Ok(all.iter().map(|it| Concession::new(it, &board.transcript)).collect())
    }

    /// Where each participant stood first on a dispute, and where they stand last: from the opening to the close. Dispute
    /// by dispute; who took no stance on one is not told there.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn shifts(&self, context: &Context<'_>) -> Result<Vec<Shift>> {
        Ok(Shift::all(&self.board(context).await?.disputes))
    }

    /// How speech is grounded in what speakers wrote, and which passages are suspicious.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn grounding(&self, context: &Context<'_>) -> Result<DebateGrounding> {
        Ok(DebateGrounding::from(&self.board(context).await?.grounding))
    }

    /// The phases in order.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn phases(&self, context: &Context<'_>) -> Result<Vec<Phase>> {
        Ok(self.board(context).await?.transcript.phases.iter().map(Phase::from).collect())
    }

    /// How far the talk had come, measured after each time that it was distilled. Engines that do not distil measure
    /// nothing.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn progress(&self, context: &Context<'_>) -> Result<Vec<Signal>> {
        Ok(self.board(context).await?.progress.signals.iter().map(Signal::from).collect())
    }

    /// What a moderator whispered: the hints that a turn was taken on, in order, and the one for the turn that is to come.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn hints(&self, context: &Context<'_>) -> Result<Vec<Hint>> {
        Ok(Hint::all(&self.board(context).await?.transcript))
    }

    /// What participants themselves hold to be the crux, in the order in which they said so.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn crux_proposals(&self, context: &Context<'_>) -> Result<Vec<CruxProposal>> {
        let cruxes = &self.board(context).await?.crux_proposals.cruxes;
        Ok(cruxes.iter().map(|(id, it)| CruxProposal::new(*id, it)).collect())
    }

    /// Rooms in which a disagreement is talked out beside the main channel, in the order in which they were opened. No verdict
    /// rests on them.
    #[graphql(complexity = "FOLD + ROOMS * child_complexity")]
    async fn rooms(&self, context: &Context<'_>) -> Result<Vec<Room>> {
        Ok(Room::all(&self.board(context).await?.rooms, &Arc::new(self.clone())))
    }

    /// Claims that were checked, in the order of the checks. No verdict rests on what a checker says.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn fact_checks(&self, context: &Context<'_>) -> Result<Vec<FactCheck>> {
        Ok(self.board(context).await?.fact_checks.checks.values().map(FactCheck::from).collect())
    }

    /// Disputes in the order in which they were raised.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn disputes(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Only these; all where nothing is said.")] status: Option<DisputeStatus>,
    ) -> Result<Vec<Dispute>> {
        let all = Dispute::all(self.board(context).await?);
        Ok(all.filter(|it| status.is_none_or(|status| it.status == status)).collect())
    }

    /// What the disagreement turns on, most telling first.
    #[graphql(complexity = "FOLD + CRUXES * child_complexity")]
    async fn cruxes(
        &self,
        context: &Context<'_>,
        #[graphql(default = false, desc = "Whether those that were resolved are told too, behind the others.")]
        resolved: bool,
    ) -> Result<Items<Arc<Crux>>> {
        let house = Arc::new(self.clone());
        if let Some(rows) = self.siblings.cruxes(context, self.debate).await? {
            let told = rows.iter().map(|it| Crux::of_row(it, House::Known(Arc::clone(&house))));
            let told = told.collect::<Result<Vec<_>, _>>().map_err(|it| from_fault(&it))?;
            return Ok(Items(told.into_iter().filter(|it| resolved || it.is_open()).map(Arc::new).collect()));
        }
        let verdict = self.verdict(context).await?;
        let n_open = verdict.cruxes.len();
        let cruxes = (1..).zip(verdict.all_cruxes()).filter(|(rank, _)| resolved || *rank <= n_open);
        let mut told = Vec::new();
        for (rank, it) in cruxes {
            told.push(Arc::new(self.placed(context, rank, it, Arc::clone(&house)).await?));
        }
        Ok(Items(told))
    }

    /// What is held in common: said by each in a turn of their own, and denied by nobody.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn common_ground(&self, context: &Context<'_>) -> Result<Vec<CommonGround>> {
        Ok(self.verdict(context).await?.common_ground.iter().map(CommonGround::from).collect())
    }

    /// Who stands together: the preferred extensions, told by persona.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn camps(&self, context: &Context<'_>) -> Result<Vec<Camp>> {
        Ok(self.verdict(context).await?.camps.iter().map(Camp::from).collect())
    }

    /// Whether these are all camps: false where somebody is tied among more than 64, or the search for positions was given
    /// up.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn camps_exact(&self, context: &Context<'_>) -> Result<bool> {
        Ok(self.verdict(context).await?.camps_exact)
    }

    /// The state of the debate as a whole, and why it is called so.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn regime(&self, context: &Context<'_>) -> Result<Regime> {
        let it = &self.verdict(context).await?;
        Ok(Regime::new(&it.regime, it.limit.clone(), it.last_word, &it.algorithm))
    }

    /// How many preferred extensions there are, as a decimal number; behind `at least` where the search was given up.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn n_extensions(&self, context: &Context<'_>) -> Result<String> {
        Ok(self.verdict(context).await?.n_extensions.clone())
    }

    /// Proposals in the order in which they were made.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn proposals(&self, context: &Context<'_>) -> Result<Vec<Proposal>> {
        Ok(self.board(context).await?.proposals.proposals.iter().map(Proposal::from).collect())
    }
}

/// A page size within its limits.
///
/// # Errors
/// `INVALID` where it is not.
pub fn page_size(first: i32) -> Result<i32> {
    if (1..=MAX_PAGE).contains(&first) { Ok(first) } else { Err(invalid(&format!("a page has 1 to {MAX_PAGE} items"))) }
}

/// How often the fields of a list's items are counted.
pub fn listed(size: Option<i32>) -> usize {
    size.map_or(DEFAULT_PAGE, |it| it.clamp(0, MAX_PAGE) as usize)
}

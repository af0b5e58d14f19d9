//! GraphQL type of a debate. Its summary is available at once; everything else is folded on demand.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_graphql::{ComplexObject, Context, ID, Result, SimpleObject};
use chrono::{DateTime, Utc};
use tokio::sync::OnceCell;

use crate::api::error::{from_desk, from_fault, invalid};
use crate::api::json::direct_json::List;
use crate::api::pages::stream_pages;
use crate::api::paging::PageArguments;
use crate::api::types::argument::{Argument, Attack, Label, Reasons};
use crate::api::types::concession::Concession;
use crate::api::types::crux::{Crux, DebateRef, RankedCrux};
use crate::api::types::debate_loader::DebateBatch;
use crate::api::types::dispute::Dispute;
use crate::api::types::event::EventConnection;
use crate::api::types::extensions;
use crate::api::types::extensions::Extensions;
use crate::api::types::fact_check::FactCheck;
use crate::api::types::grounding::DebateGrounding;
use crate::api::types::participant::Participant;
use crate::api::types::proposal::Proposal;
use crate::api::types::room::Room;
use crate::api::types::scalars::{DebateStatus, DisputeStatus, Semantics};
use crate::api::types::talk::{CruxProposal, Hint, Phase, Shift, Signal};
use crate::api::types::turns::TurnConnection;
use crate::api::types::usage::Usage;
use crate::api::types::verdict::{Camp, CommonGround, Regime};
use crate::api::types::what_if::{WhatIf, WhatIfAttack, change};
use crate::service::service::DebateService;
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::projections::summary;
use faultline_core::projections::summary::Summary;
use faultline_core::verdicts::concessions::concessions;
use faultline_core::verdicts::crux_id::CruxKey;
use faultline_core::verdicts::cruxes;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::verdict::Verdict;
use faultline_core::verdicts::voice_attribution::Attribution;

/// Maximum page size of any list.
pub const MAX_PAGE: i32 = 100;
/// Default page size.
pub const DEFAULT_PAGE: usize = 20;
/// Complexity of a field that requires folding a debate.
pub const FOLD_COMPLEXITY: usize = 50;
/// Complexity of a field that requires a search.
pub const SEARCH_COMPLEXITY: usize = 1_000;
/// Assumed number of cruxes per debate in complexity estimates: each leads back to the debate.
pub const CRUXES: usize = 20;
/// Assumed number of rooms per debate in complexity estimates: each leads to its turns.
const ROOMS: usize = 5;

/// A debate at one version.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct Debate {
    /// Id of the debate.
    pub(crate) id: ID,
    /// Origin of a fork; null for other debates.
    origin: Option<Origin>,
    /// Topic.
    topic: String,
    /// Name of the engine that runs it.
    engine: String,
    /// Revision of the engine when the debate was opened.
    engine_revision: i32,
    /// Name of the model provider.
    provider: String,
    /// Seed of its random choices.
    seed: String,
    /// Status.
    status: DebateStatus,
    /// Current phase, as named by the engine.
    phase: Option<String>,
    /// Current round.
    round: Option<u32>,
    /// Version of its latest event. Subscribe with this version as `after` to receive all later events.
    version: i64,
    /// Time at which it was opened.
    opened_at: DateTime<Utc>,
    /// Time at which its latest event was recorded.
    updated_at: DateTime<Utc>,
    /// Time at which it ended.
    ended_at: Option<DateTime<Utc>>,
    /// Outcome, if it ended.
    outcome: Option<Outcome>,
    /// Number of turns taken by participants.
    n_turns: u32,
    /// Costs.
    usage: Usage,
    #[graphql(skip)]
    debate: DebateId,
    #[graphql(skip)]
    siblings: Arc<DebateBatch>,
    #[graphql(skip)]
    pub(crate) cast: Arc<[summary::Participant]>,
    #[graphql(skip)]
    heard: Arc<OnceCell<BTreeMap<PersonaId, Attribution>>>,
}

/// Origin of a fork.
#[derive(SimpleObject, Clone)]
pub struct Origin {
    /// Id of the debate that was forked.
    debate_id: ID,
    /// Last version that both debates share.
    at: i64,
}

/// Outcome of a debate.
#[derive(SimpleObject, Clone)]
pub struct Outcome {
    /// `converged`, `limit`, `cycle`, `stalled` or `aborted`.
    kind: String,
    /// Explanation.
    reason: String,
}

impl Debate {
    /// Builds a debate from a read model, at the requested version or that of the read model.
    ///
    /// # Errors
    /// `INVALID` if the debate has no opening event.
    pub fn from_read_model(board: DebateReadModel, at: Option<i64>) -> Result<Debate> {
        let summary = board.summary.clone();
        debug_assert!(at.is_none_or(|it| it >= summary.version), "the read model is not newer than requested");
        let id = summary.debate.ok_or_else(|| invalid("the debate has no opening event"))?;
        Debate::from_summary(&summary, Arc::new(DebateBatch::folded(id, board)))
    }

    /// Builds a debate from its summary. Everything else is read on demand, together with that of the debates in the
    /// same batch.
    ///
    /// # Errors
    /// `INVALID` if the debate has no opening event.
    pub fn from_summary(summary: &Summary, siblings: Arc<DebateBatch>) -> Result<Debate> {
        let (Some(id), Some(opened_at)) = (summary.debate, summary.opened_at) else {
            return Err(invalid("the debate has no opening event"));
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

    /// Returns the read model, folded once for all fields.
    pub(crate) async fn board(&self, context: &Context<'_>) -> Result<&Arc<DebateReadModel>> {
        self.siblings.board(context, self.debate).await
    }

    /// Returns the voice attribution of the participants, computed once for all fields.
    pub(crate) async fn sounds(&self, context: &Context<'_>) -> Result<&BTreeMap<PersonaId, Attribution>> {
        let listen = async || {
            let board = self.board(context).await?;
            context.data::<DebateService>()?.voice_attributions(board).await.map_err(from_desk)
        };
        self.heard.get_or_try_init(listen).await
    }

    /// Returns the crux with this key, if the debate still has it.
    pub(crate) async fn crux(self, context: &Context<'_>, key: CruxKey) -> Result<Option<Crux>> {
        let house = Arc::new(self);
        let verdict = house.verdict(context).await?;
        match (1..).zip(verdict.all_cruxes()).find(|(_, it)| it.key == key) {
            Some((rank, it)) => house.ranked_crux(context, rank, it, Arc::clone(&house)).await.map(Some),
            None => Ok(None),
        }
    }

    pub(crate) async fn ranked_crux(
        &self,
        context: &Context<'_>,
        rank: usize,
        crux: &cruxes::Crux,
        house: Arc<Debate>,
    ) -> Result<Crux> {
        let times = crux.times(&self.board(context).await?.transcript, self.opened_at);
        Ok(Crux::new(RankedCrux { debate: self.debate, rank, crux, times }, DebateRef::Known(house)))
    }

    /// Returns the verdict, computed once, on the compute pool.
    pub(crate) async fn verdict(&self, context: &Context<'_>) -> Result<&Arc<Verdict>> {
        self.siblings.verdict(context, self.debate).await
    }
}

/// Fields that require folding the debate. Each has a complexity above 1.
#[ComplexObject]
impl Debate {
    /// Participants in speaking order.
    #[graphql(complexity = "child_complexity")]
    async fn participants(&self) -> Vec<Participant> {
        let debate = Arc::new(self.clone());
        self.cast.iter().map(|it| Participant::new(it, Arc::clone(&debate))).collect()
    }

    /// Turns in order.
    #[graphql(complexity = "FOLD_COMPLEXITY + assumed_page_size(first.or(last)) * child_complexity")]
    async fn turns(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "Number of turns from the start, or after `after`: 1 to 100; default 20, unless `last` is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only turns after this cursor. Requires `first`.")] after: Option<String>,
        #[graphql(desc = "Number of turns from the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only turns before this cursor. Requires `last`.")] before: Option<String>,
    ) -> Result<TurnConnection> {
        let page = PageArguments { first, after, last, before }.page()?;
        stream_pages::turns(&self.board(context).await?.transcript.turns, &page)
    }

    /// Events in order, up to the version of the debate.
    #[graphql(complexity = "FOLD_COMPLEXITY + assumed_page_size(first.or(last)) * child_complexity")]
    async fn events(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "Number of events from the start, or after `after`: 1 to 100; default 20, unless `last` is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only events after this cursor. Requires `first`.")] after: Option<String>,
        #[graphql(desc = "Number of events from the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only events before this cursor. Requires `last`.")] before: Option<String>,
        #[graphql(desc = "Only events of these kinds, such as `turn_taken`.")] kinds: Option<Vec<String>>,
    ) -> Result<EventConnection> {
        let page = PageArguments { first, after, last, before }.page()?;
        let kinds = stream_pages::known_kinds(kinds)?;
        stream_pages::events(context, &self.siblings, (self.debate, self.version), &page, kinds.as_deref()).await
    }

    /// All arguments ever advanced, in order.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn arguments(&self, context: &Context<'_>) -> Result<Vec<Argument>> {
        let labels = &self.verdict(context).await?.labels;
        let board = self.board(context).await?;
        let (graph, reasons) = (&board.arguments, Reasons::new(Arc::clone(board)));
        let told = graph.arguments.iter();
        Ok(told.map(|(id, it)| Argument::new(it, graph.is_live(*id), labels.get(id).copied(), &reasons)).collect())
    }

    /// All attacks ever raised, in order.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn attacks(&self, context: &Context<'_>) -> Result<Vec<Attack>> {
        Ok(self.board(context).await?.arguments.attacks.values().map(Attack::from).collect())
    }

    /// Labels of all arguments that count. Under a semantics with several extensions: `IN` if the argument is in all of
    /// them, `OUT` if all of them attack it, otherwise `UNDEC`, also if there is no extension.
    #[graphql(complexity = "SEARCH_COMPLEXITY + child_complexity")]
    async fn labelling(
        &self,
        context: &Context<'_>,
        #[graphql(default_with = "Semantics::Grounded", desc = "Semantics of the labels.")] semantics: Semantics,
    ) -> Result<Vec<Label>> {
        extensions::labelling(context, self, semantics.into()).await
    }

    /// Extensions: the sets of arguments that are accepted together.
    #[graphql(complexity = "SEARCH_COMPLEXITY + child_complexity")]
    async fn extensions(
        &self,
        context: &Context<'_>,
        #[graphql(default_with = "Semantics::Preferred", desc = "Semantics of the sets.")] semantics: Semantics,
        #[graphql(default = 100, desc = "Maximum number of sets to list: 1 to 1000.")] limit: i32,
    ) -> Result<Extensions> {
        Extensions::of(context, self, semantics.into(), limit).await
    }

    /// Computes the effects of withdrawing arguments and adding attacks, without changing the debate.
    #[graphql(complexity = "SEARCH_COMPLEXITY + CRUXES * child_complexity")]
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

    /// Concessions in the order of their turns. A participant who takes the other side of a dispute makes a concession,
    /// even if nobody calls it one.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn concessions(&self, context: &Context<'_>) -> Result<Vec<Concession>> {
        let board = self.board(context).await?;
        let all = concessions(&board.concessions, &board.disputes);
        Ok(all.iter().map(|it| Concession::new(it, &board.transcript)).collect())
    }

    /// First and last stance of each participant on each dispute, from the opening to the end, ordered by dispute. A
    /// participant without a stance on a dispute is omitted there.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn shifts(&self, context: &Context<'_>) -> Result<Vec<Shift>> {
        Ok(Shift::all(&self.board(context).await?.disputes))
    }

    /// Grounding of the speech in the speakers' own texts, and suspicious passages.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn grounding(&self, context: &Context<'_>) -> Result<DebateGrounding> {
        Ok(DebateGrounding::from(&self.board(context).await?.grounding))
    }

    /// Phases in order.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn phases(&self, context: &Context<'_>) -> Result<Vec<Phase>> {
        Ok(self.board(context).await?.transcript.phases.iter().map(Phase::from).collect())
    }

    /// Progress signals, measured after each distillation of the talk. Engines that do not distil measure nothing.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn progress(&self, context: &Context<'_>) -> Result<Vec<Signal>> {
        Ok(self.board(context).await?.progress.signals.iter().map(Signal::from).collect())
    }

    /// Hints given by a moderator: those on which a turn was taken, in order, and the one for the next turn.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn hints(&self, context: &Context<'_>) -> Result<Vec<Hint>> {
        Ok(Hint::all(&self.board(context).await?.transcript))
    }

    /// Cruxes that participants proposed themselves, in order.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn crux_proposals(&self, context: &Context<'_>) -> Result<Vec<CruxProposal>> {
        let cruxes = &self.board(context).await?.crux_proposals.cruxes;
        Ok(cruxes.iter().map(|(id, it)| CruxProposal::new(*id, it)).collect())
    }

    /// Rooms in which a disagreement is discussed beside the main channel, in the order of opening. Verdicts do not
    /// depend on them.
    #[graphql(complexity = "FOLD_COMPLEXITY + ROOMS * child_complexity")]
    async fn rooms(&self, context: &Context<'_>) -> Result<Vec<Room>> {
        Ok(Room::all(&self.board(context).await?.rooms, &Arc::new(self.clone())))
    }

    /// Fact checks in order. Verdicts do not depend on them.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn fact_checks(&self, context: &Context<'_>) -> Result<Vec<FactCheck>> {
        Ok(self.board(context).await?.fact_checks.checks.values().map(FactCheck::from).collect())
    }

    /// Disputes in the order in which they were raised.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn disputes(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Only disputes with this status; by default all.")] status: Option<DisputeStatus>,
    ) -> Result<Vec<Dispute>> {
        let all = Dispute::all(self.board(context).await?);
        Ok(all.filter(|it| status.is_none_or(|status| it.status == status)).collect())
    }

    /// Cruxes of the disagreement, highest rank first.
    #[graphql(complexity = "FOLD_COMPLEXITY + CRUXES * child_complexity")]
    async fn cruxes(
        &self,
        context: &Context<'_>,
        #[graphql(default = false, desc = "Whether to include resolved cruxes, after the others.")] resolved: bool,
    ) -> Result<List<Arc<Crux>>> {
        let house = Arc::new(self.clone());
        if let Some(rows) = self.siblings.cruxes(context, self.debate).await? {
            let told = rows.iter().map(|it| Crux::of_row(it, DebateRef::Known(Arc::clone(&house))));
            let told = told.collect::<Result<Vec<_>, _>>().map_err(|it| from_fault(&it))?;
            return Ok(List(told.into_iter().filter(|it| resolved || it.is_open()).map(Arc::new).collect()));
        }
        let verdict = self.verdict(context).await?;
        let n_open = verdict.cruxes.len();
        let cruxes = (1..).zip(verdict.all_cruxes()).filter(|(rank, _)| resolved || *rank <= n_open);
        let mut told = Vec::new();
        for (rank, it) in cruxes {
            told.push(Arc::new(self.ranked_crux(context, rank, it, Arc::clone(&house)).await?));
        }
        Ok(List(told))
    }

    /// Common ground: points that each participant stated in a turn of their own and nobody denied.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn common_ground(&self, context: &Context<'_>) -> Result<Vec<CommonGround>> {
        Ok(self.verdict(context).await?.common_ground.iter().map(CommonGround::from).collect())
    }

    /// Camps: the preferred extensions, grouped by persona.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn camps(&self, context: &Context<'_>) -> Result<Vec<Camp>> {
        Ok(self.verdict(context).await?.camps.iter().map(Camp::from).collect())
    }

    /// True if `camps` is complete; false if a participant is tied among more than 64 camps, or the search for
    /// extensions was stopped early.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn camps_exact(&self, context: &Context<'_>) -> Result<bool> {
        Ok(self.verdict(context).await?.camps_exact)
    }

    /// Overall state of the debate, with an explanation.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn regime(&self, context: &Context<'_>) -> Result<Regime> {
        let it = &self.verdict(context).await?;
        Ok(Regime::new(&it.regime, it.limit.clone(), it.last_word, &it.algorithm))
    }

    /// Number of preferred extensions as a decimal number, after `at least` if the search was stopped early.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn n_extensions(&self, context: &Context<'_>) -> Result<String> {
        Ok(self.verdict(context).await?.n_extensions.clone())
    }

    /// Proposals in order.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn proposals(&self, context: &Context<'_>) -> Result<Vec<Proposal>> {
        Ok(self.board(context).await?.proposals.proposals.iter().map(Proposal::from).collect())
    }
}

/// Checks a page size.
///
/// # Errors
/// `INVALID` if it is out of range.
pub fn page_size(first: i32) -> Result<i32> {
    if (1..=MAX_PAGE).contains(&first) { Ok(first) } else { Err(invalid(&format!("a page has 1 to {MAX_PAGE} items"))) }
}

/// Returns the number of items for which the fields of a list are counted in complexity estimates.
pub fn assumed_page_size(size: Option<i32>) -> usize {
    size.map_or(DEFAULT_PAGE, |it| it.clamp(0, MAX_PAGE) as usize)
}

//! What a client may ask.

use std::sync::Arc;

use async_graphql::{Context, ID, Object, Result};

use crate::api::crux_pages;
use crate::api::debate_pages;
use crate::api::dispute_pages;
use crate::api::error::{coded, from_desk, from_fault, from_misnamed, from_refusal, invalid};
use crate::api::guard::FORBIDDEN;
use crate::api::log_pages;
use crate::api::paging::Asked;
use crate::api::role::Role;
use crate::api::types::compare::DebateDiff;
use crate::api::types::crux::{Crux, CruxConnection, CruxFilter, CruxOrder};
use crate::api::types::debate::{Debate, FOLD, SEARCH, listed};
use crate::api::types::dispute_list::{DisputeConnection, DisputeFilter};
use crate::api::types::erasure::Erasure;
use crate::api::types::event::EventConnection;
use crate::api::types::input::DebateFilter;
use crate::api::types::list::{DebateConnection, DebateOrder};
use crate::api::types::node::{self, NODES, Named, Node};
use crate::api::types::passage::PassageHit;
use crate::api::types::persona::{Engine, Persona, Provider};
use crate::api::types::projection::{NAME, Projection};
use crate::api::types::recurring::CruxCluster;
use crate::api::types::siblings::Siblings;
use crate::api::types::versions::folded;
use crate::desk::desk::Desk;
use crate::desk::passages::FIRST;
use crate::engines::registry::ENGINES;
use crate::events::ids::{DebateId, PersonaId};
use crate::kernel::engine::Refusal;
use crate::projections::summary::Summary;
use crate::store::cruxes;
use crate::store::debates::{Filter, SEARCH_CHARS};
use crate::store::editions::meant;
use crate::store::views::Views;
use crate::verdicts::board::REVISION;
use crate::verdicts::crux_name::{CruxName, NoCruxName};

/// What a client may ask.
pub struct Query;

/// What a client may ask.
#[Object]
impl Query {
    /// A debate as it is now, or as of a version; none where there is no such debate.
    async fn debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The debate's name.")] id: ID,
        #[graphql(desc = "A version, from 1 to the last.")] at: Option<i64>,
    ) -> Result<Option<Debate>> {
        let debate: DebateId = id.parse().map_err(|it| from_misnamed(&it))?;
        debate_at(context, debate, at).await
    }

    /// What has a name of its own in the whole service, by that name; none where there is nothing of it. Debates and cruxes
    /// are as they are now.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn node(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The name: of a debate, a crux or a persona.")] id: ID,
    ) -> Result<Option<Node>> {
        Ok(match Named::read(&id) {
            None => None,
            Some(Named::Debate(id)) => debate_at(context, id, None).await?.map(|it| Node::Debate(Arc::new(it))),
            Some(Named::Crux(name)) => crux_now(context, name).await?.map(|it| Node::Crux(Arc::new(it))),
            Some(Named::Persona(id)) => node::persona(context, &id)?.map(Arc::new).map(Node::Persona),
        })
    }

    /// The same for several names at once, in their order. Debates and cruxes are as lists have them, with a short delay.
    #[graphql(complexity = "FOLD + ids.len().min(NODES) * child_complexity")]
    async fn nodes(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The names, at most 100.")] ids: Vec<ID>,
    ) -> Result<Vec<Option<Node>>> {
        node::all(context, &ids).await
    }

    /// What differs between two versions of a debate: labels, stances, cruxes, common ground. With another debate, such as
    /// a fork, `to` is a version of that one.
    #[graphql(complexity = "SEARCH + child_complexity")]
    async fn compare(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The debate's name.")] debate: ID,
        #[graphql(desc = "A version, from 1 to the last.")] from: i64,
        #[graphql(desc = "A version, from 1 to the last.")] to: i64,
        #[graphql(desc = "The debate that `to` is a version of; the same where none is named.")] with: Option<ID>,
    ) -> Result<DebateDiff> {
        let other: DebateId = with.as_ref().unwrap_or(&debate).parse().map_err(|it| from_misnamed(&it))?;
        let debate: DebateId = debate.parse().map_err(|it| from_misnamed(&it))?;
        let from = folded(context, debate, Some(from)).await?;
        let to = folded(context, other, Some(to)).await?;
        DebateDiff::of(context, from, to).await
    }

    /// Debates, newest first where no order is asked for. The list follows the log with a short delay; a debate itself never does.
    #[graphql(complexity = "FOLD + listed(first.or(last)) * child_complexity")]
    #[expect(clippy::too_many_arguments, reason = "each is an argument of the field")]
    async fn debates(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "So many from the newest, or from `after`: 1 to 100; 20 where neither first nor last is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only debates behind this cursor, which are older. Goes with first.")] after: Option<String>,
        #[graphql(desc = "So many before the oldest, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only debates before this cursor, which are newer. Goes with last.")] before: Option<String>,
        #[graphql(desc = "Only debates to which all of it applies.")] filter: Option<DebateFilter>,
        #[graphql(desc = "In which order; NEWEST where nothing is said. A cursor is of one order.")] order_by: Option<
            DebateOrder,
        >,
    ) -> Result<DebateConnection> {
        let filter = wanted(filter.unwrap_or_default())?;
        let order = order_by.unwrap_or(DebateOrder::Newest).into();
        debate_pages::page(context, &filter, order, Asked { first, after, last, before }.page()?).await
    }

    /// Every event of every debate. Those of one debate come in their order, and none is missed or told twice by whoever
    /// goes on from a cursor; debates are told side by side.
    #[graphql(complexity = "FOLD + listed(first) * child_complexity")]
    async fn log(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "Only events behind this cursor. Where a page is the last, go on from its end cursor later: what is \
                    recorded then comes behind it."
        )]
        after: Option<String>,
        #[graphql(desc = "So many: 1 to 100; 20 where nothing is said.")] first: Option<i32>,
        #[graphql(
            desc = "Only events of these kinds: `turn_taken`. Where they are rare, a page may hold fewer than asked for \
                    and have a next one all the same."
        )]
        kinds: Option<Vec<String>>,
    ) -> Result<EventConnection> {
        log_pages::page(context, after, first, kinds).await
    }

    /// What was erased, the latest first: never what it said. Where tokens are asked for, it takes an admin's.
    #[graphql(complexity = "FOLD + listed(Some(first)) * child_complexity")]
    async fn erasures(
        &self,
        context: &Context<'_>,
        #[graphql(default = 100, desc = "So many at most: 1 to 500.")] first: i32,
    ) -> Result<Vec<Erasure>> {
        if *context.data::<Role>()? < Role::Admin {
            return Err(coded("to see what was erased takes a token of the role admin", FORBIDDEN));
        }
        if !(1..=500).contains(&first) {
            return Err(invalid("first is 1 to 500"));
        }
        let erased = context.data::<Desk>()?.log().erasures(first.into()).await.map_err(|it| from_fault(&it))?;
        Ok(erased.into_iter().map(Erasure::from).collect())
    }

    /// A crux by its name, computed from its debate as it is now; none where there is no such debate, or it is no crux of
    /// it any more.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn crux(&self, context: &Context<'_>, #[graphql(desc = "The crux's name.")] id: ID) -> Result<Option<Crux>> {
        crux_now(context, id.parse().map_err(|it: NoCruxName| invalid(&it.to_string()))?).await
    }

    /// Cruxes of all debates. The list follows the log with a short delay; a single crux never does.
    #[graphql(complexity = "FOLD + listed(first.or(last)) * child_complexity")]
    #[expect(clippy::too_many_arguments, reason = "each is an argument of the field")]
    async fn cruxes(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "So many from the top, or from `after`: 1 to 100; 20 where neither first nor last is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only cruxes behind this cursor. Goes with first.")] after: Option<String>,
        #[graphql(desc = "So many from the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only cruxes before this cursor. Goes with last.")] before: Option<String>,
        #[graphql(desc = "Only cruxes to which all of it applies.")] filter: Option<CruxFilter>,
        #[graphql(
            desc = "Only cruxes that ask what is searched for: by meaning and by words, what fits best first. Phrases in \
                    quotes, and `-` before what is not wanted. At most 200 characters, and 300 questions a way of \
                    ranking. What fits best moves as debates go on and texts are embedded, so that pages read meanwhile can \
                    repeat or miss one. With an order other than RELEVANCE, only cruxes whose words match."
        )]
        search: Option<String>,
        #[graphql(
            desc = "In which order; RELEVANCE for a search and NEWEST else, where nothing is said. A cursor is of \
                          one order, and of one search."
        )]
        order_by: Option<CruxOrder>,
    ) -> Result<CruxConnection> {
        let mut filter = crux_pages::wanted(filter.unwrap_or_default(), search)?;
        let page = Asked { first, after, last, before }.page()?;
        let order = order_by.unwrap_or(if filter.search.is_some() { CruxOrder::Relevance } else { CruxOrder::Newest });
        match (order.listed(), filter.search.take()) {
            (Some(order), search) => {
                crux_pages::page(context, &cruxes::CruxFilter { search, ..filter }, order, page).await
            }
            (None, Some(search)) => crux_pages::found_page(context, &filter, &search, page).await,
            (None, None) => Err(invalid("RELEVANCE is an order for a search; say what is searched for")),
        }
    }

    /// Disputes of all debates, newest first; with a search, what fits best first. The list follows the log with a short
    /// delay; a debate itself never does.
    #[graphql(complexity = "FOLD + listed(first.or(last)) * child_complexity")]
    #[expect(clippy::too_many_arguments, reason = "each is an argument of the field")]
    async fn disputes(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "So many from the top, or from `after`: 1 to 100; 20 where neither first nor last is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only disputes behind this cursor. Goes with first.")] after: Option<String>,
        #[graphql(desc = "So many from the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only disputes before this cursor. Goes with last.")] before: Option<String>,
        #[graphql(desc = "Only disputes to which all of it applies.")] filter: Option<DisputeFilter>,
        #[graphql(
            desc = "Only disputes that ask what is searched for: by meaning and by words, what fits best first. Phrases in \
                    quotes, and `-` before what is not wanted. At most 200 characters, and 300 questions a way of ranking. \
                    What fits best moves as debates go on and texts are embedded, so that pages read meanwhile can \
                    repeat or miss one."
        )]
        search: Option<String>,
    ) -> Result<DisputeConnection> {
        let page = Asked { first, after, last, before }.page()?;
        dispute_pages::page(context, filter.unwrap_or_default(), search, page).await
    }

    /// Questions that cruxes of several debates ask, in the same words or in others: those of most debates first. Which
    /// questions are the same is decided by a rule whose precision and recall were measured; two that turn each other
    /// round are told as opposites, and not put together.
    #[graphql(complexity = "SEARCH + listed(first) * child_complexity")]
    async fn recurring_cruxes(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "So many at most: 1 to 100; 20 where nothing is said.")] first: Option<i32>,
        #[graphql(desc = "Only cruxes to which all of it applies.")] filter: Option<CruxFilter>,
    ) -> Result<Vec<CruxCluster>> {
        let filter = crux_pages::wanted(filter.unwrap_or_default(), None)?;
        CruxCluster::listed(context, &filter, first).await
    }

    /// Who can take part.
    async fn personas(&self, context: &Context<'_>) -> Result<Vec<Persona>> {
        Ok(context.data::<Desk>()?.roster().personas.values().map(Persona::from).collect())
    }

    /// A persona by its id; none where there is no such persona.
    async fn persona(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The persona's name for machines.")] id: ID,
        #[graphql(
            desc = "As it was in this version: one of `versions`, or a number raised by hand, of which the last met \
                    counts. As its file has it where none is given."
        )]
        version: Option<String>,
    ) -> Result<Option<Persona>> {
        let Ok(id) = id.parse::<PersonaId>() else { return Ok(None) };
        let file = context.data::<Desk>()?.roster().personas.get(&id);
        let Some(version) = version else { return Ok(file.map(Persona::from)) };
        let editions = context.data::<Views>()?.editions(&id).await.map_err(|it| from_fault(&it))?;
        let topics = file.map(|it| it.topics.clone()).unwrap_or_default();
        Ok(meant(&editions, &version).map(|it| Persona::new(&it.persona, topics)))
    }

    /// Passages of what personas wrote, found by meaning and by words at once, the best first. No more than four of one
    /// document come before those of others, and what says the same nearly word for word is folded into one.
    #[graphql(complexity = "SEARCH + first.map_or(FIRST, |it| it.clamp(0, 50) as usize) * child_complexity")]
    async fn passages(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "A question, or words: phrases in quotes stand together, and `-` before what is not wanted. At most \
                    1,000 characters."
        )]
        search: String,
        #[graphql(desc = "Only what this persona wrote.")] persona_id: Option<ID>,
        #[graphql(desc = "So many passages at the most: 1 to 50; 10 where nothing is given.")] first: Option<i32>,
    ) -> Result<Vec<PassageHit>> {
        let desk = context.data::<Desk>()?;
        let refused = |it: Refusal| from_refusal(&it);
        let persona = persona_id.map(|it| desk.roster().persona(&it)).transpose().map_err(refused)?;
        let first = first.map_or(FIRST, |it| usize::try_from(it).unwrap_or(0));
        let persona = persona.map(|it| &it.persona.id);
        let found = desk.passages().map_err(refused)?.search(&search, persona, first).await.map_err(from_desk)?;
        Ok(found.into_iter().map(|it| PassageHit::of(it, &desk.roster().personas)).collect())
    }

    /// The ways to debate.
    async fn engines(&self) -> Vec<Engine> {
        ENGINES.iter().map(Engine::from).collect()
    }

    /// The stored views that lists are read from, and how far they are.
    async fn projections(&self, context: &Context<'_>) -> Result<Vec<Projection>> {
        Ok(vec![Projection::of(context.data::<Views>()?, NAME).await?])
    }

    /// Whoever answers, in order of preference.
    async fn providers(&self, context: &Context<'_>) -> Result<Vec<Provider>> {
        Ok(context.data::<Desk>()?.roster().providers.iter().map(Provider::from).collect())
    }
}

/// A debate as it is now, or as of a version. Where what is stored of it is as far as its stream, nothing has to be folded:
/// the one is the fold of the other.
async fn debate_at(context: &Context<'_>, debate: DebateId, at: Option<i64>) -> Result<Option<Debate>> {
    if at.is_none() {
        let known = context.data::<Views>()?.known(debate).await.map_err(|it| from_fault(&it))?;
        let current = known.filter(|it| it.version == it.head && it.revision == REVISION);
        let summary = current.as_ref().and_then(|it| serde_json::from_str::<Summary>(&it.body).ok());
        if let (Some(known), Some(summary)) = (current, summary) {
            let siblings = Siblings::listed(known.generation, vec![(debate, known.version)]);
            return Debate::of_summary(&summary, Arc::new(siblings)).map(Some);
        }
    }
    if_found(folded(context, debate, at).await)
}

/// A crux, computed from its debate as it is now.
async fn crux_now(context: &Context<'_>, CruxName { debate, key }: CruxName) -> Result<Option<Crux>> {
    match if_found(folded(context, debate, None).await)? {
        Some(debate) => debate.crux(context, key).await,
        None => Ok(None),
    }
}

fn wanted(filter: DebateFilter) -> Result<Filter> {
    let persona = filter.persona.map(|it| it.parse()).transpose().map_err(|it| from_misnamed(&it))?;
    if filter.search.as_ref().is_some_and(|it| it.chars().count() > SEARCH_CHARS) {
        return Err(coded(&format!("at most {SEARCH_CHARS} characters are searched for"), "LIMIT"));
    }
    let status = filter.status.map(|it| it.name().to_owned());
    Ok(Filter { status, engine: filter.engine, persona, topic: filter.search })
}

/// None in place of the error that there is no such debate.
fn if_found(found: Result<Debate>) -> Result<Option<Debate>> {
    match found {
        Ok(debate) => Ok(Some(debate)),
        Err(error) if error.extensions.as_ref().and_then(|it| it.get("code")) == Some(&"NOT_FOUND".into()) => Ok(None),
        Err(error) => Err(error),
    }
}

//! GraphQL queries.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_graphql::dataloader::DataLoader;
use async_graphql::{Context, ID, MergedObject, Object, Result};
use uuid::Uuid;

use crate::api::batching::debate_batch::DebateBatch;
use crate::api::complexity::{FOLD_COMPLEXITY, SEARCH_COMPLEXITY, assumed_page_size};
use crate::api::error::{field_limit, from_fault, from_refusal, from_service, invalid};
use crate::api::ids::{parse_optional_id, resolve_debate, resolve_versioned, split_version};
use crate::api::loading::folded_debates::{find_folded, folded_as};
use crate::api::loading::library_loader::LibraryLoader;
use crate::api::loading::nodes;
use crate::api::pages::{crux_pages, debate_pages, dispute_pages, log_pages};
use crate::api::paging::PageArguments;
use crate::api::schema::permissions::require_admin;
use crate::api::schema::statistics_query::StatisticsQuery;
use crate::api::types::analysis::compare::DebateDiff;
use crate::api::types::crux::crux::{Crux, CruxConnection, CruxFilter, CruxOrder};
use crate::api::types::crux::recurring::CruxCluster;
use crate::api::types::debate::debate::Debate;
use crate::api::types::debate::debate_list::{DebateConnection, DebateFilter, DebateOrder};
use crate::api::types::debate::erasure::Erasure;
use crate::api::types::dispute::dispute_list::{DisputeConnection, DisputeFilter};
use crate::api::types::event::EventConnection;
use crate::api::types::generation_diff;
use crate::api::types::generation_diff::{DiffRequest, GenerationDiff};
use crate::api::types::node::{MAX_NODES, Node, ParsedId};
use crate::api::types::persona::document::Passage;
use crate::api::types::persona::passage::PassageHit;
use crate::api::types::persona::persona::{Engine, ModelProvider, Persona};
use crate::api::types::persona::shared_corpus::SharedCorpus;
use crate::api::types::projection::{NAME, Projection};
use crate::api::types::speech::refinement::RefinementAverages;
use crate::api::types::viewer::Viewer;
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::ids::DebateId;
use faultline_core::kernel::engine::Refusal;
use faultline_core::projections::proposals;
use faultline_core::projections::summary::Summary;
use faultline_core::verdicts::crux_id::{GlobalCruxId, ParseCruxIdError};
use faultline_core::verdicts::read_model::REVISION;
use faultline_service::passage_search::FIRST;
use faultline_service::service::DebateService;
use faultline_store::views::cruxes;
use faultline_store::views::views::Views;

/// Root type of all queries.
///
/// All queries.
#[derive(MergedObject, Default)]
pub struct Query(DebateQuery, StatisticsQuery);

/// Queries of debates, personas and the log.
#[derive(Default)]
pub struct DebateQuery;

/// Queries of debates, personas and the log.
#[Object]
impl DebateQuery {
    /// Returns a debate at its latest or a given version; null if there is no such debate.
    async fn debate(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Id of the debate.")] id: ID,
        #[graphql(desc = "Version, from 1 to the latest; by default that in `id`, or else the latest.")] at: Option<
            i64,
        >,
    ) -> Result<Option<Debate>> {
        let (debate, version) = resolve_versioned(context, &id).await?;
        debate_at(context, debate, at.or(version)).await
    }

    /// Returns the object with a globally unique id; null if there is none. Debates and the objects inside them are read
    /// at the version in their id, or else at their latest version.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn node(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Id of an object that implements `Node`.")] id: ID,
    ) -> Result<Option<Node>> {
        let Some(parsed) = ParsedId::read(&id) else { return Ok(None) };
        let found = match parsed.clone() {
            ParsedId::Debate(debate, at) => debate_at(context, debate, at).await?.map(Arc::new).map(Node::Debate),
            ParsedId::Crux(name, at) => crux_at(context, name, at).await?.map(Arc::new).map(Node::Crux),
            _ => None,
        };
        match found {
            Some(node) => Ok(Some(node)),
            None => nodes::other(context, &id, &parsed).await,
        }
    }

    /// Returns the objects with several ids, in their order. Debates and the objects inside them are read at the version
    /// in their id; without one, debates and cruxes are read like lists, with a short delay.
    #[graphql(complexity = "FOLD_COMPLEXITY + ids.len().min(MAX_NODES) * child_complexity")]
    async fn nodes(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Ids, at most 100.")] ids: Vec<ID>,
    ) -> Result<Vec<Option<Node>>> {
        nodes::all(context, &ids).await
    }

    /// Compares two versions of a debate: the whole verdicts, and the stances. If `withDebateId` names another debate, such
    /// as a fork, `to` is a version of that debate.
    #[graphql(complexity = "SEARCH_COMPLEXITY + child_complexity")]
    async fn compare(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Id of the debate.")] debate_id: ID,
        #[graphql(desc = "Version, from 1 to the latest.")] from: i64,
        #[graphql(desc = "Version, from 1 to the latest.")] to: i64,
        #[graphql(desc = "Id of the debate that `to` is a version of; by default the same debate.")]
        with_debate_id: Option<ID>,
    ) -> Result<DebateDiff> {
        let other = resolve_debate(context, with_debate_id.as_ref().unwrap_or(&debate_id)).await?;
        let debate = resolve_debate(context, &debate_id).await?;
        let from = folded_as(context, debate, Some(from)).await?;
        let to = folded_as(context, other, Some(to)).await?;
        DebateDiff::of(context, from, to).await
    }

    /// Averages over the proposals of several debates, for example of one question refined under several settings; null if
    /// none of them has a proposal. Debates without proposals do not count.
    #[graphql(complexity = "debate_ids.len().min(MAX_NODES) * FOLD_COMPLEXITY + child_complexity")]
    async fn refinement_averages(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Ids of the debates, at most 100; a repeated id counts once.")] debate_ids: Vec<ID>,
    ) -> Result<Option<RefinementAverages>> {
        if debate_ids.len() > MAX_NODES {
            let reason = format!("too many ids: at most {MAX_NODES} per request");
            return Err(field_limit(&reason, "node_ids", MAX_NODES, debate_ids.len()));
        }
        let mut ids = BTreeSet::new();
        for id in &debate_ids {
            ids.insert(resolve_debate(context, id).await?);
        }
        let mut found = Vec::new();
        for id in ids {
            let debate = folded_as(context, id, None).await?;
            found.extend(debate.read_model(context).await?.proposals.refinement());
        }
        Ok(proposals::RefinementAverages::of(&found).map(RefinementAverages::from))
    }

    /// Lists debates, by default newest first. The list is eventually consistent, with a short delay; `debate` is
    /// always current.
    #[graphql(complexity = "FOLD_COMPLEXITY + assumed_page_size(first.or(last)) * child_complexity")]
    #[expect(clippy::too_many_arguments, reason = "each is an argument of the field")]
    async fn debates(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "Number of debates from the start, or after `after`: 1 to 100; default 20, unless `last` is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only debates after this cursor. Requires `first`.")] after: Option<String>,
        #[graphql(desc = "Number of debates from the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only debates before this cursor. Requires `last`.")] before: Option<String>,
        #[graphql(desc = "Only debates that match all conditions.")] filter: Option<DebateFilter>,
        #[graphql(desc = "Order, by default NEWEST. A cursor is valid for one order only.")] order_by: Option<
            DebateOrder,
        >,
    ) -> Result<DebateConnection> {
        let filter = debate_pages::store_filter(filter.unwrap_or_default())?;
        let order = order_by.unwrap_or(DebateOrder::Newest).into();
        debate_pages::page(context, &filter, order, PageArguments { first, after, last, before }.page()?).await
    }

    /// Lists all events of all debates. Events of one debate are in order, and continuing from a cursor neither skips
    /// nor repeats an event. Events of different debates are interleaved.
    #[graphql(complexity = "FOLD_COMPLEXITY + assumed_page_size(first) * child_complexity")]
    async fn log(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "Only events after this cursor. To poll, continue later from the end cursor of the last page: \
                    new events come after it."
        )]
        after: Option<String>,
        #[graphql(desc = "Number of events: 1 to 100; by default 20.")] first: Option<i32>,
        #[graphql(
            desc = "Only events of these kinds, such as `turn_taken`. If they are rare, a page can contain fewer \
                    than requested although there is a next page."
        )]
        kinds: Option<Vec<String>>,
    ) -> Result<EventConnection> {
        log_pages::page(context, after, first, kinds).await
    }

    /// Lists erasures, latest first. Their records contain nothing of the erased content. Requires an admin token if
    /// tokens are configured.
    #[graphql(complexity = "FOLD_COMPLEXITY + assumed_page_size(Some(first)) * child_complexity")]
    async fn erasures(
        &self,
        context: &Context<'_>,
        #[graphql(default = 100, desc = "Maximum number of records: 1 to 500.")] first: i32,
    ) -> Result<Vec<Erasure>> {
        require_admin(context, "listing erasures")?;
        if !(1..=500).contains(&first) {
            return Err(invalid("`first` must be between 1 and 500"));
        }
        let erased =
            context.data::<DebateService>()?.log().erasures(first.into()).await.map_err(|error| from_fault(&error))?;
        Ok(erased.into_iter().map(Erasure::from).collect())
    }

    /// Returns a crux by its id, computed from the version of its debate in the id, or else from the latest; null if
    /// there is no such debate, or the crux does not exist at this version.
    #[graphql(complexity = "FOLD_COMPLEXITY + child_complexity")]
    async fn crux(&self, context: &Context<'_>, #[graphql(desc = "Id of the crux.")] id: ID) -> Result<Option<Crux>> {
        let (id, at) = split_version(&id);
        crux_at(context, id.parse().map_err(|error: ParseCruxIdError| invalid(&error.to_string()))?, at).await
    }

    /// Lists cruxes of all debates. The list is eventually consistent, with a short delay; `crux` is always current.
    #[graphql(complexity = "FOLD_COMPLEXITY + assumed_page_size(first.or(last)) * child_complexity")]
    #[expect(clippy::too_many_arguments, reason = "each is an argument of the field")]
    async fn cruxes(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "Number of cruxes from the start, or after `after`: 1 to 100; default 20, unless `last` is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only cruxes after this cursor. Requires `first`.")] after: Option<String>,
        #[graphql(desc = "Number of cruxes from the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only cruxes before this cursor. Requires `last`.")] before: Option<String>,
        #[graphql(desc = "Only cruxes that match all conditions.")] filter: Option<CruxFilter>,
        #[graphql(desc = "Only cruxes of debates that match all these conditions.")] debates: Option<DebateFilter>,
        #[graphql(
            desc = "Only cruxes that match this text by meaning or by words, best match first. Quote phrases, and put \
                    `-` before words to exclude. At most 200 characters; each of the two rankings returns at most 300 \
                    questions. Ranks change while debates run and texts are embedded, so pages read meanwhile can \
                    repeat or skip a crux. With an order other than RELEVANCE, only words are matched."
        )]
        search: Option<String>,
        #[graphql(
            desc = "Order, by default RELEVANCE with `search` and NEWEST without. A cursor is valid for one order \
                          and one search only."
        )]
        order_by: Option<CruxOrder>,
    ) -> Result<CruxConnection> {
        let mut filter = crux_pages::store_filter(context, filter.unwrap_or_default(), search).await?;
        filter.debates = debates.map(debate_pages::store_filter).transpose()?;
        let page = PageArguments { first, after, last, before }.page()?;
        let order = order_by.unwrap_or(if filter.search.is_some() { CruxOrder::Relevance } else { CruxOrder::Newest });
        match (order.listed(), filter.search.take()) {
            (Some(order), search) => {
                crux_pages::page(context, &cruxes::CruxQuery { search, ..filter }, order, page).await
            }
            (None, Some(search)) => crux_pages::search_page(context, &filter, &search, page).await,
            (None, None) => Err(invalid("the order RELEVANCE requires `search`")),
        }
    }

    /// Lists disputes of all debates, newest first, or by relevance with a search. The list is eventually consistent,
    /// with a short delay; `debate` is always current.
    #[graphql(complexity = "FOLD_COMPLEXITY + assumed_page_size(first.or(last)) * child_complexity")]
    #[expect(clippy::too_many_arguments, reason = "each is an argument of the field")]
    async fn disputes(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "Number of disputes from the start, or after `after`: 1 to 100; default 20, unless `last` is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only disputes after this cursor. Requires `first`.")] after: Option<String>,
        #[graphql(desc = "Number of disputes from the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only disputes before this cursor. Requires `last`.")] before: Option<String>,
        #[graphql(desc = "Only disputes that match all conditions.")] filter: Option<DisputeFilter>,
        #[graphql(
            desc = "Only disputes that match this text by meaning or words, best match first. Quote phrases, and put \
                    `-` before words to exclude. At most 200 characters; each of the two rankings returns at most 300 \
                    questions. Ranks change while debates run and texts are embedded, so pages read meanwhile can \
                    repeat or skip a dispute."
        )]
        search: Option<String>,
    ) -> Result<DisputeConnection> {
        let page = PageArguments { first, after, last, before }.page()?;
        dispute_pages::page(context, filter.unwrap_or_default(), search, page).await
    }

    /// Lists questions that cruxes of several debates ask, in the same or in other words; those of most debates first.
    /// A rule with measured precision and recall decides which questions are the same. Two questions that negate each
    /// other are reported as opposites and not merged.
    #[graphql(complexity = "SEARCH_COMPLEXITY + assumed_page_size(first) * child_complexity")]
    async fn recurring_cruxes(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Maximum number of clusters: 1 to 100; by default 20.")] first: Option<i32>,
        #[graphql(desc = "Only cruxes that match all conditions.")] filter: Option<CruxFilter>,
        #[graphql(desc = "Only cruxes of debates that match all these conditions.")] debates: Option<DebateFilter>,
    ) -> Result<Vec<CruxCluster>> {
        let mut filter = crux_pages::store_filter(context, filter.unwrap_or_default(), None).await?;
        filter.debates = debates.map(debate_pages::store_filter).transpose()?;
        CruxCluster::listed(context, &filter, first).await
    }

    /// Lists all personas.
    async fn personas(&self, context: &Context<'_>) -> Result<Vec<Persona>> {
        Ok(context.data::<DebateService>()?.catalog().personas.values().map(Persona::from).collect())
    }

    /// Returns a persona by its id; null if there is no such persona.
    async fn persona(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Id of the persona.")] id: ID,
        #[graphql(
            desc = "Version to return: one of `versions`, or a number set by hand, which stands for the last persona \
                    recorded with that number. By default that in `id`, or else the current file."
        )]
        version: Option<String>,
    ) -> Result<Option<Persona>> {
        match ParsedId::read(&id) {
            Some(ParsedId::Persona(id, named)) => nodes::persona(context, &id, version.or(named).as_deref()).await,
            _ => Ok(None),
        }
    }

    /// Lists the shared corpora that debates can use, ordered by id.
    async fn shared_corpora(&self, context: &Context<'_>) -> Result<Vec<SharedCorpus>> {
        SharedCorpus::all(context).await
    }

    /// Searches passages of the texts that personas wrote and of shared corpora, by meaning and by words, best match first.
    /// At most four passages of one document precede those of others, and near-duplicates are merged.
    #[graphql(complexity = "SEARCH_COMPLEXITY + first.map_or(FIRST, |n| n.clamp(0, 50) as usize) * child_complexity")]
    async fn passages(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Question or words. Quote phrases, and put `-` before words to exclude. At most \
                    1,000 characters.")]
        search: String,
        #[graphql(desc = "Only passages that this persona wrote.")] persona_id: Option<ID>,
        #[graphql(desc = "Only passages of this shared corpus. Cannot be combined with `personaId`.")]
        shared_corpus_id: Option<ID>,
        #[graphql(desc = "Maximum number of passages: 1 to 50; by default 10.")] first: Option<i32>,
    ) -> Result<Vec<PassageHit>> {
        let service = context.data::<DebateService>()?;
        let refused = |refusal: Refusal| from_refusal(&refusal);
        let owner = match (&persona_id, &shared_corpus_id) {
            (None, None) => None,
            (Some(id), None) => Some(&service.catalog().persona(id).map_err(refused)?.persona.id),
            (None, Some(id)) => Some(&service.catalog().shared_corpus(id).map_err(refused)?.id),
            (Some(_), Some(_)) => return Err(invalid("`personaId` and `sharedCorpusId` exclude each other; give one")),
        };
        let first = first.map_or(FIRST, |n| usize::try_from(n).unwrap_or(0));
        let found =
            service.passage_search().map_err(refused)?.search(&search, owner, first).await.map_err(from_service)?;
        Ok(found.into_iter().map(|hit| PassageHit::of(hit, &service.catalog().personas)).collect())
    }

    /// Returns a passage of the library by its id; null if the library does not contain it.
    async fn passage(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Id of the passage, as in `Citation.passageId` and `PassageHit.chunkId`.")] id: ID,
    ) -> Result<Option<Passage>> {
        match id.parse::<Uuid>() {
            Ok(chunk) => context.data::<DataLoader<LibraryLoader>>()?.load_one(chunk).await,
            Err(_) => Ok(None),
        }
    }

    /// Returns the caller, for clients that offer only what the caller may do.
    async fn viewer(&self, context: &Context<'_>) -> Result<Viewer> {
        Viewer::of(context)
    }

    /// Lists the debate engines.
    async fn engines(&self) -> Vec<Engine> {
        ENGINES.iter().map(Engine::from).collect()
    }

    /// Lists the projections that lists are read from, and their progress.
    async fn projections(&self, context: &Context<'_>) -> Result<Vec<Projection>> {
        Ok(vec![Projection::of(context.data::<Views>()?, NAME).await?])
    }

    /// Compares the stored views of a generation with those of the served one, debate by debate in the order of their
    /// ids. Requires an admin token if tokens are configured.
    #[graphql(complexity = "SEARCH_COMPLEXITY + child_complexity")]
    async fn generation_diff(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "Id of the generation.")] id: ID,
        #[graphql(desc = "Only debates after this one, such as `endCursor` of the part before.")] after: Option<ID>,
        #[graphql(default = 1_000, desc = "Number of debates to compare, in pages of 100: 1 to 5000.")] compare: i32,
        #[graphql(default = 20, desc = "Maximum number of changed debates to list: 1 to 100.")] first: i32,
    ) -> Result<GenerationDiff> {
        require_admin(context, "comparing generations")?;
        let after = parse_optional_id(after.as_ref())?;
        let request = DiffRequest { generation: id, after, compared: compare, changed: first };
        generation_diff::diff(context.data::<Views>()?, request).await
    }

    /// Lists the model providers, in order of preference.
    async fn providers(&self, context: &Context<'_>) -> Result<Vec<ModelProvider>> {
        Ok(context.data::<DebateService>()?.catalog().providers.iter().map(ModelProvider::from).collect())
    }
}

/// Returns a debate at its latest or a given version. If the stored summary is at the head of the stream, it is current
/// and nothing has to be folded.
async fn debate_at(context: &Context<'_>, debate: DebateId, at: Option<i64>) -> Result<Option<Debate>> {
    if at.is_none() {
        let known = context.data::<Views>()?.find_summary(debate).await.map_err(|error| from_fault(&error))?;
        let current = known.filter(|summary| summary.version == summary.head && summary.revision == REVISION);
        let summary = current.as_ref().and_then(|summary| serde_json::from_str::<Summary>(&summary.body).ok());
        if let (Some(known), Some(summary)) = (current, summary) {
            let batch = DebateBatch::load_listed(known.generation, vec![(debate, known.version)]);
            return Debate::from_summary(&summary, Arc::new(batch)).map(Some);
        }
    }
    find_folded(context, debate, at).await
}

/// Returns a crux, computed from the latest or a given version of its debate.
async fn crux_at(
    context: &Context<'_>,
    GlobalCruxId { debate, key }: GlobalCruxId,
    at: Option<i64>,
) -> Result<Option<Crux>> {
    match find_folded(context, debate, at).await? {
        Some(debate) => Crux::find(context, debate, key).await,
        None => Ok(None),
    }
}

//! What a client may ask.

use async_graphql::connection::{Connection, Edge, EmptyFields, query};
use async_graphql::{Context, ID, Object, Result};

use crate::api::error::{from_desk, from_fault, from_misnamed, invalid};
use crate::api::types::debate::{Debate, MAX_PAGE};
use crate::api::types::input::DebateFilter;
use crate::api::types::persona::{Engine, Persona, Provider};
use crate::desk::desk::{Desk, DeskError};
use crate::engines::registry::ENGINES;
use crate::events::ids::{DebateId, PersonaId};
use crate::kernel::engine::RefusalKind;
use crate::projections::summary::Summary;
use crate::store::debates::{DEBATES, Filter, ListPlace, Toward};
use crate::store::views::Views;
use crate::verdicts::board::REVISION;

/// What a client may ask.
pub struct Query;

/// What a client may ask.
#[Object]
impl Query {
    /// A debate as it is now, or as of a version; none where there is no such debate.
    async fn debate(
        &self,
        context: &Context<'_>,
        id: ID,
        #[graphql(desc = "A version, from 1; beyond the last is the last.")] at: Option<i64>,
    ) -> Result<Option<Debate>> {
        let debate: DebateId = id.parse().map_err(|it| from_misnamed(&it))?;
        match context.data::<Desk>()?.board(debate, at).await {
            Ok(board) => Debate::of_board(board, at).map(Some),
            Err(DeskError::Refused(refusal)) if refusal.kind == RefusalKind::NotFound => Ok(None),
            Err(error) => Err(from_desk(error)),
        }
    }

    /// Debates, newest first. The list follows the log with a short delay; a debate itself never does.
    async fn debates(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "1 to 500; 20 where neither first nor last is given.")] first: Option<i32>,
        after: Option<String>,
        last: Option<i32>,
        before: Option<String>,
        filter: Option<DebateFilter>,
    ) -> Result<Connection<String, Debate>> {
        let filter = wanted(filter.unwrap_or_default())?;
        let first = first.or(if last.is_none() { Some(20) } else { None });
        query(after, before, first, last, |after: Option<String>, before: Option<String>, first, last| async move {
            let (from, toward, size) = match (first, last) {
                (Some(size), _) => (after, Toward::Older, size),
                (None, size) => (before, Toward::Newer, size.unwrap_or(20)),
            };
            page(context, &filter, from.as_deref(), toward, size).await
        })
        .await
    }

    /// Who can take part.
    async fn personas(&self, context: &Context<'_>) -> Result<Vec<Persona>> {
        Ok(context.data::<Desk>()?.roster().personas.values().map(Persona::from).collect())
    }

    /// A persona by its id; none where there is no such persona.
    async fn persona(&self, context: &Context<'_>, id: ID) -> Result<Option<Persona>> {
        let found = id.parse::<PersonaId>().ok();
        let roster = context.data::<Desk>()?.roster();
        Ok(found.and_then(|it| roster.personas.get(&it)).map(Persona::from))
    }

    /// The ways to debate.
    async fn engines(&self) -> Vec<Engine> {
        ENGINES.iter().map(Engine::from).collect()
    }

    /// Whoever answers, in order of preference.
    async fn providers(&self, context: &Context<'_>) -> Result<Vec<Provider>> {
        Ok(context.data::<Desk>()?.roster().providers.iter().map(Provider::from).collect())
    }
}

fn wanted(filter: DebateFilter) -> Result<Filter> {
    let persona = filter.persona.map(|it| it.parse()).transpose().map_err(|it| from_misnamed(&it))?;
    let status = filter.status.map(|it| format!("{it:?}").to_lowercase());
    Ok(Filter { status, engine: filter.engine, persona, topic: filter.search })
}

type Page = Connection<String, Debate, EmptyFields, EmptyFields>;

/// A page of the list: two statements, whatever its size.
async fn page(
    context: &Context<'_>,
    filter: &Filter,
    from: Option<&str>,
    toward: Toward,
    size: usize,
) -> Result<Page> {
    if size == 0 || size > MAX_PAGE as usize {
        return Err(invalid(&format!("a page has 1 to {MAX_PAGE} debates")));
    }
    let views = context.data::<Views>()?;
    let from = from.map(place).transpose()?;
    let faulted = |it| from_fault(&it);
    let revision = views.served(DEBATES).await.map_err(faulted)?.unwrap_or(REVISION);
    let lines = views.list(revision, filter, from, toward, size as i64).await.map_err(faulted)?;
    let ids: Vec<DebateId> = lines.rows.iter().map(|it| it.debate).collect();
    let summaries = views.load_many::<Summary>("summary", revision, &ids).await.map_err(faulted)?;
    let (older, newer) = match toward {
        Toward::Older => (lines.more, from.is_some()),
        Toward::Newer => (from.is_some(), lines.more),
    };
    let mut page = Connection::new(newer, older);
    for row in &lines.rows {
        if let Some(view) = summaries.get(&row.debate) {
            let cursor = format!("{}.{}", row.opened_at.timestamp_micros(), row.debate);
            page.edges.push(Edge::new(cursor, Debate::of_summary(&view.value, None)?));
        }
    }
    Ok(page)
}

/// The place in the list that a cursor names.
fn place(cursor: &str) -> Result<ListPlace> {
    let read = || {
        let (micros, debate) = cursor.split_once('.')?;
        let opened_at = chrono::DateTime::from_timestamp_micros(micros.parse().ok()?)?;
        Some(ListPlace { opened_at, debate: debate.parse().ok()? })
    };
    read().ok_or_else(|| invalid("this cursor is none that the list gave"))
}

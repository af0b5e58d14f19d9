//! Disputes across debates.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_graphql::connection::PageInfo;
use async_graphql::{ComplexObject, Context, ID, InputObject, Result, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::paging::page_info;
use crate::api::types::crux::SearchMatch;
use crate::api::types::debate::{Debate, FOLD};
use crate::api::types::dispute::Stance;
use crate::api::types::scalars::DisputeStatus;
use crate::api::types::siblings::Houses;
use crate::events::ids::{DebateId, PersonaId};
use crate::projections::dispute_graph;
use crate::store::disputes::StoredDispute;
use crate::store::fault::Fault;

/// A dispute in the list of all debates.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct ListedDispute {
    /// The debate and the dispute in it.
    id: ID,
    /// The debate.
    debate_id: ID,
    /// The dispute's name in the debate: `d1`. It is also that of the crux, where the dispute is one.
    dispute_id: ID,
    /// The question.
    question: String,
    /// Where it is in its life.
    status: DisputeStatus,
    /// Whether it is the debate's own topic.
    is_topic: bool,
    /// The present stances.
    stances: Vec<Stance>,
    /// When the first turn behind it was recorded.
    opened_at: DateTime<Utc>,
    /// When the newest turn behind it was recorded.
    changed_at: DateTime<Utc>,
    #[graphql(skip)]
    debate: DebateId,
    #[graphql(skip)]
    houses: Arc<Houses>,
}

/// What is at hand only with the debate.
#[ComplexObject]
impl ListedDispute {
    /// The debate as the list has it, with its disputes whole.
    #[graphql(complexity = "FOLD + child_complexity")]
    async fn debate(&self, context: &Context<'_>) -> Result<Arc<Debate>> {
        self.houses.debate(context, self.debate).await
    }
}

impl ListedDispute {
    /// From its row, beside those that were listed with it.
    ///
    /// # Errors
    /// [`Fault::Json`] where the row is none.
    pub fn new(row: &StoredDispute, houses: &Arc<Houses>) -> Result<ListedDispute, Fault> {
        let read = Fault::json("read a stored dispute");
        let status = serde_json::Value::String(row.status.clone());
        let status: dispute_graph::DisputeStatus = serde_json::from_value(status).map_err(&read)?;
        let stances: BTreeMap<PersonaId, dispute_graph::Stance> = serde_json::from_str(&row.body).map_err(&read)?;
        let stances = stances.into_iter().map(|(persona, it)| Stance {
            persona_id: ID(persona.to_string()),
            side: it.side.into(),
            turn_id: ID(it.turn.to_string()),
        });
        Ok(ListedDispute {
            id: ID(format!("{}:{}", row.debate(), row.key)),
            debate_id: ID(row.debate().to_string()),
            dispute_id: ID(row.key.clone()),
            question: row.statement.clone(),
            status: status.into(),
            is_topic: row.is_topic,
            stances: stances.collect(),
            opened_at: row.opened_at,
            changed_at: row.changed_at,
            debate: row.debate(),
            houses: Arc::clone(houses),
        })
    }
}

/// Which disputes to list.
#[derive(InputObject, Default)]
pub struct DisputeFilter {
    /// Only those of this debate.
    pub debate: Option<ID>,
    /// Only those on which this persona has a stance, of any side.
    pub persona: Option<ID>,
    /// Only those that are there in their life.
    pub status: Option<DisputeStatus>,
    /// Only those that are their debate's topic; or only those that are not.
    pub is_topic: Option<bool>,
}

/// A part of the list of disputes.
#[derive(SimpleObject)]
pub struct DisputeConnection {
    /// The disputes, each with its cursor.
    edges: Vec<DisputeEdge>,
    /// The disputes alone.
    nodes: Vec<ListedDispute>,
    /// Whether there are more, and where.
    page_info: PageInfo,
    /// How many there are in all, whatever the page. Counted only where it is asked for.
    total_count: Option<i64>,
}

/// A dispute in the list.
#[derive(SimpleObject)]
pub struct DisputeEdge {
    /// Its place in the list or in what was found, for `after` and `before`.
    cursor: String,
    /// The dispute.
    node: ListedDispute,
    /// Why it was found; none where nothing was searched for.
    #[graphql(name = "match")]
    matched: Option<SearchMatch>,
}

impl DisputeConnection {
    /// A part of the list: disputes with their cursors and why they were found, whether there are some before and behind,
    /// and how many in all.
    pub fn new(
        disputes: Vec<(String, ListedDispute, Option<SearchMatch>)>,
        before: bool,
        behind: bool,
        total_count: Option<i64>,
    ) -> Self {
        DisputeConnection {
            page_info: page_info(disputes.iter().map(|it| &it.0), before, behind),
            total_count,
            nodes: disputes.iter().map(|it| it.1.clone()).collect(),
            edges: disputes.into_iter().map(|(cursor, node, matched)| DisputeEdge { cursor, node, matched }).collect(),
        }
    }
}

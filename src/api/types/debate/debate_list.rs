//! GraphQL types of the list of debates, as a Relay connection.

use std::sync::Arc;

use async_graphql::connection::PageInfo;
use async_graphql::{Enum, ID, InputObject, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::paging::page_info;
use crate::api::types::debate::debate::Debate;
use crate::api::types::scalars::{DebateStatus, OutcomeKind, RegimeKind};

/// Conditions on listed debates.
#[derive(InputObject, Default)]
pub struct DebateFilter {
    /// Only debates with this status.
    pub status: Option<DebateStatus>,
    /// Only debates run by this engine.
    pub engine: Option<String>,
    /// Only debates in which this persona takes part.
    pub persona_id: Option<ID>,
    /// Only debates whose topic contains this text, ignoring case.
    pub search: Option<String>,
    /// Only debates with this model provider.
    pub provider: Option<String>,
    /// Only debates with this overall state.
    pub regime: Option<RegimeKind>,
    /// Only debates that ended with this outcome.
    pub outcome: Option<OutcomeKind>,
    /// Only debates in which this model answered: the name of a model, or provider and model as in `usage`.
    pub model: Option<String>,
    /// Only debates opened at this time or later.
    pub opened_after: Option<DateTime<Utc>>,
    /// Only debates opened before this time.
    pub opened_before: Option<DateTime<Utc>>,
}

impl OutcomeKind {
    /// Returns the name used in the stored lists.
    pub fn name(self) -> &'static str {
        match self {
            OutcomeKind::Settled => "settled",
            OutcomeKind::Exhausted => "exhausted",
            OutcomeKind::Limit => "limit",
            OutcomeKind::Stalled => "stalled",
            OutcomeKind::Failed => "failed",
            OutcomeKind::Cancelled => "cancelled",
        }
    }
}

/// Orders of listed debates. Among equals, the greater id comes first.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "faultline_store::views::debates::DebateSort")]
pub enum DebateOrder {
    /// Latest opened first.
    Newest,
    /// Latest changed first.
    Changed,
}

/// A page of the list of debates.
#[derive(SimpleObject)]
pub struct DebateConnection {
    /// Debates with their cursors.
    edges: Vec<DebateEdge>,
    /// Debates without their cursors.
    nodes: Vec<Arc<Debate>>,
    /// Page information.
    page_info: PageInfo,
    /// Total number of debates in the list. Counted only if selected.
    total_count: Option<i64>,
}

/// A debate in the list.
#[derive(SimpleObject)]
pub struct DebateEdge {
    /// Cursor for `after` and `before`, valid for this order. It stays valid when the list changes.
    cursor: String,
    /// The debate.
    node: Arc<Debate>,
}

impl DebateConnection {
    /// Builds a page: the debates with their cursors, whether there are items before and after it, and the total
    /// number.
    pub fn new(debates: Vec<(String, Arc<Debate>)>, before: bool, behind: bool, total_count: Option<i64>) -> Self {
        DebateConnection {
            page_info: page_info(debates.iter().map(|entry| &entry.0), before, behind),
            nodes: debates.iter().map(|(_, debate)| Arc::clone(debate)).collect(),
            edges: debates.into_iter().map(|(cursor, node)| DebateEdge { cursor, node }).collect(),
            total_count,
        }
    }
}

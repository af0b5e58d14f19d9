//! The list of debates, as the Relay specification wants a list.

use std::sync::Arc;

use async_graphql::connection::PageInfo;
use async_graphql::{Enum, SimpleObject};

use crate::api::paging::page_info;
use crate::api::types::debate::Debate;

/// In which order to list debates. Among equals those with the greater name come first.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "crate::store::debates::DebateOrder")]
pub enum DebateOrder {
    /// Those that were opened last.
    Newest,
    /// Those in which something happened last.
    Changed,
}

/// A part of the list of debates.
#[derive(SimpleObject)]
pub struct DebateConnection {
    /// The debates, each with its cursor.
    edges: Vec<DebateEdge>,
    /// The debates alone.
    nodes: Vec<Arc<Debate>>,
    /// Whether there are more, and where.
    page_info: PageInfo,
    /// How many there are in all, whatever the page. Counted only where it is asked for.
    total_count: Option<i64>,
}

/// A debate in the list.
#[derive(SimpleObject)]
pub struct DebateEdge {
    /// Its place in a list of this order, for `after` and `before`. It stays valid whatever becomes of the list.
    cursor: String,
    /// The debate.
    node: Arc<Debate>,
}

impl DebateConnection {
    /// A part of the list: debates with their cursors, whether there are some before and behind, and how many in all.
    pub fn new(debates: Vec<(String, Arc<Debate>)>, before: bool, behind: bool, total_count: Option<i64>) -> Self {
        DebateConnection {
            page_info: page_info(debates.iter().map(|it| &it.0), before, behind),
            nodes: debates.iter().map(|(_, debate)| Arc::clone(debate)).collect(),
            edges: debates.into_iter().map(|(cursor, node)| DebateEdge { cursor, node }).collect(),
            total_count,
        }
    }
}

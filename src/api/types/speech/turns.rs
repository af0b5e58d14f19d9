//! GraphQL types of a debate's turns, as a Relay connection.

use async_graphql::SimpleObject;
use async_graphql::connection::PageInfo;

use crate::api::types::speech::argument::Turn;

/// A page of a debate's turns.
#[derive(SimpleObject)]
pub struct TurnConnection {
    /// Turns with their cursors.
    edges: Vec<TurnEdge>,
    /// Turns without their cursors.
    nodes: Vec<Turn>,
    /// Page information.
    page_info: PageInfo,
    /// Total number of turns.
    total_count: Option<i64>,
}

/// A turn in the list.
#[derive(SimpleObject)]
pub struct TurnEdge {
    /// Cursor for `after` and `before`. It stays valid when turns are added.
    cursor: String,
    /// The turn.
    node: Turn,
}

impl TurnConnection {
    /// Builds a page of turns with their cursors.
    pub fn new(turns: Vec<(String, Turn)>, page_info: PageInfo, total_count: i64) -> Self {
        TurnConnection {
            nodes: turns.iter().map(|entry| entry.1.clone()).collect(),
            edges: turns.into_iter().map(|(cursor, node)| TurnEdge { cursor, node }).collect(),
            page_info,
            total_count: Some(total_count),
        }
    }
}

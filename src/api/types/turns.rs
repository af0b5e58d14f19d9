//! The turns of a debate, as the Relay specification wants a list.

use async_graphql::SimpleObject;
use async_graphql::connection::PageInfo;

use crate::api::types::argument::Turn;

/// A part of a debate's turns.
#[derive(SimpleObject)]
pub struct TurnConnection {
    /// The turns, each with its cursor.
    edges: Vec<TurnEdge>,
    /// The turns alone.
    nodes: Vec<Turn>,
    /// Whether there are more, and where.
    page_info: PageInfo,
    /// How many there are in all, whatever the page.
    total_count: Option<i64>,
}

/// A turn in the list.
#[derive(SimpleObject)]
pub struct TurnEdge {
    /// Its place among the debate's turns, for `after` and `before`. It stays valid when the debate goes on.
    cursor: String,
    /// The turn.
    node: Turn,
}

impl TurnConnection {
    /// A part of the turns, with their cursors, and what else there is.
    pub fn new(turns: Vec<(String, Turn)>, page_info: PageInfo, total_count: i64) -> Self {
        TurnConnection {
            nodes: turns.iter().map(|it| it.1.clone()).collect(),
            edges: turns.into_iter().map(|(cursor, node)| TurnEdge { cursor, node }).collect(),
            page_info,
            total_count: Some(total_count),
        }
    }
}

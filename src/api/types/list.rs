//! The list of debates, as the Relay specification wants a list.

use async_graphql::SimpleObject;
use async_graphql::connection::PageInfo;

use crate::api::types::debate::Debate;

/// A part of the list of debates.
#[derive(SimpleObject)]
pub struct DebateConnection {
    /// The debates, each with its cursor.
    edges: Vec<DebateEdge>,
    /// The debates alone.
    nodes: Vec<Debate>,
    /// Whether there are more, and where.
    page_info: PageInfo,
}

/// A debate in the list.
#[derive(SimpleObject)]
pub struct DebateEdge {
    /// Its place in the list, for `after` and `before`. It stays valid whatever becomes of the list.
    cursor: String,
    /// The debate.
    node: Debate,
}

impl DebateConnection {
    /// A part of the list: debates with their cursors, and whether there are newer and older ones.
    pub fn new(debates: Vec<(String, Debate)>, newer: bool, older: bool) -> Self {
        DebateConnection {
            page_info: PageInfo {
                has_previous_page: newer,
                has_next_page: older,
                start_cursor: debates.first().map(|(cursor, _)| cursor.clone()),
                end_cursor: debates.last().map(|(cursor, _)| cursor.clone()),
            },
            nodes: debates.iter().map(|(_, debate)| debate.clone()).collect(),
            edges: debates.into_iter().map(|(cursor, node)| DebateEdge { cursor, node }).collect(),
        }
    }
}

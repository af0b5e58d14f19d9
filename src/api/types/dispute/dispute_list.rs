//! GraphQL types of the list of disputes across debates.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_graphql::connection::PageInfo;
use async_graphql::{ID, InputObject, Result, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::paging::page_info;
use crate::api::types::crux::crux::SearchMatch;
use crate::api::types::debate::debate_ref::{DebateLoader, DebateRef, ParticipantSource};
use crate::api::types::dispute::dispute::Stance;
use crate::api::types::scalars::DisputeStatus;
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::projections::disputes::dispute_state;
use faultline_store::error::StoreError;
use faultline_store::views::disputes::StoredDispute;

/// A dispute in the list across all debates.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct ListedDispute {
    /// Id of the debate.
    debate_id: ID,
    /// Unique id of the dispute, with which `node` returns it with all fields.
    dispute_id: ID,
    /// Short id of the dispute within the debate, such as `d1`. It is also that of the crux, if the dispute is one.
    short_id: ID,
    /// Question.
    question: String,
    /// Status.
    status: DisputeStatus,
    /// True if it is the debate's own topic.
    is_topic: bool,
    /// Current stances.
    stances: Vec<Stance>,
    /// Time of the first turn it was extracted from.
    opened_at: DateTime<Utc>,
    /// Time of the latest turn it was extracted from.
    changed_at: DateTime<Utc>,
    #[graphql(skip)]
    pub(crate) debate: DebateId,
    #[graphql(skip)]
    pub(crate) loader: Arc<DebateLoader>,
}

impl ListedDispute {
    /// Builds a dispute from its row; its debate is read together with those of the other rows.
    ///
    /// # Errors
    /// [`StoreError::Json`] if the stored JSON of the row is malformed.
    pub fn new(row: &StoredDispute, loader: &Arc<DebateLoader>) -> Result<ListedDispute, StoreError> {
        let read = StoreError::json("read a stored dispute");
        let status = serde_json::Value::String(row.status.clone());
        let status: dispute_state::DisputeStatus = serde_json::from_value(status).map_err(&read)?;
        let stances: BTreeMap<PersonaId, dispute_state::Stance> = serde_json::from_str(&row.body).map_err(&read)?;
        let participants =
            ParticipantSource { debate: row.debate(), debate_ref: DebateRef::Listed(Arc::clone(loader)) };
        let stances = stances.into_iter().map(|(persona, stance)| Stance {
            persona_id: ID(persona.to_string()),
            side: stance.side.into(),
            turn_id: ID(stance.turn.to_string()),
            quote: stance.quote,
            confidence: stance.confidence,
            participants: participants.clone(),
        });
        Ok(ListedDispute {
            debate_id: ID(row.debate().to_string()),
            dispute_id: ID(format!("{}:dispute:{}", row.debate(), row.key)),
            short_id: ID(row.key.clone()),
            question: row.statement.clone(),
            status: status.into(),
            is_topic: row.is_topic,
            stances: stances.collect(),
            opened_at: row.opened_at,
            changed_at: row.changed_at,
            debate: row.debate(),
            loader: Arc::clone(loader),
        })
    }
}

/// Conditions on listed disputes.
#[derive(InputObject, Default)]
pub struct DisputeFilter {
    /// Only disputes of this debate.
    pub debate_id: Option<ID>,
    /// Only disputes on which this persona has a stance, on any side.
    pub persona_id: Option<ID>,
    /// Only disputes with this status.
    pub status: Option<DisputeStatus>,
    /// Only disputes that are their debate's topic, or only those that are not.
    pub is_topic: Option<bool>,
}

/// A page of the list of disputes.
#[derive(SimpleObject)]
pub struct DisputeConnection {
    /// Disputes with their cursors.
    edges: Vec<DisputeEdge>,
    /// Disputes without their cursors.
    nodes: Vec<ListedDispute>,
    /// Page information.
    page_info: PageInfo,
    /// Total number of disputes in the list. Counted only if selected.
    total_count: Option<i64>,
}

/// A dispute in the list.
#[derive(SimpleObject)]
pub struct DisputeEdge {
    /// Cursor for `after` and `before` in this list or search.
    cursor: String,
    /// The dispute.
    node: ListedDispute,
    /// Explanation of the match; null without a search.
    #[graphql(name = "match")]
    matched: Option<SearchMatch>,
}

impl DisputeConnection {
    /// Builds a page: the disputes with cursors and explanations, whether there are items before and after it, and the
    /// total number.
    pub fn new(
        disputes: Vec<(String, ListedDispute, Option<SearchMatch>)>,
        before: bool,
        behind: bool,
        total_count: Option<i64>,
    ) -> Self {
        DisputeConnection {
            page_info: page_info(disputes.iter().map(|entry| &entry.0), before, behind),
            total_count,
            nodes: disputes.iter().map(|entry| entry.1.clone()).collect(),
            edges: disputes.into_iter().map(|(cursor, node, matched)| DisputeEdge { cursor, node, matched }).collect(),
        }
    }
}

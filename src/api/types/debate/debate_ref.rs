//! References to debates that are loaded on demand.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::ID;
use tokio::sync::OnceCell;

use crate::api::types::debate::debate::Debate;
use crate::api::types::debate_object::DebateObject;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::crux_id::{CruxKey, GlobalCruxId};

/// Source of the debate of a crux.
#[derive(Clone)]
pub enum DebateRef {
    /// The debate is loaded.
    Known(Arc<Debate>),
    /// The debate is loaded on demand, together with those of all cruxes in the same list.
    Listed(Arc<DebateLoader>),
}

impl DebateRef {
    /// Returns the id of a crux of this debate. It contains the version of a debate at a version.
    pub fn crux_id(&self, debate: DebateId, key: CruxKey) -> ID {
        match self {
            DebateRef::Known(debate) => ID(format!("{}:{key}", *debate.id)),
            DebateRef::Listed(_) => ID(GlobalCruxId { debate, key }.to_string()),
        }
    }
}

/// Source of the participants of one debate.
#[derive(Clone)]
pub struct ParticipantSource {
    pub(crate) debate: DebateId,
    pub(crate) debate_ref: DebateRef,
}

impl ParticipantSource {
    /// Returns the id of an object of the debate, unique among all objects. It contains the version of a debate at a
    /// version.
    pub fn object_id(&self, object: DebateObject) -> ID {
        match &self.debate_ref {
            DebateRef::Known(debate) => debate.object_id(object),
            DebateRef::Listed(_) => ID(format!("{}:{object}", self.debate)),
        }
    }
}

impl From<&Arc<Debate>> for ParticipantSource {
    fn from(debate: &Arc<Debate>) -> Self {
        ParticipantSource { debate: debate.debate, debate_ref: DebateRef::Known(Arc::clone(debate)) }
    }
}

/// Debates of listed cruxes or disputes, read together when the first of them is needed.
pub struct DebateLoader {
    pub(crate) generation: i32,
    pub(crate) debates: Vec<DebateId>,
    pub(crate) found: OnceCell<HashMap<DebateId, Arc<Debate>>>,
}

impl DebateLoader {
    /// Creates the loader for these debates, read from a generation.
    pub fn new(generation: i32, debates: impl IntoIterator<Item = DebateId>) -> Arc<DebateLoader> {
        let mut debates: Vec<DebateId> = debates.into_iter().collect();
        debates.sort_unstable();
        debates.dedup();
        Arc::new(DebateLoader { generation, debates, found: OnceCell::new() })
    }
}

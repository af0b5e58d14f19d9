//! Objects with globally unique ids, which can be queried by id alone.

use std::sync::Arc;

use async_graphql::{ID, Interface};

use crate::api::ids::split_version;
use crate::api::types::crux::crux::Crux;
use crate::api::types::debate::debate::Debate;
use crate::api::types::persona::persona::Persona;
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::verdicts::crux_id::GlobalCruxId;

/// Maximum number of ids per request.
pub const MAX_NODES: usize = 100;

/// An object with a globally unique id.
#[derive(Interface, Clone)]
#[graphql(field(name = "id", ty = "&ID", desc = "Globally unique id."))]
pub enum Node {
    /// A debate.
    Debate(Arc<Debate>),
    /// A crux.
    Crux(Arc<Crux>),
    /// A persona.
    Persona(Arc<Persona>),
}

/// A parsed id; its form determines the type of the object.
pub enum ParsedId {
    /// Id of a debate, a UUID, and the version in it.
    Debate(DebateId, Option<i64>),
    /// Id of a crux: a UUID, a colon, and its key; and the version in it.
    Crux(GlobalCruxId, Option<i64>),
    /// Id of a persona, which may not exist.
    Persona(PersonaId),
}

impl ParsedId {
    /// Parses an id; `None` if it has none of these forms.
    pub fn read(id: &str) -> Option<ParsedId> {
        let (id, at) = split_version(id);
        let debate = || id.parse().ok().map(|debate| ParsedId::Debate(debate, at));
        let crux = || id.parse().ok().map(|crux| ParsedId::Crux(crux, at));
        let persona = || id.parse().ok().map(ParsedId::Persona);
        debate().or_else(crux).or_else(persona)
    }
}

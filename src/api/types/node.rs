//! Objects with globally unique ids, which can be queried by id alone.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::{Context, ID, Interface, Result};

use crate::api::error::{error_with_code, from_fault};
use crate::api::pinned_generation;
use crate::api::types::crux::Crux;
use crate::api::types::debate::Debate;
use crate::api::types::debate_loader::listed;
use crate::api::types::persona::Persona;
use crate::service::service::DebateService;
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::verdicts::crux_id::GlobalCruxId;
use faultline_store::views::views::Views;

/// Maximum number of ids per request.
pub const NODES: usize = 100;

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
    /// Id of a debate: a UUID.
    Debate(DebateId),
    /// Id of a crux: a UUID, a colon, and its key.
    Crux(GlobalCruxId),
    /// Id of a persona, which may not exist.
    Persona(PersonaId),
}

impl ParsedId {
    /// Parses an id; `None` if it has none of these forms.
    pub fn read(id: &str) -> Option<ParsedId> {
        let debate = || id.parse().ok().map(ParsedId::Debate);
        let crux = || id.parse().ok().map(ParsedId::Crux);
        let persona = || id.parse().ok().map(ParsedId::Persona);
        debate().or_else(crux).or_else(persona)
    }
}

/// Returns the persona with this id, if it can take part in debates.
pub fn persona(context: &Context<'_>, id: &PersonaId) -> Result<Option<Persona>> {
    Ok(context.data::<DebateService>()?.roster().personas.get(id).map(Persona::from))
}

/// Returns the objects with these ids as lists have them, with at most three statements.
///
/// # Errors
/// `LIMIT` if there are too many ids; the codes of [`from_fault`] if the database fails.
pub async fn all(context: &Context<'_>, ids: &[ID]) -> Result<Vec<Option<Node>>> {
    if ids.len() > NODES {
        return Err(error_with_code(&format!("too many ids: at most {NODES} per request"), "LIMIT"));
    }
    let named: Vec<Option<ParsedId>> = ids.iter().map(|it| ParsedId::read(it)).collect();
    let generation = pinned_generation::generation(context).await?;
    let debates = named.iter().flatten().filter_map(|it| if let ParsedId::Debate(it) = it { Some(*it) } else { None });
    let debates = listed(context, generation, &debates.collect::<Vec<_>>()).await?;
    let cruxes = cruxes(context, generation, &named).await?;
    let found = named.iter().map(|it| {
        Ok(match it {
            None => None,
            Some(ParsedId::Debate(id)) => debates.get(id).cloned().map(Node::Debate),
            Some(ParsedId::Crux(name)) => cruxes.get(&name.to_string()).cloned().map(Node::Crux),
            Some(ParsedId::Persona(id)) => persona(context, id)?.map(Arc::new).map(Node::Persona),
        })
    });
    found.collect()
}

/// Returns the stored cruxes among these ids, by id.
async fn cruxes(
    context: &Context<'_>,
    generation: i32,
    named: &[Option<ParsedId>],
) -> Result<HashMap<String, Arc<Crux>>> {
    let names = named.iter().flatten().filter_map(|it| match it {
        ParsedId::Crux(name) => Some((name.debate, name.key.to_string())),
        _ => None,
    });
    let names: Vec<(DebateId, String)> = names.collect();
    if names.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = context.data::<Views>()?.cruxes_named(generation, &names).await.map_err(|it| from_fault(&it))?;
    let cruxes = Crux::of_rows(&rows).map_err(|it| from_fault(&it))?;
    let named = rows.iter().map(|it| format!("{}:{}", it.debate(), it.key));
    Ok(named.zip(cruxes).collect())
}

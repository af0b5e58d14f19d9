//! Objects with globally unique ids, which can be queried by id alone.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::{Context, ID, Interface, Result};

use crate::api::error::{coded, from_fault};
use crate::api::shown;
use crate::api::types::crux::Crux;
use crate::api::types::debate::Debate;
use crate::api::types::persona::Persona;
use crate::api::types::siblings::listed;
use crate::desk::desk::Desk;
use crate::events::ids::{DebateId, PersonaId};
use crate::store::views::Views;
use crate::verdicts::crux_name::CruxName;

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
pub enum Named {
    /// Id of a debate: a UUID.
    Debate(DebateId),
    /// Id of a crux: a UUID, a colon, and its key.
    Crux(CruxName),
    /// Id of a persona, which may not exist.
    Persona(PersonaId),
}

impl Named {
    /// Parses an id; `None` if it has none of these forms.
    pub fn read(id: &str) -> Option<Named> {
        let debate = || id.parse().ok().map(Named::Debate);
        let crux = || id.parse().ok().map(Named::Crux);
        let persona = || id.parse().ok().map(Named::Persona);
        debate().or_else(crux).or_else(persona)
    }
}

/// Returns the persona with this id, if it can take part in debates.
pub fn persona(context: &Context<'_>, id: &PersonaId) -> Result<Option<Persona>> {
    Ok(context.data::<Desk>()?.roster().personas.get(id).map(Persona::from))
}

/// Returns the objects with these ids as lists have them, with at most three statements.
///
/// # Errors
/// `LIMIT` if there are too many ids; the codes of [`from_fault`] if the database fails.
pub async fn all(context: &Context<'_>, ids: &[ID]) -> Result<Vec<Option<Node>>> {
    if ids.len() > NODES {
        return Err(coded(&format!("too many ids: at most {NODES} per request"), "LIMIT"));
    }
    let named: Vec<Option<Named>> = ids.iter().map(|it| Named::read(it)).collect();
    let generation = shown::generation(context).await?;
    let debates = named.iter().flatten().filter_map(|it| if let Named::Debate(it) = it { Some(*it) } else { None });
    let debates = listed(context, generation, &debates.collect::<Vec<_>>()).await?;
    let cruxes = cruxes(context, generation, &named).await?;
    let found = named.iter().map(|it| {
        Ok(match it {
            None => None,
            Some(Named::Debate(id)) => debates.get(id).cloned().map(Node::Debate),
            Some(Named::Crux(name)) => cruxes.get(&name.to_string()).cloned().map(Node::Crux),
            Some(Named::Persona(id)) => persona(context, id)?.map(Arc::new).map(Node::Persona),
        })
    });
    found.collect()
}

/// Returns the stored cruxes among these ids, by id.
async fn cruxes(context: &Context<'_>, generation: i32, named: &[Option<Named>]) -> Result<HashMap<String, Arc<Crux>>> {
    let names = named.iter().flatten().filter_map(|it| match it {
        Named::Crux(name) => Some((name.debate, name.key.to_string())),
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

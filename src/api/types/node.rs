//! What has a name of its own in the whole service, and can be asked for by that alone.

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

/// How many may be asked for at once.
pub const NODES: usize = 100;

/// What has a name of its own in the whole service.
#[derive(Interface, Clone)]
#[graphql(field(name = "id", ty = "&ID", desc = "Its name. No two things have the same."))]
pub enum Node {
    /// A debate.
    Debate(Arc<Debate>),
    /// A crux.
    Crux(Arc<Crux>),
    /// A persona.
    Persona(Arc<Persona>),
}

/// What a name means, by its form alone.
pub enum Named {
    /// A debate: a UUID.
    Debate(DebateId),
    /// A crux: a UUID, a colon, and its key.
    Crux(CruxName),
    /// A persona, if there is one of that name.
    Persona(PersonaId),
}

impl Named {
    /// What a name means; none where it has no such form.
    pub fn read(id: &str) -> Option<Named> {
        let debate = || id.parse().ok().map(Named::Debate);
        let crux = || id.parse().ok().map(Named::Crux);
        let persona = || id.parse().ok().map(Named::Persona);
        debate().or_else(crux).or_else(persona)
    }
}

/// The persona of this name, where it can take part.
pub fn persona(context: &Context<'_>, id: &PersonaId) -> Result<Option<Persona>> {
    Ok(context.data::<Desk>()?.roster().personas.get(id).map(Persona::from))
}

/// What these names mean, as lists have it: at most three statements, whatever their number.
///
/// # Errors
/// `LIMIT` where there are too many; else our own faults.
pub async fn all(context: &Context<'_>, ids: &[ID]) -> Result<Vec<Option<Node>>> {
    if ids.len() > NODES {
        return Err(coded(&format!("at most {NODES} names are asked for at once"), "LIMIT"));
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

/// The cruxes among these, as they are stored, by name.
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

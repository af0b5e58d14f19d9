//! Objects by their globally unique ids.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::{Context, ID, Result};

use crate::api::error::{field_limit, from_fault};
use crate::api::loading::debate_loader::listed;
use crate::api::loading::folded_debates::find_folded;
use crate::api::pinned_generation;
use crate::api::types::crux::crux::Crux;
use crate::api::types::node::{MAX_NODES, Node, ParsedId};
use crate::api::types::persona::persona::Persona;
use crate::service::service::DebateService;
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::verdicts::crux_id::GlobalCruxId;
use faultline_store::views::views::Views;

/// Returns the persona with this id, if it can take part in debates.
pub fn persona(context: &Context<'_>, id: &PersonaId) -> Result<Option<Persona>> {
    Ok(context.data::<DebateService>()?.catalog().personas.get(id).map(Persona::from))
}

/// Returns the objects with these ids as lists have them, with at most three statements; those at a version are folded
/// from their debates.
///
/// # Errors
/// `LIMIT` if there are too many ids; the codes of [`from_fault`] if the database fails.
pub async fn all(context: &Context<'_>, ids: &[ID]) -> Result<Vec<Option<Node>>> {
    if ids.len() > MAX_NODES {
        let reason = format!("too many ids: at most {MAX_NODES} per request");
        return Err(field_limit(&reason, "node_ids", MAX_NODES, ids.len()));
    }
    let named: Vec<Option<ParsedId>> = ids.iter().map(|id| ParsedId::read(id)).collect();
    let generation = pinned_generation::generation(context).await?;
    let debates = named
        .iter()
        .flatten()
        .filter_map(|parsed| if let ParsedId::Debate(debate, None) = parsed { Some(*debate) } else { None });
    let debates = listed(context, generation, &debates.collect::<Vec<_>>()).await?;
    let cruxes = cruxes(context, generation, &named).await?;
    let mut found = Vec::with_capacity(named.len());
    for parsed in named.iter() {
        found.push(match parsed {
            None => None,
            Some(ParsedId::Debate(id, None)) => debates.get(id).cloned().map(Node::Debate),
            Some(ParsedId::Crux(name, None)) => cruxes.get(&name.to_string()).cloned().map(Node::Crux),
            Some(ParsedId::Persona(id)) => persona(context, id)?.map(Arc::new).map(Node::Persona),
            Some(ParsedId::Debate(id, at)) => find_folded(context, *id, *at).await?.map(Arc::new).map(Node::Debate),
            Some(ParsedId::Crux(GlobalCruxId { debate, key }, at)) => match find_folded(context, *debate, *at).await? {
                Some(debate) => Crux::find(context, debate, *key).await?.map(Arc::new).map(Node::Crux),
                None => None,
            },
        });
    }
    Ok(found)
}

/// Returns the stored cruxes among these ids, by id.
async fn cruxes(
    context: &Context<'_>,
    generation: i32,
    named: &[Option<ParsedId>],
) -> Result<HashMap<String, Arc<Crux>>> {
    let names = named.iter().flatten().filter_map(|parsed| match parsed {
        ParsedId::Crux(name, None) => Some((name.debate, name.key.to_string())),
        _ => None,
    });
    let names: Vec<(DebateId, String)> = names.collect();
    if names.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = context.data::<Views>()?.cruxes_named(generation, &names).await.map_err(|error| from_fault(&error))?;
    let cruxes = Crux::of_rows(&rows).map_err(|error| from_fault(&error))?;
    let named = rows.iter().map(|row| format!("{}:{}", row.debate(), row.key));
    Ok(named.zip(cruxes).collect())
}

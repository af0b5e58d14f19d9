//! Objects by their globally unique ids.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::dataloader::DataLoader;
use async_graphql::{Context, ID, Result};

use crate::api::error::{field_limit, from_fault};
use crate::api::loading::debate_loader::listed;
use crate::api::loading::folded_debates::find_folded;
use crate::api::loading::library_loader::LibraryLoader;
use crate::api::pinned_generation;
use crate::api::types::crux::crux::Crux;
use crate::api::types::node::{MAX_NODES, Node, ParsedId};
use crate::api::types::persona::edition::PersonaVersion;
use crate::api::types::persona::persona::{Engine, ModelProvider, Persona};
use crate::api::types::persona::shared_corpus::SharedCorpus;
use crate::api::types::projection::{NAME, Projection};
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::ids::{DebateId, PersonaId};
use faultline_core::verdicts::crux_id::GlobalCruxId;
use faultline_service::service::DebateService;
use faultline_store::views::editions::find_version;
use faultline_store::views::views::Views;

/// Returns the persona with this id, if it can take part in debates; or in a version, if it is recorded.
///
/// # Errors
/// The codes of [`from_fault`] if the database fails.
pub async fn persona(context: &Context<'_>, id: &PersonaId, version: Option<&str>) -> Result<Option<Persona>> {
    let file = context.data::<DebateService>()?.catalog().personas.get(id);
    let Some(version) = version else { return Ok(file.map(Persona::from)) };
    let editions = context.data::<Views>()?.editions(id).await.map_err(|error| from_fault(&error))?;
    let topics = file.map(|file| file.topics.clone()).unwrap_or_default();
    Ok(find_version(&editions, version).map(|edition| Persona::new(&edition.persona, topics).pinned()))
}

/// Returns the objects with these ids as lists have them, with at most four statements for the present debates, cruxes
/// and passages among them; others are folded from their debates, or read one by one.
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
    for (id, parsed) in ids.iter().zip(&named) {
        found.push(match parsed {
            None => None,
            Some(ParsedId::Debate(debate, None)) => match debates.get(debate) {
                Some(debate) => Some(Node::Debate(Arc::clone(debate))),
                None => other(context, id, &ParsedId::Debate(*debate, None)).await?,
            },
            Some(ParsedId::Crux(name, None)) => cruxes.get(&name.to_string()).cloned().map(Node::Crux),
            Some(ParsedId::Debate(debate, at)) => {
                find_folded(context, *debate, *at).await?.map(Arc::new).map(Node::Debate)
            }
            Some(ParsedId::Crux(GlobalCruxId { debate, key }, at)) => match find_folded(context, *debate, *at).await? {
                Some(debate) => Crux::find(context, debate, *key).await?.map(Arc::new).map(Node::Crux),
                None => None,
            },
            Some(parsed) => other(context, id, parsed).await?,
        });
    }
    Ok(found)
}

/// Returns the object with this id, unless it is a debate or a crux.
///
/// # Errors
/// The codes of [`from_fault`] if the database fails; those of [`find_folded`].
pub async fn other(context: &Context<'_>, id: &ID, parsed: &ParsedId) -> Result<Option<Node>> {
    if let Some(uuid) = parsed.uuid() {
        let passage = context.data::<DataLoader<LibraryLoader>>()?.load_one(uuid).await?;
        return Ok(passage.map(Arc::new).map(Node::Passage));
    }
    let catalog = context.data::<DebateService>()?.catalog();
    Ok(match parsed {
        ParsedId::Debate(..) | ParsedId::Crux(..) => None,
        ParsedId::Inside(debate, at, object) => match find_folded(context, *debate, *at).await? {
            Some(debate) => debate.find(context, object).await?,
            None => None,
        },
        ParsedId::Persona(persona_id, version) => match persona(context, persona_id, version.as_deref()).await? {
            Some(persona) => Some(Node::Persona(Arc::new(persona))),
            None if version.is_none() => {
                SharedCorpus::find(context, persona_id).await?.map(Arc::new).map(Node::SharedCorpus)
            }
            None => None,
        },
        ParsedId::PersonaVersion(persona) => {
            let versions = PersonaVersion::all(context, persona).await?;
            versions.into_iter().find(|version| version.id == *id).map(Arc::new).map(Node::PersonaVersion)
        }
        ParsedId::Document(name) => {
            let document = context.data::<DataLoader<LibraryLoader>>()?.load_one(name.clone()).await?;
            document.map(Arc::new).map(Node::Document)
        }
        ParsedId::Engine(name) => {
            let engine = ENGINES.iter().find(|engine| engine.name == name);
            engine.map(Engine::from).map(Arc::new).map(Node::Engine)
        }
        ParsedId::Provider(name) => {
            let provider = catalog.providers.iter().find(|provider| provider.name == *name);
            provider.map(ModelProvider::from).map(Arc::new).map(Node::Provider)
        }
        ParsedId::Projection => in_projection(Projection::of(context.data::<Views>()?, NAME).await?, id),
    })
}

/// Returns the projection, or the object in it with this id.
fn in_projection(projection: Projection, id: &ID) -> Option<Node> {
    if projection.id == *id {
        return Some(Node::Projection(Arc::new(projection)));
    }
    let generation = projection.generations.into_iter().find(|generation| generation.id == *id);
    let letter = || projection.dead_letters.into_iter().find(|letter| letter.id == *id);
    generation.map(Arc::new).map(Node::Generation).or_else(|| letter().map(Arc::new).map(Node::DeadLetter))
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

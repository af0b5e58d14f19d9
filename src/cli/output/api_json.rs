//! Debates and cruxes as JSON with the names of the API: the results of its queries.

use serde_json::{Value, json};

use crate::api::local::query;
use crate::api::types::node::MAX_NODES;
use crate::app::open_app::OpenApp;
use crate::cli::output::exit::CliError;
use faultline_core::events::ids::DebateId;

/// Queries of a debate, which need the fields of a crux.
const DEBATE: &str = concat!(include_str!("../documents/debate.graphql"), include_str!("../documents/crux.graphql"));
/// Query of cruxes by their ids.
const CRUXES: &str = concat!(
    "query Cruxes($ids: [ID!]!) { nodes(ids: $ids) { ...CruxFields } }\n",
    include_str!("../documents/crux.graphql")
);

/// Returns a debate with all its turns, as of a version or up to its newest event, as `Query.debate` returns it.
///
/// # Errors
/// [`CliError::Refused`] if the debate or the version does not exist; [`CliError::Fault`] if it cannot be read.
pub async fn debate_json(app: &OpenApp, debate: DebateId, at: Option<i64>) -> Result<Value, CliError> {
    let variables = json!({ "id": debate, "at": at });
    let mut record = query(app.schema_services(None), (DEBATE, "DebateRecord"), variables).await?["debate"].take();
    if record.is_null() {
        return Err(CliError::Refused(format!("there is no debate {debate}")));
    }
    // Later pages are of the version that the first one had: events may be recorded meanwhile.
    let version = record["version"].clone();
    while record["turns"]["pageInfo"]["hasNextPage"] == true {
        let after = &record["turns"]["pageInfo"]["endCursor"];
        let variables = json!({ "id": debate, "at": version, "after": after });
        let mut page = query(app.schema_services(None), (DEBATE, "DebateTurns"), variables).await?;
        let mut turns = page["debate"]["turns"].take();
        record["turns"]["pageInfo"] = turns["pageInfo"].take();
        if let (Some(all), Some(more)) = (record["turns"]["nodes"].as_array_mut(), turns["nodes"].as_array_mut()) {
            all.append(more);
        }
    }
    if let Some(turns) = record["turns"].as_object_mut() {
        turns.remove("pageInfo");
    }
    Ok(record)
}

/// Returns cruxes by their ids, in this order, as `Query.nodes` returns them; null for one that was erased meanwhile.
///
/// # Errors
/// [`CliError::Fault`] if they cannot be read.
pub async fn cruxes_json(app: &OpenApp, ids: &[String]) -> Result<Vec<Value>, CliError> {
    let mut cruxes = Vec::with_capacity(ids.len());
    for ids in ids.chunks(MAX_NODES) {
        let mut data = query(app.schema_services(None), (CRUXES, "Cruxes"), json!({ "ids": ids })).await?;
        cruxes.extend(data["nodes"].as_array_mut().map(std::mem::take).unwrap_or_default());
    }
    Ok(cruxes)
}

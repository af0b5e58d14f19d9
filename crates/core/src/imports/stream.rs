//! Importer for event streams, record by record. Every record is kept: as an event, as a stated result, or unchanged.

use serde_json::Value;

use crate::imports::blackboard;
use crate::imports::blackboard::StancesWithTurn;
use crate::imports::cast::Cast;
use crate::imports::crystals;
use crate::imports::dialogue;
use crate::imports::draft::{ImportDraft, excerpt};
use crate::imports::fields::{items, text};
use crate::imports::graph;
use crate::imports::import_error::ImportError;
use crate::imports::rooms;
use crate::imports::shape::Shape;

/// Reads a stream into a draft with known participants.
///
/// # Errors
/// [`ImportError::Limit`] if the stream exceeds an import limit.
pub fn read(draft: &mut ImportDraft, shape: Shape, records: &[(String, Value)]) -> Result<(), ImportError> {
    let owned = blackboard::owned(records.iter().map(|(_, record)| record));
    for (place, record) in records {
        draft.begin(place)?;
        match text(record, "type") {
            Some(name) => take(draft, shape, name, record, &owned),
            None => draft.quarantine("untyped", "it has no `type`", record),
        }
    }
    Ok(())
}

fn take(draft: &mut ImportDraft, shape: Shape, name: &str, record: &Value, owned: &StancesWithTurn) {
    match name {
        // The opening event contains this information.
        "engine_start" | "dialogue_start" => {}
        "table_assigned" if matches!(shape, Shape::Blitz | Shape::Classical) => {
            blackboard::table_assigned(draft, record)
        }
        "final_table_start" => blackboard::table_assigned(draft, record),
        // The final table, which follows, has what they contain.
        "table_assigned" | "merge_start" | "merge_complete" => {}
        "debate_start" => blackboard::claims(draft, record),
        "status" => status(draft, record),
        "initial_stance" => blackboard::initial_stance(draft, record),
        // Repeats an attack of `attacks_generated`.
        "agent_turn" if text(record, "attackId").is_some_and(|name| draft.attacks.contains_key(name)) => {}
        "agent_turn" => blackboard::agent_turn(draft, record, owned),
        "arguments_submitted" => graph::arguments_submitted(draft, record),
        "attacks_generated" => graph::attacks_generated(draft, record),
        "validation_complete" => graph::validation_complete(draft, record),
        "phase_start" => dialogue::phase_start(draft, record),
        "phase_transition" => dialogue::phase_transition(draft, record),
        "dialogue_turn" => dialogue::dialogue_turn(draft, record),
        "crystallization" => crystals::crystallization(draft, record),
        "concession" => dialogue::concession(draft, record),
        "steering" => dialogue::steering(draft, record),
        "crux_proposed" => dialogue::crux_proposed(draft, record),
        "engine_complete" => dialogue::complete(draft, record),
        "round_start" => rooms::round_start(draft, record),
        // The next round, or the closing, implies it.
        "round_end" => {}
        "message_posted" => rooms::message_posted(draft, record),
        "disagreement_detected" => rooms::detected(draft, record),
        "crux_room_spawning" => rooms::room_spawning(draft, record),
        "crux_message" => rooms::crux_message(draft, record),
        "crux_card_posted" => rooms::crux_card(draft, record),
        "dialogue_complete" => rooms::complete(draft, record),
        "debate_complete" => complete(draft, record),
        "error" | "engine_error" => error(draft, record),
        "convergence_update" | "convergence_check" | "graph_update" | "graph_updated" | "graph_convergence"
        | "blackboard_update" => concluded(draft, shape, name, record),
        other => draft.keep(other, record),
    }
}

/// Imports `status`: the activity that an engine starts, with the round if the message contains it.
fn status(draft: &mut ImportDraft, record: &Value) {
    let Some(phase) = text(record, "phase") else { return draft.keep("status", record) };
    let round = text(record, "message")
        .and_then(|message| message.strip_prefix("Round ")?.split(':').next()?.trim().parse().ok());
    draft.phase(&excerpt(phase), round);
}

/// Imports a measurement, a labelling or a summary as a stated result.
fn concluded(draft: &mut ImportDraft, shape: Shape, name: &str, record: &Value) {
    draft.record_result(name, record);
    match name {
        "graph_convergence" => graph::convergence(draft, record),
        "convergence_check" => dialogue::convergence(draft, record),
        // In the graph engine's measurements, named like the blackboard's, "events" means rounds.
        "convergence_update" if shape != Shape::Graph => blackboard::convergence(draft, record),
        _ => {}
    }
}

fn complete(draft: &mut ImportDraft, record: &Value) {
    draft.ending.complete = true;
    dialogue::conclude(draft, "debate_complete", record.get("output").unwrap_or(&Value::Null));
}

fn error(draft: &mut ImportDraft, record: &Value) {
    let said = ["message", "error"].iter().find_map(|key| text(record, key)).unwrap_or("no reason given");
    draft.ending.error = Some(said.chars().take(1_000).collect());
}

/// Collects the participants of a stream: those listed at the start, or all speakers if none are listed.
///
/// # Errors
/// [`ImportError::Limit`] if there are too many, [`ImportError::Broken`] if there are none.
pub fn cast(records: &[(String, Value)]) -> Result<Cast, ImportError> {
    let mut cast = Cast::default();
    for (place, record) in records {
        if text(record, "type").is_some_and(|kind| kind.ends_with("_start") || kind == "table_assigned") {
            cast.admit_all(items(record, "personaIds"), place)?;
            cast.admit_all(items(record, "personas"), place)?;
        }
    }
    if cast.is_empty() {
        for (place, record) in records {
            for holder in [record, &record["turn"], &record["message"]] {
                text(holder, "personaId").map_or(Ok(()), |name| cast.admit(name, place))?;
            }
        }
    }
    if cast.is_empty() {
        return Err(ImportError::broken("the file", "it names no participants"));
    }
    Ok(cast)
}

/// Topic of a stream: the stated topic, or its claims, or a placeholder if it has neither.
pub fn topic(shape: Shape, records: &[(String, Value)]) -> String {
    let starts = || {
        records
            .iter()
            .map(|(_, record)| record)
            .filter(|record| text(record, "type").is_some_and(|kind| kind.ends_with("_start")))
    };
    if let Some(topic) = starts().find_map(|record| text(record, "topic")) {
        return topic.to_owned();
    }
    let claims: Vec<&str> =
        starts().flat_map(|record| items(record, "claims")).filter_map(|claim| text(claim, "text")).collect();
    if !claims.is_empty() {
        return claims.join(" ");
    }
    let named = starts()
        .find_map(|record| text(record, "debateId"))
        .map_or(String::new(), |name| format!(" ({})", excerpt(name)));
    format!("Debate of the {} engine without a topic{named}", shape.engine())
}

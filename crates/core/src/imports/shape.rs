//! Detection of the system that wrote a file.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::imports::fields::text;
use crate::imports::import_error::ImportError;

/// Shape of a file: the system that wrote it, and the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Event stream of rounds around a blackboard, in which all participants act at once.
    Blitz,
    /// Event stream of the same with one speaker at a time, chosen by urgency.
    Classical,
    /// Event stream of arguments and attacks in rounds.
    Graph,
    /// Event stream of a dialogue in four phases, distilled by a crystallizer ("v2").
    Dialogue,
    /// Event stream of a main channel with a room for each crux.
    CruxRooms,
    /// Result file of the oldest system ("v1").
    ResultV1,
    /// Result file of the dialogue engine ("v2").
    ResultV2,
    /// Event stream of an unknown system.
    Other,
    /// Export of this program.
    Own,
}

impl Shape {
    /// Description of the shape.
    pub fn about(self) -> &'static str {
        match self {
            Shape::Blitz => "blitz event stream",
            Shape::Classical => "classical event stream",
            Shape::Graph => "graph event stream",
            Shape::Dialogue => "dialogue (v2) event stream",
            Shape::CruxRooms => "crux rooms event stream",
            Shape::ResultV1 => "v1 result file",
            Shape::ResultV2 => "v2 result file",
            Shape::Other => "event stream of an unknown system",
            Shape::Own => "Faultline export",
        }
    }

    /// Engine that ran the debate, under the name of its system.
    pub fn engine(self) -> &'static str {
        match self {
            Shape::Blitz => "blitz",
            Shape::Classical => "classical",
            Shape::Graph => "graph",
            Shape::Dialogue | Shape::ResultV2 => "dialogue",
            Shape::CruxRooms => "crux_rooms",
            Shape::ResultV1 => "v1",
            Shape::Other | Shape::Own => "unknown",
        }
    }

    /// Revision of the reader for this shape. Increase it whenever the same file would give different events: it is
    /// recorded, and a file that another revision imported counts as a different debate with the same id. Other shapes
    /// are not affected.
    pub fn reader(self) -> i32 {
        match self {
            Shape::CruxRooms | Shape::Dialogue | Shape::ResultV1 | Shape::ResultV2 | Shape::Other => 2,
            _ => 1,
        }
    }

    /// Detects the shape of a stream of records.
    ///
    /// # Errors
    /// [`ImportError::Unknown`] if no record is an event of a known kind.
    pub fn of_records(records: &[(String, Value)]) -> Result<Shape, ImportError> {
        let is_own = |record: &Value| {
            record.get("kind").is_some() && record.get("debateId").is_some() && record.get("body").is_some()
        };
        if records.first().is_some_and(|(_, record)| is_own(record)) {
            return Ok(Shape::Own);
        }
        let types: Vec<&str> = records.iter().filter_map(|(_, record)| text(record, "type")).collect();
        let has = |name: &str| types.contains(&name);
        let is_classical = || has("speaker_selected") || records.iter().any(|(_, record)| is_silence(record));
        Ok(match () {
            () if has("arguments_submitted") || has("attacks_generated") => Shape::Graph,
            () if has("engine_start") || has("dialogue_turn") => Shape::Dialogue,
            () if has("dialogue_start") || has("message_posted") => Shape::CruxRooms,
            () if is_classical() => Shape::Classical,
            () if has("initial_stance") || has("agent_turn") => Shape::Blitz,
            () if types.iter().any(|kind| kind.ends_with("_start")) => Shape::Other,
            () => {
                let seen = types.first().map_or("has no `type`".to_owned(), |kind| format!("has the type {kind:?}"));
                let found = format!("the file contains {} JSON values, and the first {seen}", records.len());
                return Err(ImportError::Unknown { found });
            }
        })
    }

    /// Detects the shape of a single object.
    ///
    /// # Errors
    /// [`ImportError::Unknown`], with the keys of the object, if they fit no known shape.
    pub fn of_whole(whole: &Value) -> Result<Shape, ImportError> {
        let has = |key: &str| whole.get(key).is_some();
        match () {
            () if has("format") && has("events") => Ok(Shape::Own),
            () if has("rounds") && (has("finalState") || has("insights")) => Ok(Shape::ResultV1),
            () if has("transcript") && (has("graph") || has("regime") || has("concessionTrail")) => Ok(Shape::ResultV2),
            () => {
                let keys: Vec<&str> =
                    whole.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).take(8).collect();
                let found = match keys.as_slice() {
                    [] => "the file contains one JSON value without keys".to_owned(),
                    keys => format!("the file contains an object with the keys {}", keys.join(", ")),
                };
                Err(ImportError::Unknown { found })
            }
        }
    }
}

/// True for a record that only the classical engine wrote: the status of a debate, or of a silence.
fn is_silence(record: &Value) -> bool {
    text(record, "type") == Some("status")
        && matches!(text(record, "phase"), Some("debate" | "silence" | "silence_break"))
}

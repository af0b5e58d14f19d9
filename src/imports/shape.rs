//! Which system wrote a file.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::imports::fault::ImportError;
use crate::imports::fields::text;

/// Which system wrote a file, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Rounds around a blackboard, everybody at once: an event stream.
    Blitz,
    /// The same with one speaker at a time, chosen by urgency: an event stream.
    Classical,
    /// Arguments and attacks in rounds: an event stream.
    Graph,
    /// Four phases of talk, distilled by a crystallizer: an event stream ("v2").
    Dialogue,
    /// A main channel, and a room for each crux: an event stream.
    CruxRooms,
    /// The result file of the system before those ("v1").
    ResultV1,
    /// The result file of the dialogue ("v2").
    ResultV2,
    /// An event stream that begins like none of these.
    Other,
    /// An export of ours.
    Own,
}

impl Shape {
    /// Its name for people.
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
            Shape::Own => "export of ours",
        }
    }

    /// The engine that ran the debate, as the system called it.
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

    /// How files of this shape are read. Raise it whenever the same file would become other events: it is recorded, and a
    /// file that another revision read is another debate under the same name. Files of other shapes can still be brought in
    /// twice.
    pub fn reader(self) -> i32 {
        match self {
            Shape::CruxRooms => 2,
            _ => 1,
        }
    }

    /// The shape of a stream of records.
    ///
    /// # Errors
    /// [`ImportError::Unknown`] where no record is an event.
    pub fn of_records(records: &[(String, Value)]) -> Result<Shape, ImportError> {
        let is_own = |it: &Value| it.get("kind").is_some() && it.get("debateId").is_some() && it.get("body").is_some();
        if records.first().is_some_and(|(_, it)| is_own(it)) {
            return Ok(Shape::Own);
        }
        let types: Vec<&str> = records.iter().filter_map(|(_, it)| text(it, "type")).collect();
        let has = |name: &str| types.contains(&name);
        let is_classical = || has("speaker_selected") || records.iter().any(|(_, it)| is_silence(it));
        Ok(match () {
            () if has("arguments_submitted") || has("attacks_generated") => Shape::Graph,
            () if has("engine_start") || has("dialogue_turn") => Shape::Dialogue,
            () if has("dialogue_start") || has("message_posted") => Shape::CruxRooms,
            () if is_classical() => Shape::Classical,
            () if has("initial_stance") || has("agent_turn") => Shape::Blitz,
            () if types.iter().any(|it| it.ends_with("_start")) => Shape::Other,
            () => {
                let seen = types.first().map_or("has no `type`".to_owned(), |it| format!("is of the type {it:?}"));
                let found = format!("the file holds {} JSON values, and the first {seen}", records.len());
                return Err(ImportError::Unknown { found });
            }
        })
    }

    /// The shape of one object.
    ///
    /// # Errors
    /// [`ImportError::Unknown`] that names its keys.
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
                    [] => "the file holds one JSON value without keys".to_owned(),
                    keys => format!("the file holds one object with the keys {}", keys.join(", ")),
                };
                Err(ImportError::Unknown { found })
            }
        }
    }
}

/// Only the classical engine told that it debated, and that nobody wanted to speak.
fn is_silence(record: &Value) -> bool {
    text(record, "type") == Some("status")
        && matches!(text(record, "phase"), Some("debate" | "silence" | "silence_break"))
}

//! Metadata of event kinds: name, schema number, family, recorders, example and JSON Schema.
//!
//! The list itself is [`Event::KINDS`](crate::events::event::Event::KINDS).

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

/// Kind of event, with the data that docs, decoders and clients need about it.
#[derive(Debug)]
pub struct EventKind {
    /// Wire name: `turn_taken`.
    pub name: &'static str,
    /// Schema number in which bodies of the kind are written, from 1.
    pub schema: i16,
    /// Family: the heading under which the kind is documented.
    pub family: &'static str,
    /// Parties that may record events of the kind.
    pub recorded_by: &'static [Recorder],
    /// Example of a body in the current schema, as JSON text: the fixture of the wire tests.
    pub example: &'static str,
    /// Computes the JSON Schema of the body.
    pub json_schema: fn() -> Schema,
}

impl EventKind {
    /// Returns true if this party may record events of the kind.
    pub fn is_recorded_by(&self, recorder: Recorder) -> bool {
        self.recorded_by.contains(&recorder)
    }
}

/// Party that records events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorder {
    /// An engine, from the answer to an effect or from the state of the debate.
    Engine,
    /// The runner, which drives a debate: calls, limits and the end.
    Runner,
    /// A command of a person or a client, such as pause or abort.
    Command,
    /// An import of a file of an earlier system. An import of a Faultline export copies events of every kind.
    Import,
    /// An external orchestrator, which appends the events of its own debates.
    External,
}

impl Recorder {
    /// Returns the name used in the JSON document of event kinds: `engine`.
    pub fn name(self) -> &'static str {
        match self {
            Recorder::Engine => "engine",
            Recorder::Runner => "runner",
            Recorder::Command => "command",
            Recorder::Import => "import",
            Recorder::External => "external",
        }
    }
}

/// Error for a name that is not an event kind of this program version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown event kind {given:?}; available: {available}")]
pub struct UnknownEventKind {
    /// The given name.
    pub given: String,
    /// The names of all kinds, joined with commas.
    pub available: String,
}

/// Computes the JSON Schema of a body as it is read: a field is required if every stored body has it.
pub fn body_schema<Body: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<Body>()
}

//! Personas: a contract that defines who the persona is, and a voice that defines how it speaks.
//!
//! A debate pins both in its opening event, so later edits of the file do not affect a running debate.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::ids::PersonaId;

/// Maximum number of anchors of a persona.
pub const MAX_ANCHORS: usize = 10;

/// Persona as pinned by a debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Persona {
    /// Machine-readable id.
    pub id: PersonaId,
    /// Display name.
    pub name: String,
    /// One-line description of the persona and its position.
    pub about: String,
    /// Version, raised by hand whenever contract or voice change.
    pub version: i32,
    /// Contract: character and convictions.
    pub contract: Contract,
    /// Voice: manner of speaking.
    pub voice: Voice,
}

/// Character of a persona: its convictions, the reasons for them, and the conditions under which it would change its
/// mind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// Temperament and character.
    pub personality: String,
    /// Bias: the conclusions it favours.
    pub bias: String,
    /// Stakes: potential losses and gains.
    pub stakes: String,
    /// Standard of knowledge: the grounds on which it believes a claim.
    pub epistemology: String,
    /// Time horizon, ahead and back, in words.
    pub time_horizon: String,
    /// Conditions that would change its mind, each concrete enough to be observed.
    pub flip_conditions: Vec<String>,
    /// Kinds of evidence it accepts.
    pub evidence_policy: String,
    /// Sentences of its writings, word for word, on which contract and voice rest; at most [`MAX_ANCHORS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<String>,
}

/// Manner of speaking.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Voice {
    /// Habits of speech.
    pub speech_patterns: Vec<String>,
    /// Preferred words.
    pub vocabulary: Vec<String>,
    /// Phrases it never uses.
    pub forbidden_phrases: Vec<String>,
    /// Sample lines, by situation (`opening`, `challenge`, `concession`, `crux`, `closing`).
    #[serde(default)]
    pub examples: BTreeMap<String, Vec<String>>,
    /// Register for each kind of turn.
    #[serde(default)]
    pub registers: BTreeMap<String, String>,
}

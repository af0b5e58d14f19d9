//! Who speaks: the contract that says who a persona is, and the voice in which it speaks.
//!
//! A debate pins both whole in its opening event, so that a file edited later changes no debate that is under way.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::events::ids::PersonaId;

/// A persona as a debate knows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Persona {
    /// Its name for machines.
    pub id: PersonaId,
    /// Its name for people.
    pub name: String,
    /// Who this is and what they hold, in a line.
    pub about: String,
    /// Raised by hand whenever contract or voice change.
    pub version: i32,
    /// Who the persona is.
    pub contract: Contract,
    /// How it sounds.
    pub voice: Voice,
}

/// Who a persona is: what it holds, why, and what would move it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// How it meets the world.
    pub personality: String,
    /// Which way it leans.
    pub bias: String,
    /// What it stands to lose or gain.
    pub stakes: String,
    /// What counts as knowing.
    pub epistemology: String,
    /// How far ahead, and back, it looks.
    pub time_horizon: String,
    /// What would change its mind, each concrete enough to be observed.
    pub flip_conditions: Vec<String>,
    /// What it accepts as evidence.
    pub evidence_policy: String,
}

/// How a persona sounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Voice {
    /// Habits of speech.
    pub speech_patterns: Vec<String>,
    /// Words it reaches for.
    pub vocabulary: Vec<String>,
    /// Phrases it would never use.
    pub forbidden_phrases: Vec<String>,
    /// Lines of its own, by situation (`opening`, `challenge`, `concession`, `crux`, `closing`).
    #[serde(default)]
    pub examples: BTreeMap<String, Vec<String>>,
    /// How it speaks in each kind of turn.
    #[serde(default)]
    pub registers: BTreeMap<String, String>,
}

//! Options of the graph engine.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engines::shared::manner::{self, Brevity, Combativeness};
use crate::engines::shared::options;
use crate::events::audit::AuditSetting;
use crate::events::ids::PersonaId;
use crate::kernel::engine::{OptionDoc, Refusal};

/// Options of the engine.
pub const OPTIONS: &[OptionDoc] = &[
    OptionDoc::integer("rounds", (0, 10), "maximum number of rounds of attacks, 0 to 10", "3"),
    OptionDoc::integer("passages", (0, 12), "passages of its own corpus supplied to a speaker, 0 to 12", "4"),
    OptionDoc::integer("max_tokens", (256, 32_000), "maximum number of tokens in a reply, 256 to 32000", "4096"),
    manner::BREVITY,
    manner::COMBATIVENESS,
    options::SEARCHES,
    options::SHARED_CORPUS,
    options::AUDIT,
    options::QUORUM,
];

/// Values of the options.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GraphOptions {
    /// Maximum number of rounds of attacks.
    pub rounds: u32,
    /// Number of passages supplied to a speaker.
    pub passages: u32,
    /// Maximum number of tokens in a reply.
    pub max_tokens: u32,
    /// Length of what is said aloud.
    pub brevity: Brevity,
    /// Manner in which speakers are asked to meet each other.
    pub combativeness: Combativeness,
    /// Number of searches that each participant may ask for before an answer.
    pub searches: u32,
    /// Corpus of which all participants are given passages; `None` for none.
    pub shared_corpus: Option<PersonaId>,
    /// Setting of the audit.
    pub audit: AuditSetting,
    /// Number of participants who must take one side of a dispute before it is common ground; `None` requires all.
    pub quorum: Option<u32>,
}

impl Default for GraphOptions {
    fn default() -> Self {
        GraphOptions {
            rounds: 3,
            passages: 4,
            max_tokens: 4_096,
            brevity: Brevity::Medium,
            combativeness: Combativeness::Medium,
            searches: 0,
            shared_corpus: None,
            audit: AuditSetting::Required,
            quorum: None,
        }
    }
}

/// Reads and checks the options.
///
/// # Errors
/// [`Refusal`] if an option is unknown, has the wrong type, or is out of its range.
pub fn read_options(given: &Value) -> Result<GraphOptions, Refusal> {
    let read: GraphOptions = options::read(given, OPTIONS)?;
    options::check(&read, OPTIONS)?;
    Ok(read)
}

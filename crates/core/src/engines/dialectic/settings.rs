//! Options of the dialectic engine.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engines::dialectic::context::ProposalContext;
use crate::engines::shared::manner::{self, Brevity, Combativeness};
use crate::engines::shared::options;
use crate::events::audit::AuditSetting;
use crate::events::ids::PersonaId;
use crate::kernel::engine::{OptionDoc, Refusal};

/// Options of the engine.
pub const OPTIONS: &[OptionDoc] = &[
    OptionDoc::integer("rounds", (0, 10), "maximum number of rounds, 0 to 10; with 0 the draft is final", "3"),
    OptionDoc::number(
        "alike",
        (0.0, 1.0),
        "similarity to its thesis from which a synthesis counts as unchanged, 0 to 1",
        "0.85",
    ),
    OptionDoc::boolean("veto", "if true, critical issues override an accepting critic", "true"),
    OptionDoc::integer("passages", (0, 12), "passages of its own corpus supplied to a speaker, 0 to 12", "4"),
    OptionDoc::json(
        "context",
        "what the proposal must fit: an object of `gap`, `rules`, `predicates`, `layer` and `constraints`, or null",
        "null",
    ),
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
pub struct DialecticOptions {
    /// Maximum number of rounds.
    pub rounds: u32,
    /// Similarity to its thesis from which a synthesis counts as unchanged.
    pub alike: f64,
    /// True if critical issues override an accepting critic.
    pub veto: bool,
    /// Number of passages supplied to a speaker.
    pub passages: u32,
    /// Circumstances that the proposal must fit.
    pub context: Option<ProposalContext>,
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

impl Default for DialecticOptions {
    fn default() -> Self {
        DialecticOptions {
            rounds: 3,
            alike: 0.85,
            veto: true,
            passages: 4,
            context: None,
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
pub fn read_options(given: &Value) -> Result<DialecticOptions, Refusal> {
    let read: DialecticOptions = options::read(given, OPTIONS)?;
    options::check(&read, OPTIONS)?;
    if let Some(context) = &read.context {
        context.check()?;
    }
    Ok(read)
}

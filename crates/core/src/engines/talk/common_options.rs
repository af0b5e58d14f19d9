//! Options of a talk, with defaults. They are recorded in the opening event.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engines::shared::manner::{self, Brevity, Combativeness};
use crate::engines::shared::options;
use crate::events::audit::AuditSetting;
use crate::events::ids::PersonaId;
use crate::kernel::engine::{OptionDoc, Refusal};

/// Options that all talk engines have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TalkOptions {
    /// Number of turns before the closing statements, failed ones included.
    pub turn_budget: u32,
    /// Share of the turn budget after which the crux is sought.
    pub crux_share: f64,
    /// Share of the turn budget after which closing statements are requested.
    pub closing_share: f64,
    /// Minimum number of pending turns for a distillation.
    pub fewest_pending: u32,
    /// Number of pending turns from which a distillation is due in any case.
    pub most_pending: u32,
    /// Minimum number of turns shown to the clerk; older ones provide context.
    pub fewest_distilled: u32,
    /// Maximum number of new turns in one distillation.
    pub most_distilled: u32,
    /// Minimum number of turns shown to a speaker; fewer than twice as many are shown.
    pub shown_turns: u32,
    /// Number of distillations over which the undecided points must be equal to count as stable.
    pub stable: u32,
    /// Maximum number of turns for which a participant waits.
    pub patience: u32,
    /// Overlap of content words, between the latest turns and those before, from which the talk counts as circling.
    pub circling: f64,
    /// Mean semantic similarity from which the talk counts as circling, if an embedder is configured.
    pub circling_meaning: f64,
    /// Number of latest turns compared with as many before them.
    pub circling_turns: u32,
    /// Number of turns after which an unanswered challenge leads to a hint.
    pub unanswered: u32,
    /// Number of consecutive challenges that lead to a hint.
    pub challenges: u32,
    /// Number of pairs of claims in one comparison.
    pub pairs: u32,
    /// Number of passages supplied to a speaker.
    pub passages: u32,
    /// Maximum number of tokens in a reply.
    pub max_tokens: u32,
    /// Length of what a speaker is asked to say.
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

impl Default for TalkOptions {
    fn default() -> Self {
        TalkOptions {
            turn_budget: 30,
            crux_share: 0.6,
            closing_share: 0.85,
            fewest_pending: 2,
            most_pending: 5,
            fewest_distilled: 6,
            most_distilled: 11,
            shown_turns: 8,
            stable: 3,
            patience: 3,
            circling: 0.6,
            circling_meaning: 0.6,
            circling_turns: 4,
            unanswered: 3,
            challenges: 4,
            pairs: 60,
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

/// Documentation of the options that all talk engines have.
const DOCS: [OptionDoc; 24] = [
    OptionDoc::integer(
        "turn_budget",
        (4, 1_000),
        "turns before the closing statements, failed ones included, 4 to 1000",
        "30",
    ),
    OptionDoc::number("crux_share", (0.0, 1.0), "share of turn_budget after which the crux is sought, 0 to 1", "0.6"),
    OptionDoc::number(
        "closing_share",
        (0.0, 1.0),
        "share of turn_budget after which closing statements are requested, crux_share to 1",
        "0.85",
    )
    .at_least("crux_share"),
    OptionDoc::integer("fewest_pending", (1, 20), "minimum number of pending turns for a distillation, 1 to 20", "2"),
    OptionDoc::integer(
        "most_pending",
        (1, 40),
        "pending turns from which a distillation is due in any case, fewest_pending to 40",
        "5",
    )
    .at_least("fewest_pending"),
    OptionDoc::integer(
        "fewest_distilled",
        (1, 40),
        "minimum number of turns shown to the clerk, older ones included, 1 to 40",
        "6",
    ),
    OptionDoc::integer("most_distilled", (2, 40), "maximum number of new turns in one distillation, 2 to 40", "11"),
    OptionDoc::integer(
        "shown_turns",
        (2, 100),
        "latest turns shown to a speaker at least, 2 to 100; fewer than twice as many are shown",
        "8",
    ),
    OptionDoc::integer(
        "stable",
        (2, 20),
        "readings of the clerk without a change of the open points that end the exchange, 2 to 20",
        "3",
    ),
    OptionDoc::integer(
        "patience",
        (1, 20),
        "maximum number of turns that a participant waits, if at most patience + 1 take part, 1 to 20",
        "3",
    ),
    OptionDoc::number(
        "circling",
        (0.0, 1.0),
        "overlap of content words above which the talk counts as circling, 0 to 1",
        "0.6",
    ),
    OptionDoc::number(
        "circling_meaning",
        (0.0, 1.0),
        "mean similarity by an embedder above which the talk counts as circling, 0 to 1",
        "0.6",
    ),
    OptionDoc::integer("circling_turns", (2, 20), "latest turns compared with as many before them, 2 to 20", "4"),
    OptionDoc::integer(
        "unanswered",
        (1, 20),
        "turns after which an unanswered challenge leads to a hint, 1 to 20",
        "3",
    ),
    OptionDoc::integer("challenges", (2, 20), "consecutive challenges that lead to a hint, 2 to 20", "4"),
    OptionDoc::integer("pairs", (1, 80), "pairs of claims in one comparison, 1 to 80", "60"),
    OptionDoc::integer("passages", (0, 12), "passages of its own corpus supplied to a speaker, 0 to 12", "4"),
    OptionDoc::integer("max_tokens", (256, 32_000), "maximum number of tokens in a reply, 256 to 32000", "4096"),
    OptionDoc::choice(
        "brevity",
        &["short", "medium", "long"],
        "length of a turn: `short` (one or two sentences), `medium` (two to four) or `long` (four to eight)",
        "\"medium\"",
    ),
    manner::COMBATIVENESS,
    options::SEARCHES,
    options::SHARED_CORPUS,
    options::AUDIT,
    options::QUORUM,
];

/// Concatenates the documentation of an engine's own options and of the talk options. `ALL` is their total number.
pub const fn documented<const OWN: usize, const ALL: usize>(own: [OptionDoc; OWN]) -> [OptionDoc; ALL] {
    assert!(ALL == OWN + DOCS.len(), "ALL is not the number of all options");
    let mut all = [DOCS[0]; ALL];
    let mut at = 0;
    while at < ALL {
        all[at] = if at < OWN { own[at] } else { DOCS[at - OWN] };
        at += 1;
    }
    all
}

/// All options of a talk engine.
#[derive(Clone, Debug, Serialize)]
pub struct TalkEngineOptions<O> {
    /// Options of the engine itself.
    #[serde(flatten)]
    pub own: O,
    /// Options that all talk engines have.
    #[serde(flatten)]
    pub talk: TalkOptions,
}

/// Reads an engine's own options and the talk options.
///
/// # Errors
/// [`Refusal`] if an option is unknown, has the wrong type or is out of range.
pub fn read<O: DeserializeOwned + Serialize + Default>(
    given: &Value,
    known: &'static [OptionDoc],
) -> Result<TalkEngineOptions<O>, Refusal> {
    let (mut own, mut shared) = (given.clone(), given.clone());
    if let (Some(own), Some(shared)) = (own.as_object_mut(), shared.as_object_mut()) {
        let is_shared = |name: &str| DOCS.iter().any(|option| option.name == name);
        own.retain(|name, _| !is_shared(name));
        shared.retain(|name, _| is_shared(name));
    }
    let read = TalkEngineOptions { own: options::read(&own, known)?, talk: options::read(&shared, known)? };
    options::check(&read, known)?;
    Ok(read)
}

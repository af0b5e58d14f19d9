//! Options of the baseline engine. They are recorded in the opening event.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engines::shared::manner::Brevity;
use crate::engines::shared::options;
use crate::engines::talk::common_options::TalkOptions;
use crate::events::audit::AuditSetting;
use crate::events::ids::{DebateId, PersonaId};
use crate::kernel::engine::{OptionDoc, Refusal};

/// Registered name of the engine.
pub const NAME: &str = "baseline";

/// Maximum number of turns, which one reading of the clerk covers.
const MAX_TURNS: u32 = 40;

/// Way in which a talk comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// One model writes the whole talk in one reply.
    OneShot,
    /// The participants speak in turn, each with a model of its own, and are asked for nothing but what they say.
    FreeTalk,
}

/// Recorded talk: the turns of a debate, up to a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedTalk {
    /// The debate.
    pub debate: DebateId,
    /// Version up to which its turns are taken.
    pub version: u32,
}

/// Engine whose clerk reads the talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clerk {
    /// That of `disputes`: questions, stances and reasons.
    Disputes,
    /// That of `dialogue`: arguments and attacks.
    Dialogue,
}

impl Clerk {
    /// Returns the name of the engine.
    pub fn name(self) -> &'static str {
        match self {
            Clerk::Disputes => "disputes",
            Clerk::Dialogue => "dialogue",
        }
    }
}

/// Values of the options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BaselineOptions {
    /// Way in which the talk comes about.
    pub method: Method,
    /// Recorded talk that is read instead of a new one, whatever the method is; `None` for a new talk.
    pub of: Option<RecordedTalk>,
    /// Engine whose clerk reads the talk.
    pub clerk: Clerk,
    /// Maximum number of turns that are written or spoken; at least one for each participant.
    pub talk_turns: u32,
    /// Maximum number of new disputes that the clerk of `disputes` reads at once.
    pub new_disputes: u32,
    /// Share of common content words from which two questions count as the same.
    pub alike: f64,
    /// Number of passages supplied to a speaker of a free talk.
    pub passages: u32,
    /// Maximum number of tokens in a reply.
    pub max_tokens: u32,
    /// Length of a turn.
    pub brevity: Brevity,
    /// Number of searches that each participant may ask for before an answer.
    pub searches: u32,
    /// Corpus of which all participants are given passages; `None` for none.
    pub shared_corpus: Option<PersonaId>,
    /// Setting of the audit.
    pub audit: AuditSetting,
    /// Number of participants who must take one side of a dispute before it is common ground; `None` requires all.
    pub quorum: Option<u32>,
}

impl Default for BaselineOptions {
    fn default() -> Self {
        BaselineOptions {
            method: Method::OneShot,
            of: None,
            clerk: Clerk::Disputes,
            talk_turns: 8,
            new_disputes: 3,
            alike: 1.0,
            passages: 4,
            max_tokens: 4_096,
            brevity: Brevity::Medium,
            searches: 0,
            shared_corpus: None,
            audit: AuditSetting::Required,
            quorum: None,
        }
    }
}

/// Documentation of the options.
pub const OPTIONS: &[OptionDoc] = &[
    OptionDoc::choice(
        "method",
        &["one_shot", "free_talk"],
        "`one_shot` (one model writes the whole talk in one reply) or `free_talk` (participants speak in turn, without a protocol)",
        "\"one_shot\"",
    ),
    OptionDoc::json(
        "of",
        "debate whose talk is read instead of a new one, and its version: `{\"debate\": ID, \"version\": N}`, set by `faultline redistill`; null for a new talk",
        "null",
    ),
    OptionDoc::choice(
        "clerk",
        &["disputes", "dialogue"],
        "engine whose clerk reads the talk: `disputes` (questions, stances and reasons) or `dialogue` (arguments and attacks)",
        "\"disputes\"",
    ),
    OptionDoc::integer(
        "talk_turns",
        (2, MAX_TURNS),
        "maximum number of turns that are written or spoken, 2 to 40, and at least one for each participant",
        "8",
    ),
    OptionDoc::integer(
        "new_disputes",
        (1, 12),
        "disputes that the clerk of `disputes` reads at once at most, 1 to 12",
        "3",
    ),
    OptionDoc::number(
        "alike",
        (0.0, 1.0),
        "share of common content words from which two questions count as the same, 0 to 1",
        "1.0",
    ),
    OptionDoc::integer(
        "passages",
        (0, 12),
        "passages of its own corpus supplied to a speaker of a free talk, 0 to 12",
        "4",
    ),
    OptionDoc::integer("max_tokens", (256, 32_000), "maximum number of tokens in a reply, 256 to 32000", "4096"),
    OptionDoc::choice(
        "brevity",
        &["short", "medium", "long"],
        "length of a turn: `short` (one or two sentences), `medium` (two to four) or `long` (four to eight)",
        "\"medium\"",
    ),
    options::SEARCHES,
    options::SHARED_CORPUS,
    options::AUDIT,
    options::QUORUM,
];

impl BaselineOptions {
    /// Returns the options of the talk. The clerk reads all of a new talk at once, and as many turns of a recorded one as its
    /// own engine shows it.
    pub fn talk(&self) -> TalkOptions {
        let most_distilled = self.of.map_or(MAX_TURNS, |_| TalkOptions::default().most_distilled);
        TalkOptions {
            turn_budget: self.talk_turns,
            most_distilled,
            shown_turns: MAX_TURNS,
            passages: self.passages,
            max_tokens: self.max_tokens,
            brevity: self.brevity,
            searches: self.searches,
            shared_corpus: self.shared_corpus.clone(),
            audit: self.audit,
            quorum: self.quorum,
            ..TalkOptions::default()
        }
    }
}

/// Reads the options; `null` means that none are given.
///
/// # Errors
/// [`Refusal`] if an option is unknown, has the wrong type or is out of its range.
pub fn read(given: &Value) -> Result<BaselineOptions, Refusal> {
    let read: BaselineOptions = options::read(given, OPTIONS)?;
    options::check(&read, OPTIONS)?;
    Ok(read)
}

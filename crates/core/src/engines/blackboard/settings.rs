//! Options of blackboard debates. They are recorded in the opening event.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engines::shared::manner::{self, Brevity, Combativeness};
use crate::engines::shared::options;
use crate::engines::talk::common_options::TalkOptions;
use crate::engines::talk::dispute_clerk::dispute_clerk::DisputeClerkOptions;
use crate::events::audit::AuditSetting;
use crate::events::ids::PersonaId;
use crate::kernel::engine::{OptionDoc, Refusal};

/// Number of latest turns shown to a speaker at least; fewer than twice as many are shown.
const SHOWN_TURNS: u32 = 8;

/// Values of the options that both engines have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BlackboardOptions {
    /// Maximum number of questions into which the topic is decomposed.
    pub questions: u32,
    /// Maximum number of rounds at the first tables.
    pub rounds: u32,
    /// Maximum number of rounds at the final table.
    pub final_rounds: u32,
    /// Number of participants at a table, if there are enough for several.
    pub table_size: u32,
    /// Maximum number of disputes that the final table takes up.
    pub focus: u32,
    /// Number of rounds without a change after which a divided table ends.
    pub stable: u32,
    /// Share of the stances on one side, weighted by confidence, from which a dispute counts as converged.
    pub converged: f64,
    /// Maximum number of new disputes in one distillation.
    pub new_disputes: u32,
    /// Share of common content words from which two questions count as the same.
    pub alike: f64,
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

impl Default for BlackboardOptions {
    fn default() -> Self {
        let clerk = DisputeClerkOptions::default();
        BlackboardOptions {
            questions: 4,
            rounds: 5,
            final_rounds: 2,
            table_size: 5,
            focus: 3,
            stable: 2,
            converged: 0.8,
            new_disputes: clerk.new_disputes,
            alike: clerk.alike,
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

/// Documents the options, with the number of rounds at the first tables and at the final table.
pub const fn documented(rounds: OptionDoc, final_rounds: OptionDoc) -> [OptionDoc; 17] {
    [
        OptionDoc::integer(
            "questions",
            (2, 4),
            "maximum number of questions into which the topic is decomposed, 2 to 4",
            "4",
        ),
        rounds,
        final_rounds,
        OptionDoc::integer(
            "table_size",
            (3, 5),
            "participants at a table, 3 to 5; with fewer than six participants there is one table",
            "5",
        ),
        OptionDoc::integer("focus", (1, 6), "maximum number of disputes that the final table takes up, 1 to 6", "3"),
        OptionDoc::integer("stable", (1, 10), "rounds without a change after which a divided table ends, 1 to 10", "2"),
        OptionDoc::number(
            "converged",
            (0.5, 1.0),
            "share of the stances on one side, weighted by confidence, from which a dispute has converged, 0.5 to 1",
            "0.8",
        ),
        OptionDoc::integer("new_disputes", (1, 12), "new disputes per distillation, 1 to 12", "2"),
        OptionDoc::number(
            "alike",
            (0.0, 1.0),
            "share of common content words from which two questions count as the same, 0 to 1",
            "1.0",
        ),
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
    ]
}

impl BlackboardOptions {
    /// Returns the options of the clerk that distils disputes.
    pub fn clerk(&self) -> DisputeClerkOptions {
        DisputeClerkOptions { new_disputes: self.new_disputes, alike: self.alike }
    }

    /// Returns the options of the talk on the board.
    pub fn talk(&self) -> TalkOptions {
        TalkOptions {
            shown_turns: SHOWN_TURNS,
            passages: self.passages,
            max_tokens: self.max_tokens,
            brevity: self.brevity,
            combativeness: self.combativeness,
            searches: self.searches,
            shared_corpus: self.shared_corpus.clone(),
            audit: self.audit,
            quorum: self.quorum,
            ..TalkOptions::default()
        }
    }
}

/// Reads options on top of an engine's defaults; `null` means that none are given.
///
/// # Errors
/// [`Refusal`] if an option is unknown, has the wrong type or is out of its range.
pub fn read(
    given: &Value,
    known: &'static [OptionDoc],
    defaults: &BlackboardOptions,
) -> Result<BlackboardOptions, Refusal> {
    let mut all = options::with_defaults(defaults);
    let read = match (all.as_object_mut(), given.as_object()) {
        (Some(all), Some(given)) => {
            all.extend(given.clone());
            options::read(&Value::Object(all.clone()), known)?
        }
        _ if given.is_null() => defaults.clone(),
        _ => options::read(given, known)?,
    };
    let read: BlackboardOptions = read;
    options::check(&read, known)?;
    Ok(read)
}

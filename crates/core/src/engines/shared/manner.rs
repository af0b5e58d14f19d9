//! Manner of speaking that the settings of a debate ask for: how much is said, and how speakers meet each other.

use serde::{Deserialize, Serialize};

use crate::kernel::engine::OptionDoc;

/// Documentation of the option `brevity` of engines that are no talks.
pub const BREVITY: OptionDoc = OptionDoc::choice(
    "brevity",
    &["short", "medium", "long"],
    "length of what is said aloud: `short` (one sentence), `medium` (one to three) or `long` (three to six)",
    "\"medium\"",
);

/// Documentation of the option `combativeness`.
pub const COMBATIVENESS: OptionDoc = OptionDoc::choice(
    "combativeness",
    &["low", "medium", "high"],
    "manner of speaking: `low` (seeks what can be granted), `medium` or `high` (grants only what it must)",
    "\"medium\"",
);

/// Length of what a speaker is asked to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Brevity {
    /// One or two sentences a turn of a talk.
    Short,
    /// Two to four sentences a turn of a talk.
    #[default]
    Medium,
    /// Four to eight sentences a turn of a talk.
    Long,
}

impl Brevity {
    /// Returns the length of a turn in words for a speaker.
    pub fn turn(self) -> &'static str {
        match self {
            Brevity::Short => "one or two sentences",
            Brevity::Medium => "two to four sentences",
            Brevity::Long => "four to eight sentences",
        }
    }

    /// Returns the length of what is said with arguments or a proposal in words for a speaker.
    pub fn speech(self) -> &'static str {
        match self {
            Brevity::Short => "one sentence",
            Brevity::Medium => "one to three sentences",
            Brevity::Long => "three to six sentences",
        }
    }

    /// Returns the length of the reasoning for a proposal in words for a speaker.
    pub fn reasoning(self) -> &'static str {
        match self {
            Brevity::Short => "one sentence",
            Brevity::Medium => "two or three sentences",
            Brevity::Long => "three to six sentences",
        }
    }

    /// Returns the length of first and last words in words for a speaker.
    pub fn statement(self) -> &'static str {
        match self {
            Brevity::Short => "two or three sentences",
            Brevity::Medium => "four to six sentences",
            Brevity::Long => "six to ten sentences",
        }
    }
}

/// Manner in which speakers are asked to meet each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Combativeness {
    /// Look first for what can be granted.
    Low,
    /// Grant what is right and dispute what is wrong.
    #[default]
    Medium,
    /// Go for the weakest step, and grant only what must be granted.
    High,
}

impl Combativeness {
    /// Returns the name of the template section that describes the manner.
    pub fn section(self) -> &'static str {
        match self {
            Combativeness::Low => "manner_low",
            Combativeness::Medium => "manner_medium",
            Combativeness::High => "manner_high",
        }
    }
}

//! Audits: a second reading of the words on which a verdict rests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::dispute::Side;
use crate::events::lifecycle::DebateOpened;
use crate::events::summary::{Summarize, refused_parts, short};

/// An auditor read quoted words once more. It saw a question, the words and their neighbouring sentences, but neither who
/// said them nor what was recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WordsAudited {
    /// The auditor, and whether it was qualified at this time. The readings of an auditor that was not are shown and
    /// never counted.
    pub auditor: Auditor,
    /// Readings, each of the words of one event.
    pub readings: Vec<WordsReading>,
    /// Versions of events about whose words the auditor was asked and gave no reading.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<i64>,
    /// Parts of the reply that were rejected, each with the reason; the rest was accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}

impl Summarize for WordsAudited {
    fn summary(&self) -> String {
        let asked = self.readings.len() + self.unread.len();
        let qualified = if self.auditor.qualified { "" } else { ", not qualified" };
        let (by, refused) = (&self.auditor.model, refused_parts(&self.refused));
        format!("{} of {asked} read by {by}{qualified}{refused}", self.readings.len())
    }
}

/// Auditor, with the measurement that qualifies it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Auditor {
    /// Registered name of the provider.
    pub provider: String,
    /// Provider and model, as named by the provider.
    pub model: String,
    /// Revision of the audit: prompt and calibration set.
    pub revision: i32,
    /// True if the auditor was qualified when it read the words.
    pub qualified: bool,
    /// Basis on which the auditor is qualified or not.
    pub basis: QualificationBasis,
    /// Precision of the sides that it took on the calibration set, from 0 to 1; absent if it took none or was not
    /// measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    /// Share of the calibration set's sides that it took rightly, from 0 to 1; absent if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recall: Option<f64>,
}

/// Basis on which an auditor is qualified or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QualificationBasis {
    /// It read the calibration set.
    Measured,
    /// It answers from annotations of the very words, and gives no reading of others.
    Annotations,
    /// It has not read the calibration set in this revision.
    Unmeasured,
}

/// Reading of the words of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WordsReading {
    /// Version of the event that recorded the words.
    pub event: i64,
    /// The question that was asked about them.
    pub asked: AuditQuestion,
    /// The answer.
    pub reading: Reading,
}

/// Kind of question that is asked about words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuditQuestion {
    /// Side of the dispute that the words take.
    Side,
    /// Faithfulness of a distilled claim: do the words say it?
    Claim,
    /// Concession: do the words give ground?
    Concession,
    /// Grant: do the words grant a statement of another participant?
    Grant,
    /// Agreement: do the words agree with a crux or accept a proposal?
    Agreement,
}

/// Answer of an auditor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// The words say yes.
    Yes,
    /// The words say no.
    No,
    /// The words split the answer: yes in one case, no in another.
    Nuanced,
    /// The words do not answer the question.
    None,
}

impl Reading {
    /// Returns the wire name: `yes`, `no`, `nuanced` or `none`.
    pub fn name(self) -> &'static str {
        match self {
            Reading::Yes => "yes",
            Reading::No => "no",
            Reading::Nuanced => "nuanced",
            Reading::None => "none",
        }
    }

    /// Returns true if words that take this side were read alike. Undecided words take no side.
    pub fn confirms_side(self, side: Side) -> bool {
        self == Reading::of_side(side)
    }

    /// Returns true unless the words were read as the side opposite to this one: a thesis need not name its side.
    pub fn confirms_thesis(self, side: Side) -> bool {
        !matches!((self, side), (Reading::Yes, Side::No) | (Reading::No, Side::Yes))
    }

    /// Returns true if the words were read as saying what was recorded: a claim, an agreement, an acceptance.
    pub fn confirms_assent(self) -> bool {
        self == Reading::Yes
    }

    /// Returns true if the words were read as giving ground, wholly or in part.
    pub fn confirms_concession(self) -> bool {
        matches!(self, Reading::Yes | Reading::Nuanced)
    }

    /// Returns the reading that agrees with a recorded side.
    pub fn of_side(side: Side) -> Reading {
        match side {
            Side::Yes => Reading::Yes,
            Side::No => Reading::No,
            Side::Nuanced => Reading::Nuanced,
            Side::Undecided => Reading::None,
        }
    }
}

/// Setting of a debate: whether an agreement must be audited. It is the option `audit` of every engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuditSetting {
    /// Without an audit by a qualified auditor there is no consensus.
    #[default]
    Required,
    /// No audit is asked for, and none is needed.
    Off,
}

impl AuditSetting {
    /// Returns the setting of a debate. Debates that were opened before the option existed require an audit.
    pub fn of(opened: &DebateOpened) -> AuditSetting {
        match opened.options.get("audit").and_then(serde_json::Value::as_str) {
            Some("off") => AuditSetting::Off,
            _ => AuditSetting::Required,
        }
    }
}

/// Somebody asked for an audit of a debate that has ended. What follows up to `audit_concluded` belongs to the audit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditRequested {
    /// Registered name of the provider that is asked.
    pub provider: String,
}

impl Summarize for AuditRequested {
    fn summary(&self) -> String {
        format!("of {}", self.provider)
    }
}

/// The audit of a debate that had ended is over. Nothing can follow but a request for another one, or for probes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditConcluded {
    /// Result in words: how much was read, or why nothing was.
    pub reason: String,
}

impl Summarize for AuditConcluded {
    fn summary(&self) -> String {
        short(&self.reason)
    }
}

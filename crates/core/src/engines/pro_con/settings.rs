//! Options of the engine. They are recorded in the opening event.

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
const SHOWN_TURNS: u32 = 6;

/// Documentation of all options.
pub const OPTIONS: &[OptionDoc] = &[
    OptionDoc::integer("rounds", (1, 10), "number of rounds, 1 to 10; in each, everybody speaks once", "3"),
    OptionDoc::texts(
        "pro",
        "ids of those who speak for the motion; the others are assigned by their opening statements",
        "[]",
    ),
    OptionDoc::texts(
        "con",
        "ids of those who speak against it; the others are assigned by their opening statements",
        "[]",
    ),
    OptionDoc::integer(
        "words",
        (200, 1_000),
        "maximum number of words of a speech, 200 to 1000; a longer one is refused once, then cut",
        "500",
    ),
    OptionDoc::choice(
        "fact_check",
        &["off", "standard", "strict"],
        "`off`, `standard` (claims are checked after a speech) or `strict` (a draft with a claim found false is rejected)",
        "\"standard\"",
    ),
    OptionDoc::integer(
        "retries",
        (0, 5),
        "maximum number of rejected drafts of a speech; the next draft is taken all the same, 0 to 5",
        "3",
    ),
    OptionDoc::integer("claims", (1, 5), "maximum number of claims of a speech that are checked, 1 to 5", "5"),
    OptionDoc::integer("evidence", (1, 10), "number of texts found for a claim that the checker reads, 1 to 10", "5"),
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
        "length of opening statements and last words: `short` (two or three sentences), `medium` (four to six) or `long`",
        "\"medium\"",
    ),
    manner::COMBATIVENESS,
    options::SEARCHES,
    options::SHARED_CORPUS,
    options::AUDIT,
    options::QUORUM,
];

/// Mode of fact checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactCheckMode {
    /// No checks.
    Off,
    /// Claims of a speech are checked after it, and all later speakers are shown the results.
    Standard,
    /// Claims are checked before a speech is taken. A draft with a claim found false is rejected.
    Strict,
}

/// Values of the options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProConOptions {
    /// Number of rounds.
    pub rounds: u32,
    /// Participants who speak for the motion.
    pub pro: Vec<PersonaId>,
    /// Participants who speak against it.
    pub con: Vec<PersonaId>,
    /// Maximum number of words of a speech.
    pub words: u32,
    /// Mode of fact checks.
    pub fact_check: FactCheckMode,
    /// Maximum number of rejected drafts of a speech.
    pub retries: u32,
    /// Maximum number of claims of a speech that are checked.
    pub claims: u32,
    /// Number of texts that the checker of a claim reads.
    pub evidence: u32,
    /// Maximum number of new disputes in one distillation.
    pub new_disputes: u32,
    /// Share of common content words from which two questions count as the same.
    pub alike: f64,
    /// Number of passages supplied to a speaker.
    pub passages: u32,
    /// Maximum number of tokens in a reply.
    pub max_tokens: u32,
    /// Length of opening statements and last words.
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

impl Default for ProConOptions {
    fn default() -> Self {
        let clerk = DisputeClerkOptions::default();
        ProConOptions {
            rounds: 3,
            pro: Vec::new(),
            con: Vec::new(),
            words: 500,
            fact_check: FactCheckMode::Standard,
            retries: 3,
            claims: 5,
            evidence: 5,
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

impl ProConOptions {
    /// Returns the options of the clerk that distils disputes.
    pub fn clerk(&self) -> DisputeClerkOptions {
        DisputeClerkOptions { new_disputes: self.new_disputes, alike: self.alike }
    }

    /// Returns the options of the talk.
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

    /// Lists all values that are out of their range.
    fn faults(&self) -> Vec<String> {
        let ranges = options::range_faults(self, OPTIONS).into_iter();
        let named: Vec<&PersonaId> = self.pro.iter().chain(&self.con).collect();
        let twice = named.iter().enumerate().filter(|(at, id)| named[..*at].contains(id));
        let twice = twice.map(|(_, id)| format!("{id} is named twice in the options pro and con"));
        ranges.chain(twice).collect()
    }
}

/// Reads the options; `null` means that none are given.
///
/// # Errors
/// [`Refusal`] if an option is unknown or has the wrong type, or that names all options out of their ranges, and all
/// participants with two sides.
pub fn read(given: &Value) -> Result<ProConOptions, Refusal> {
    let read: ProConOptions = options::read(given, OPTIONS)?;
    match read.faults().as_slice() {
        [] => Ok(read),
        faults => Err(Refusal::invalid(faults.join("; "))),
    }
}

/// Checks that everybody with a side takes part.
///
/// # Errors
/// [`Refusal`] that names all who do not.
pub fn check_sides(options: &ProConOptions, participants: &[PersonaId]) -> Result<(), Refusal> {
    let is_absent = |id: &&PersonaId| !participants.contains(id);
    let absent: Vec<&str> = options.pro.iter().chain(&options.con).filter(is_absent).map(PersonaId::as_str).collect();
    let mut faults = Vec::new();
    if !absent.is_empty() {
        faults.push(format!("the options pro and con name {}, who do not take part", absent.join(", ")));
    }
    for (side, named, other) in [("pro", &options.pro, "con"), ("con", &options.con, "pro")] {
        if !participants.is_empty() && participants.iter().all(|id| named.contains(id)) {
            faults.push(format!("all participants are named in the option {side}; leave somebody for {other}"));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Refusal::invalid(faults.join("; "))) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_faults_of_the_options_are_told_at_once() {
        let given = json!({ "rounds": 0, "words": 100, "claims": 6, "pro": ["ada"], "con": ["ben", "ada"] });
        let refusal = read(&given).expect_err("faults");
        assert_eq!(
            refusal.reason,
            "the option rounds is 0; it must be between 1 and 10; the option words is 100; it must be between 200 and 1000; \
             the option claims is 6; it must be between 1 and 5; ada is named twice in the options pro and con"
        );
    }

    #[test]
    fn sides_are_those_of_participants_and_leave_somebody_for_the_other() {
        let check = |given: Value, expected: &[&str]| {
            let participants = ["ada", "ben"].map(|id| id.parse().expect("an id"));
            let checked = check_sides(&read(&given).expect("options"), &participants);
            let told = checked.err().map(|refusal| refusal.reason).unwrap_or_default();
            assert_eq!(told, expected.join("; "), "{given}");
        };
        check(Value::Null, &[]);
        check(json!({ "pro": ["ada"], "con": ["ben"] }), &[]);
        check(json!({ "pro": ["cy"], "con": ["di"] }), &["the options pro and con name cy, di, who do not take part"]);
        check(
            json!({ "pro": ["ben", "ada"] }),
            &["all participants are named in the option pro; leave somebody for con"],
        );
    }
}

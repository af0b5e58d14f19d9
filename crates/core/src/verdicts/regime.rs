//! Regime: overall state of a debate.

use serde::{Deserialize, Serialize};

use crate::verdicts::coverage::Coverage;

/// Overall state of a debate, with the reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Regime {
    /// Kind of regime.
    pub kind: RegimeKind,
    /// Reason, in words.
    pub reason: String,
    /// Share of possible conflicts that were examined.
    pub coverage: Coverage,
    /// True if all computed sets are complete and all events are known.
    pub exact: bool,
    /// Number of events whose kind or schema this version does not know; they may contain more than the verdict shows.
    #[serde(default)]
    pub unknown_events: u32,
}

/// Kind of regime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegimeKind {
    /// Nothing can be concluded yet.
    Undetermined,
    /// Participants agree on something, nothing is split, and every pair of claims was examined.
    Consensus,
    /// Something is split, and nothing is agreed.
    Polarized,
    /// Something is split, and something is agreed.
    Partial,
}

/// Beginning of the reason if nothing but an audit is missing for a consensus.
const NOT_AUDITED: &str = "agreed, not audited";
/// Words before the clause that says why no qualified auditor read what participants agree on or granted.
const UNREAD: &str = ", not audited: ";

impl Regime {
    /// True if nothing but an audit is missing for a consensus.
    pub fn lacks_only_audit(&self) -> bool {
        self.kind == RegimeKind::Undetermined && self.reason.starts_with(NOT_AUDITED)
    }

    /// Explains the regime in one sentence that says no more than its reason does. `agreed` and `granted` are the numbers
    /// of agreed disputes and of granted statements.
    pub fn in_words(&self, agreed: usize, granted: usize) -> &'static str {
        let is_compared = self.coverage.pairs + self.coverage.asked > 0;
        match (self.kind, agreed, granted) {
            (RegimeKind::Consensus, ..) => "The participants agree, and everything was examined.",
            (RegimeKind::Polarized, ..) => "The participants disagree.",
            (RegimeKind::Partial, 0, _) if self.reason.contains(UNREAD) => {
                "The participants disagree; some of what one said, another granted, and no qualified auditor has confirmed it."
            }
            (RegimeKind::Partial, ..) if self.reason.contains(UNREAD) => {
                "The participants disagree, and no qualified auditor has confirmed what they agree on."
            }
            (RegimeKind::Partial, 0, _) => "The participants disagree; some of what one said, another granted.",
            (RegimeKind::Partial, ..) => "The participants agree on some points and disagree on others.",
            (RegimeKind::Undetermined, 0, 0) if !is_compared => "There was nothing to compare.",
            (RegimeKind::Undetermined, 0, 0) => {
                "No question that was asked has both a yes and a no, and no answer is agreed upon."
            }
            (RegimeKind::Undetermined, 0, _) => {
                "Some of what one said, another granted; no question that was asked has both a yes and a no, and no answer is agreed upon."
            }
            (RegimeKind::Undetermined, ..) if self.lacks_only_audit() => {
                "As recorded, the participants agree; no qualified auditor has confirmed their words."
            }
            (RegimeKind::Undetermined, ..) => "The participants agree on something, but that is no consensus yet.",
        }
    }
}

impl RegimeKind {
    /// Name of the regime: `undetermined`, `consensus`, `polarized`, `partial`.
    pub fn name(self) -> &'static str {
        match self {
            RegimeKind::Undetermined => "undetermined",
            RegimeKind::Consensus => "consensus",
            RegimeKind::Polarized => "polarized",
            RegimeKind::Partial => "partial",
        }
    }
}

/// Findings from which a regime is derived.
#[derive(Clone, Debug)]
pub struct Findings {
    /// True if participants take opposite sides on the topic.
    pub split_topic: bool,
    /// Number of disputes with a yes and a no, other than the topic.
    pub split_disputes: usize,
    /// True if the arguments fall into camps that conflict with each other.
    pub split_camps: bool,
    /// Number of disputes on which the participants agree, the topic included.
    pub agreed: usize,
    /// Number of statements that others granted in words.
    pub granted: usize,
    /// Share of possible conflicts that were examined.
    pub coverage: Coverage,
    /// True if all computed sets are complete.
    pub exact: bool,
    /// Number of events that this version does not know.
    pub unknown_events: u32,
    /// Conditions of a consensus that are not met, each as a clause.
    pub obstacles: Vec<String>,
    /// Condition of a consensus that the audit does not meet, as a clause.
    pub audit_obstacle: Option<String>,
    /// Contradictions within what would be common ground, each as a clause.
    pub contradictions: Vec<String>,
}

/// Derives the regime. Absence of a split is not agreement: consensus requires agreement on a dispute, full coverage,
/// complete sets, no unknown events, none of the obstacles, and an audit if the debate requires one. Granted statements
/// are common ground beside a split, but without agreement on a dispute they determine nothing.
pub fn regime(findings: Findings) -> Regime {
    let Findings { split_topic, split_disputes, split_camps, agreed, granted, coverage, unknown_events, .. } = findings;
    let Findings { exact: complete, obstacles, audit_obstacle, contradictions, .. } = findings;
    let exact = complete && unknown_events == 0;
    let splits: Vec<String> = [
        split_topic.then(|| "opposite sides on the topic".to_owned()),
        (split_disputes > 0).then(|| format!("{split_disputes} open {}", plural(split_disputes, "dispute"))),
        split_camps.then(|| "camps of arguments that conflict with each other".to_owned()),
    ]
    .into_iter()
    .flatten()
    .collect();
    let agreements: Vec<String> = [
        (agreed > 0).then(|| format!("{agreed} {} answered alike", plural(agreed, "question"))),
        (granted > 0).then(|| format!("{granted} {} granted", plural(granted, "statement"))),
    ]
    .into_iter()
    .flatten()
    .collect();
    let common = listed(&agreements);
    let unread = audit_obstacle.as_ref().map(|clause| format!("{UNREAD}{clause}")).unwrap_or_default();
    let (kind, reason) = match (splits.is_empty(), agreed > 0) {
        (false, _) if !agreements.is_empty() => (RegimeKind::Partial, format!("{}; {common}{unread}", listed(&splits))),
        (false, _) => (RegimeKind::Polarized, format!("{}; no answer is agreed upon", listed(&splits))),
        (true, false) if granted > 0 => {
            let reason =
                format!("{common}, but no dispute is agreed upon and no split was found; {}", coverage.in_words());
            (RegimeKind::Undetermined, reason)
        }
        (true, false) => (
            RegimeKind::Undetermined,
            format!(
                "no answer is agreed upon, and no question that was asked has both a yes and a no; {}",
                coverage.in_words()
            ),
        ),
        (true, true) => {
            let missing: Vec<String> = [
                (unknown_events > 0).then(|| "not all events are known".to_owned()),
                (!complete).then(|| "not all extensions could be computed".to_owned()),
                (!coverage.is_complete()).then(|| coverage.lacking()),
            ]
            .into_iter()
            .flatten()
            .chain(obstacles)
            .collect();
            match (missing.is_empty(), audit_obstacle) {
                (true, None) => (RegimeKind::Consensus, format!("{common}, none split, and {}", covered(coverage))),
                (true, Some(clause)) => {
                    let found = format!("{common} and no split was found");
                    (RegimeKind::Undetermined, format!("{NOT_AUDITED}: {found}, but {clause}"))
                }
                (false, clause) => {
                    let missing: Vec<String> = missing.into_iter().chain(clause).collect();
                    (RegimeKind::Undetermined, format!("{common} and no split was found, but {}", listed(&missing)))
                }
            }
        }
    };
    let unknown = match unknown_events {
        0 => String::new(),
        n => format!("; this version does not know {n} {}", plural(n as usize, "event")),
    };
    let contradictions: String = contradictions.iter().map(|clause| format!("; {clause}")).collect();
    Regime { kind, reason: reason + &contradictions + &unknown, coverage, exact, unknown_events }
}

/// States what was covered completely.
fn covered(coverage: Coverage) -> &'static str {
    match (coverage.pairs > 0, coverage.asked > 0) {
        (true, true) => "every pair of claims was examined and every question answered by all",
        (true, false) => "every pair of claims was examined",
        (false, _) => "every question was answered by all",
    }
}

/// Joins clauses with commas, and the last two with `and`.
fn listed(clauses: &[String]) -> String {
    match clauses {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

fn plural(n: usize, word: &str) -> String {
    if n == 1 { word.to_owned() } else { format!("{word}s") }
}

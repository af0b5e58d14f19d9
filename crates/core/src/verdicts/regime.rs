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
#[derive(Clone, Copy, Debug)]
pub struct Findings {
    /// Number of disputes with a yes and a no.
    pub split_disputes: usize,
    /// True if the arguments fall into camps that conflict with each other.
    pub split_camps: bool,
    /// Number of disputes on which the participants agree.
    pub agreed: usize,
    /// Share of possible conflicts that were examined.
    pub coverage: Coverage,
    /// True if all computed sets are complete.
    pub exact: bool,
    /// Number of events that this version does not know.
    pub unknown_events: u32,
}

/// Derives the regime. Absence of a split is not agreement: consensus requires agreement on something, full coverage,
/// complete sets, and no unknown events.
pub fn regime(findings: Findings) -> Regime {
    let Findings { split_disputes, split_camps, agreed, coverage, unknown_events, .. } = findings;
    let exact = findings.exact && unknown_events == 0;
    let split = split_disputes > 0 || split_camps;
    let splits = match (split_disputes, split_camps) {
        (0, _) => "the arguments fall into camps that conflict with each other".to_owned(),
        (n, false) => format!("{n} open {}", plural(n, "dispute")),
        (n, true) => format!("{n} open {}, and camps of arguments that conflict with each other", plural(n, "dispute")),
    };
    let common = format!("{agreed} {} agreed upon", plural(agreed, "dispute"));
    let looked = format!("{} of {} pairs of claims were examined", coverage.examined, coverage.pairs);
    let (kind, reason) = match (split, agreed > 0) {
        (true, true) => (RegimeKind::Partial, format!("{splits}; {common}")),
        (true, false) => (RegimeKind::Polarized, format!("{splits}; nothing is agreed upon")),
        (false, true) if coverage.is_complete() && exact => {
            (RegimeKind::Consensus, format!("{common}, none split, and every pair of claims was examined"))
        }
        (false, true) if unknown_events > 0 => {
            (RegimeKind::Undetermined, format!("{common} and no split was found, but not all events are known"))
        }
        (false, true) if !exact => (
            RegimeKind::Undetermined,
            format!("{common} and no split was found, but not all extensions could be computed"),
        ),
        (false, true) => (RegimeKind::Undetermined, format!("{common} and no split was found, but only {looked}")),
        (false, false) => (RegimeKind::Undetermined, format!("nothing is agreed and no split was found; {looked}")),
    };
    let unknown = match unknown_events {
        0 => String::new(),
        n => format!("; this version does not know {n} {}", plural(n as usize, "event")),
    };
    Regime { kind, reason: reason + &unknown, coverage, exact, unknown_events }
}

fn plural(n: usize, word: &str) -> String {
    if n == 1 { word.to_owned() } else { format!("{word}s") }
}

//! What kind of state a debate is in.

use serde::{Deserialize, Serialize};

use crate::verdicts::coverage::Coverage;

/// The state of a debate as a whole, and why it is called so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Regime {
    /// Which.
    pub kind: RegimeKind,
    /// Why, in words.
    pub reason: String,
    /// How much of what could be in conflict was looked at.
    pub coverage: Coverage,
    /// Whether every set it rests on is complete, and everything that was recorded is known.
    pub exact: bool,
    /// Events of kinds, or in shapes, that this version does not know: more may have been said than the verdict tells.
    #[serde(default)]
    pub unknown_events: u32,
}

/// Kinds of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegimeKind {
    /// Nothing can be said yet.
    Undetermined,
    /// Something is agreed, nothing is split, and everything was looked at.
    Consensus,
    /// Something is split and nothing is agreed.
    Polarized,
    /// Something is split and something is agreed.
    Partial,
}

impl RegimeKind {
    /// The regime's name: `undetermined`, `consensus`, `polarized`, `partial`.
    pub fn name(self) -> &'static str {
        match self {
            RegimeKind::Undetermined => "undetermined",
            RegimeKind::Consensus => "consensus",
            RegimeKind::Polarized => "polarized",
            RegimeKind::Partial => "partial",
        }
    }
}

/// What a regime is read off.
#[derive(Clone, Copy, Debug)]
pub struct Findings {
    /// Disputes with a yes and a no.
    pub split_disputes: usize,
    /// Whether the arguments fall into camps that stand against each other.
    pub split_camps: bool,
    /// Disputes on which the participants agree.
    pub agreed: usize,
    /// How much was looked at.
    pub coverage: Coverage,
    /// Whether every set is complete.
    pub exact: bool,
    /// Events that this version does not know.
    pub unknown_events: u32,
}

/// The regime. No split found is not agreement: consensus needs something agreed, full coverage, complete sets, and that
/// nothing was recorded which this version does not know.
pub fn regime(findings: Findings) -> Regime {
    let Findings { split_disputes, split_camps, agreed, coverage, unknown_events, .. } = findings;
    let exact = findings.exact && unknown_events == 0;
    let split = split_disputes > 0 || split_camps;
    let splits = match (split_disputes, split_camps) {
        (0, _) => "the arguments fall into camps that stand against each other".to_owned(),
        (n, false) => format!("{n} open {}", plural(n, "dispute")),
        (n, true) => format!("{n} open {}, and camps of arguments that stand against each other", plural(n, "dispute")),
    };
    let common = format!("{agreed} {} held by all", plural(agreed, "dispute"));
    let looked = format!("{} of {} pairs of claims were examined", coverage.examined, coverage.pairs);
    let (kind, reason) = match (split, agreed > 0) {
        (true, true) => (RegimeKind::Partial, format!("{splits}; {common}")),
        (true, false) => (RegimeKind::Polarized, format!("{splits}; nothing is held in common")),
        (false, true) if coverage.is_complete() && exact => {
            (RegimeKind::Consensus, format!("{common}, none split, and every pair of claims was examined"))
        }
        (false, true) if unknown_events > 0 => (
            RegimeKind::Undetermined,
            format!("{common} and no split was found, but not all that was recorded is known"),
        ),
        (false, true) if !exact => {
            (RegimeKind::Undetermined, format!("{common} and no split was found, but not every set could be computed"))
        }
        (false, true) => (RegimeKind::Undetermined, format!("{common} and no split was found, but only {looked}")),
        (false, false) => (RegimeKind::Undetermined, format!("nothing is agreed and no split was found; {looked}")),
    };
    let unknown = match unknown_events {
        0 => String::new(),
        n => format!("; this version does not know {n} {} of it", plural(n as usize, "event")),
    };
    Regime { kind, reason: reason + &unknown, coverage, exact, unknown_events }
}

fn plural(n: usize, word: &str) -> String {
    if n == 1 { word.to_owned() } else { format!("{word}s") }
}

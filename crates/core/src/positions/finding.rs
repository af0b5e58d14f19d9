//! Findings of a check of positions.

use std::fmt;

/// Finding in a positions file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionsFinding {
    /// Line, from 1; `None` if the finding is about the file as a whole.
    pub line: Option<usize>,
    /// Key: `closure/claims/air`, `closure/replies/gus-ormerand/deliveries`; empty for the file as a whole.
    pub key: String,
    /// Kind of the finding.
    pub kind: FindingKind,
    /// Description: the value, the rule it breaks, and how to fix it.
    pub what: String,
}

impl fmt::Display for PositionsFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.key.is_empty() { f.write_str(&self.what) } else { write!(f, "{}: {}", self.key, self.what) }
    }
}

/// Kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// The file is not TOML, has an unknown or missing key, or a value of another type.
    Structure,
    /// The file or a part of it exceeds a named limit.
    Limit,
    /// Words that are not in the named document, or not in one passage of it.
    Quotation,
    /// A short name that is used twice.
    Duplicate,
    /// A reference to something that does not exist.
    Reference,
    /// A component that the answered claim does not have, or that the kind of reply does not attack.
    Component,
    /// A concession without consequence, or a consequence of something other than a concession.
    Consequence,
    /// Sides or questions that contradict each other.
    Side,
    /// Fewer entries than a debate needs.
    Count,
    /// A quotation that several entries share, so that it would be repeated.
    Repetition,
}

impl FindingKind {
    /// Returns true if the finding makes the file unusable; otherwise it deserves a second look.
    pub fn is_error(self) -> bool {
        self != FindingKind::Repetition
    }
}

//! Ending of an imported debate. Reaching a limit is an outcome of its own, even if the file calls it convergence.

use crate::events::event::Event;
use crate::events::lifecycle::{DebateAborted, DebateConcluded, DebateOutcome};

/// Ending of an imported debate, as far as its records state it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportOutcome {
    /// True if a record states that the debate is over.
    pub complete: bool,
    /// Error that ended the debate.
    pub error: Option<String>,
    /// Limit that was reached: its name, and a description.
    pub limit: Option<(String, String)>,
    /// Reason for convergence, as stated by the file.
    pub converged: Option<String>,
}

impl ImportOutcome {
    /// Returns the final event of the debate.
    pub fn event(&self) -> Event {
        let aborted = |reason: String| Event::DebateAborted(DebateAborted { reason });
        let concluded = |outcome| Event::DebateConcluded(DebateConcluded { outcome });
        match self {
            ImportOutcome { error: Some(error), .. } => {
                aborted(format!("the imported file ends with an error: {error}"))
            }
            ImportOutcome { complete: false, .. } => {
                aborted("the imported file breaks off before the debate's end".to_owned())
            }
            ImportOutcome { limit: Some((limit, reason)), .. } => {
                concluded(DebateOutcome::Limit { limit: limit.clone(), reason: reason.clone() })
            }
            ImportOutcome { converged: Some(reason), .. } => {
                concluded(DebateOutcome::Exhausted { reason: format!("as stated by the imported file: {reason}") })
            }
            _ => aborted("the imported file does not say how the debate ended".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_precedes_a_limit_and_a_limit_precedes_a_stated_end() {
        let whole = ImportOutcome {
            complete: true,
            error: Some("no answer".into()),
            limit: Some(("events".into(), "16 of 15".into())),
            converged: Some("stable".into()),
        };
        let ending = |state: &ImportOutcome| match state.event() {
            Event::DebateAborted(it) => it.reason,
            Event::DebateConcluded(it) => format!("{}: {}", it.outcome.kind(), it.outcome.reason()),
            other => panic!("{other:?}"),
        };
        assert_eq!(ending(&whole), "the imported file ends with an error: no answer");
        let no_error = ImportOutcome { error: None, ..whole };
        assert_eq!(ending(&no_error), "limit: 16 of 15");
        let breaks_off = ImportOutcome { complete: false, ..no_error.clone() };
        assert_eq!(ending(&breaks_off), "the imported file breaks off before the debate's end");
        let no_limit = ImportOutcome { limit: None, ..no_error };
        assert_eq!(ending(&no_limit), "exhausted: as stated by the imported file: stable");
        let nothing = ImportOutcome { converged: None, ..no_limit };
        assert_eq!(ending(&nothing), "the imported file does not say how the debate ended");
    }
}

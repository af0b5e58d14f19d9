//! How an imported debate ended. Reaching a limit is its own outcome, whatever the file calls it.

use crate::events::event::Event;
use crate::events::lifecycle::{DebateAborted, DebateConcluded, Outcome};

/// How an imported debate ended, as far as its records tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ending {
    /// Whether a record says that the debate is over.
    pub complete: bool,
    /// What broke it off.
    pub error: Option<String>,
    /// The limit that was reached, and how.
    pub limit: Option<(String, String)>,
    /// Why nothing more would change, in the file's words.
    pub converged: Option<String>,
}

impl Ending {
    /// The last event.
    pub fn event(&self) -> Event {
        let aborted = |reason: String| Event::DebateAborted(DebateAborted { reason });
        let concluded = |outcome| Event::DebateConcluded(DebateConcluded { outcome });
        match self {
            Ending { error: Some(error), .. } => aborted(format!("the imported file ends with an error: {error}")),
            Ending { complete: false, .. } => {
                aborted("the imported file breaks off before the debate's end".to_owned())
            }
            Ending { limit: Some((limit, reason)), .. } => {
                concluded(Outcome::Limit { limit: limit.clone(), reason: reason.clone() })
            }
            Ending { converged: Some(reason), .. } => {
                concluded(Outcome::Converged { reason: format!("as the imported file says: {reason}") })
            }
            _ => aborted("the imported file does not say how the debate ended".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_decides_the_end() {
        let whole = Ending {
            complete: true,
            error: Some("no answer".into()),
            limit: Some(("events".into(), "16 of 15".into())),
            converged: Some("stable".into()),
        };
        let told = |ending: &Ending| match ending.event() {
            Event::DebateAborted(it) => it.reason,
            Event::DebateConcluded(it) => format!("{}: {}", it.outcome.kind(), it.outcome.reason()),
            other => panic!("{other:?}"),
        };
        assert_eq!(told(&whole), "the imported file ends with an error: no answer");
        let no_error = Ending { error: None, ..whole };
        assert_eq!(told(&no_error), "limit: 16 of 15");
        let breaks_off = Ending { complete: false, ..no_error.clone() };
        assert_eq!(told(&breaks_off), "the imported file breaks off before the debate's end");
        let no_limit = Ending { limit: None, ..no_error };
        assert_eq!(told(&no_limit), "converged: as the imported file says: stable");
        let nothing = Ending { converged: None, ..no_limit };
        assert_eq!(told(&nothing), "the imported file does not say how the debate ended");
    }
}

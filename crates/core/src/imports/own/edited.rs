//! Exports of this program that were edited: taken as a report of a debate, with an id of its own.

use serde_json::{Value, json};

use crate::events::event::{Event, Recorded};
use crate::imports::identity::{PROVIDER, debate_id, event_id};
use crate::imports::import_error::ImportError;

/// Note of the report on an edited export.
pub const NOTE: &str = "taken as reported: stances, concessions and agreements are shown without their words and are \
                        not counted, and readings of an auditor and answers to probes are left out";

/// Returns the events of an edited export as a debate with an id made from its content.
///
/// Nobody vouches for the words of an edited file. Stances, concessions and agreements therefore lose their quotations,
/// so that no verdict counts them, and readings of an auditor and answers to probes are left out.
///
/// # Errors
/// [`ImportError::Broken`] if the export is of a fork, whose first part belongs to another debate.
pub fn reported(hash: &str, events: Vec<Recorded>) -> Result<Vec<Recorded>, ImportError> {
    if events.iter().any(|recorded| matches!(recorded.event, Event::DebateForked(_))) {
        let what = "an edited export of a fork cannot be taken; export the debate that it was forked from";
        return Err(ImportError::broken("the export", what));
    }
    let debate = debate_id(hash);
    let kept = events.into_iter().filter(|recorded| !is_answer_after_end(&recorded.event));
    let renumbered = (1..).zip(kept).map(|(version, recorded)| Recorded {
        id: event_id(debate, version),
        debate,
        version,
        caused_by: None,
        event: unquoted(hash, recorded.event),
        ..recorded
    });
    Ok(renumbered.collect())
}

/// Returns true for readings of an auditor and answers to probes.
fn is_answer_after_end(event: &Event) -> bool {
    matches!(
        event,
        Event::WordsAudited(_)
            | Event::ContractProbed(_)
            | Event::ContradictionsProbed(_)
            | Event::EndorsementsProbed(_)
    )
}

fn unquoted(hash: &str, mut event: Event) -> Event {
    match &mut event {
        Event::DebateOpened(opened) => {
            opened.provider = PROVIDER.to_owned();
            let imported = json!({ "edited": true, "content": hash });
            match &mut opened.options {
                Value::Object(options) => drop(options.insert("imported".to_owned(), imported)),
                options => *options = json!({ "imported": imported }),
            }
        }
        Event::StanceTaken(taken) => taken.quote = None,
        Event::ConcessionMade(made) => made.quote = None,
        Event::CruxAcknowledged(by) => by.quote = None,
        _ => {}
    }
    event
}

//! Intents: who wants to speak next, and who gets the floor.

use crate::engines::blackboard::schema::IntentReply;
use crate::engines::talk::replies::decode::{clipped, unit};
use crate::events::event::Event;
use crate::events::ids::PersonaId;
use crate::events::table::{IntendedAction, IntentStated};
use crate::kernel::reply::Unreadable;

/// Decodes an intent.
///
/// # Errors
/// [`Unreadable`] if somebody wants to speak and does not say what for.
pub fn stated(speaker: &PersonaId, round: u32, reply: IntentReply) -> Result<Event, Unreadable> {
    let action: IntendedAction = reply.action.into();
    let intent = clipped(&reply.intent);
    if intent.is_empty() && action != IntendedAction::Listen {
        return Err(
            Unreadable::because("the intent is empty").advise("say in a few words what you would do with the turn")
        );
    }
    let urgency = if action == IntendedAction::Listen { 0.0 } else { unit(reply.urgency) };
    Ok(Event::IntentStated(IntentStated { speaker: speaker.clone(), round, action, urgency, intent }))
}

/// Chooses who gets the floor: the most urgent; of equally urgent ones, who interrupts; of those, who has spoken least; then
/// the first in speaking order. `None` if all listen. `intents` are in speaking order, each with the number of turns that its
/// speaker has taken.
pub fn most_urgent<'a>(intents: &[(&'a IntentStated, usize)]) -> Option<&'a IntentStated> {
    let wanting = intents.iter().filter(|(stated, _)| stated.action != IntendedAction::Listen);
    let order = |(one, n_one): &&(&IntentStated, usize), (other, n_other): &&(&IntentStated, usize)| {
        let interrupts = |stated: &IntentStated| stated.action == IntendedAction::Interrupt;
        (one.urgency.total_cmp(&other.urgency)).then(interrupts(one).cmp(&interrupts(other))).then(n_other.cmp(n_one))
    };
    // Of equals, `max_by` takes the last.
    wanting.rev().max_by(order).map(|(stated, _)| *stated)
}

/// Words the reason for giving somebody the floor.
pub fn reason(stated: &IntentStated) -> String {
    let wants = if stated.action == IntendedAction::Interrupt { "interrupts" } else { "wants to speak" };
    format!("{wants}, with urgency {:.2}: {}", stated.urgency, stated.intent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use IntendedAction::{Interrupt, Listen, Speak};

    fn intent(name: &str, action: IntendedAction, urgency: f64) -> IntentStated {
        let speaker = name.parse().expect("an id");
        IntentStated { speaker, round: 1, action, urgency, intent: "to answer".to_owned() }
    }

    #[test]
    fn the_most_urgent_speaks_and_interruptions_come_first_among_equals() {
        let check = |told: &[(&str, IntendedAction, f64, usize)], expected: Option<&str>| {
            let intents: Vec<(IntentStated, usize)> =
                told.iter().map(|(name, action, urgency, n)| (intent(name, *action, *urgency), *n)).collect();
            let intents: Vec<(&IntentStated, usize)> = intents.iter().map(|(stated, n)| (stated, *n)).collect();
            assert_eq!(most_urgent(&intents).map(|stated| stated.speaker.as_str()), expected, "{told:?}");
        };
        check(&[("ada", Speak, 0.4, 0), ("ben", Speak, 0.5, 3)], Some("ben"));
        check(&[("ada", Speak, 0.5, 0), ("ben", Interrupt, 0.5, 3)], Some("ben"));
        check(&[("ada", Interrupt, 0.4, 0), ("ben", Speak, 0.5, 3)], Some("ben"));
        check(&[("ada", Speak, 0.5, 2), ("ben", Speak, 0.5, 1)], Some("ben"));
        check(&[("ada", Speak, 0.5, 1), ("ben", Speak, 0.5, 1)], Some("ada"));
        check(&[("ada", Listen, 0.9, 0), ("ben", Speak, 0.1, 0)], Some("ben"));
        check(&[("ada", Listen, 0.9, 0), ("ben", Listen, 0.9, 0)], None);
        check(&[], None);
    }
}
